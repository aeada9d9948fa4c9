import { isRefusal } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { newPasswordHash, userByEmail } from './check-password.ts'
import { claimUserAddress, userFingerprint } from './user-address.ts'
import { sendUserLink, userLink } from './user-link.ts'

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
 * Signs a person up: claims the address, then writes the user and the letter with the link that proves it. Refuses
 * `email-taken`, `busy`, and `invalid-request` for a password that is not good enough.
 * @returns the `sub`
 */
export const registerUser = async (
  flow: Pick<UseCaseContext, 'ledger' | 'world' | 'vault' | 'passwords' | 'origins'>,
  { email, password, profile, verified }: UserWish,
): Promise<{ sub: string }> => {
  const { ledger, world, vault } = flow
  const passwordHash = await newPasswordHash(flow, password, email)
  const sub = world.id('usr')
  const emailFingerprint = userFingerprint(flow, email)
  await claimUserAddress(flow, emailFingerprint, sub)
  await ledger.user.register(sub, {
    emailFingerprint,
    passwordHash,
    email: await vault.seal(sub, email),
    profile: await vault.seal(sub, JSON.stringify(profile)),
    verification: verified ? null : await userLink(flow, { sub, to: email, letter: 'verify-email' }),
  })
  return { sub }
}

/**
 * Signs a person up who came by themselves. Whether the address is known shows in no answer: a letter to it says so.
 * Where nobody has confirmed the address, a stranger may have come first: the link in the letter lets whoever reads the
 * mail choose a password of their own. Refuses `busy`, `invalid-request`.
 */
export const signUpUser = async (flow: UseCaseContext, wish: UserWish): Promise<void> => {
  try {
    await registerUser(flow, wish)
  } catch (error) {
    if (!isRefusal(error, 'email-taken')) throw error
    const found = await userByEmail(flow, wish.email)
    if (found)
      await sendUserLink(flow, found, found.user.status === 'verified' ? 'known-address' : 'unconfirmed-address')
  }
}
