import type { Flow } from '../flow.ts'
import { claimUserAddress, userFingerprint } from './user-address.ts'
import { userLink } from './user-link.ts'

export type UserWish = {
  email: string
  password: string
  profile: Profile
  /** The operator vouches for the address: no letter is sent to prove it. */
  verified?: boolean
}

/** What apps may learn with the scope `profile`; a user gives what they like. */
export type Profile = { name?: string; preferred_username?: string; picture?: string; locale?: string }

/**
 * Signs a person up: claims the address, then writes the user and the letter with the link that proves it. Refuses `email-taken`, `busy`.
 * @returns the `sub`
 */
export const registerUser = async (
  flow: Pick<Flow, 'ledger' | 'world' | 'vault' | 'passwords' | 'origins'>,
  { email, password, profile, verified }: UserWish,
): Promise<{ sub: string }> => {
  const { ledger, world, vault, passwords } = flow
  const passwordHash = await passwords.hash(password)
  const sub = world.id('usr')
  const emailFingerprint = userFingerprint(flow, email)
  await claimUserAddress(flow, emailFingerprint, sub)
  await ledger.user.register(sub, {
    ...{ emailFingerprint, passwordHash },
    email: await vault.seal(sub, email),
    profile: await vault.seal(sub, JSON.stringify(profile)),
    verification: verified ? null : (await userLink(flow, { sub, to: email, purpose: 'verify-email' })).link,
  })
  return { sub }
}
