import { newApiKey } from '../../account/keys/api-key.ts'
import { ownerMemberId } from '../../account/members/member.ts'
import type { UseCaseContext } from '../context.ts'
import { fingerprintOf, requestAddress } from './email-address.ts'
import { newCloudToken } from './stores.ts'

export type SignUp = {
  email: string
  password: string
  primaryWallet: string | null
  termsAgreed: 'explicit' | 'by-omission'
  /** The network of the caller, as letters name it: `203.0.113.7`, `2001:db8:1:2::/64`. */
  network: string
}

/**
 * Makes an account: notes that it wants the address, then writes the account with its key, its cloud token and the
 * letter to send, in one append; its first store and its first member follow. Only the letter shows whether the address
 * is known (N-16): nobody holds an address by signing up.
 * @returns the owner key, which is never shown again. Refuses `busy`.
 */
export const signUp = async (
  flow: UseCaseContext,
  { email, password, network, ...rest }: SignUp,
): Promise<{ apiKey: string }> => {
  const { ledger, world, vault, passwords } = flow
  const passwordHash = await passwords.hash(password)
  const accountId = world.id('acc')
  const at = world.now()
  const { apiKey, kept } = newApiKey(world, 'sk_live')
  const { kept: cloudToken } = await newCloudToken(flow, accountId)
  const account = {
    email: await vault.seal(accountId, email),
    emailFingerprint: fingerprintOf(flow, email),
    passwordHash,
    ...rest,
    origin: { at: at.toISOString(), network: await vault.seal(accountId, network) },
    key: { ...kept, kind: 'owner' } as const,
    cloudToken,
  }
  const occasion = { about: 'welcome', what: 'made', at, network } as const
  const verification = await requestAddress(flow, { accountId, to: email, network, occasion })
  await ledger.account.signUp(accountId, { ...account, verification })
  // The account is there by now, and its owner has to be told the key; a policy opens the store otherwise.
  await ledger.stores.openDefault(accountId, cloudToken).catch(() => {})
  // Otherwise the first sign-in to the dashboard makes its owner a member.
  await ledger.member.join(ownerMemberId(accountId), { accountId, role: 'owner' }).catch(() => {})
  return { apiKey }
}
