import { newApiKey } from '../account/api-key.ts'
import { claimAddress, fingerprintOf } from './email-address.ts'
import type { Flow } from './flow.ts'
import { newCloudToken } from './stores.ts'
import { verificationLetter } from './verification-letter.ts'

export type SignUp = {
  email: string
  password: string
  primaryWallet: string | null
  termsAgreed: 'explicit' | 'by-omission'
}

/**
 * Makes an account: claims the address, then writes the account with its key, its cloud token and the letter to send, in one append; its
 * first store follows.
 * @returns the owner key, which is never shown again. Refuses `email-taken` (N-16), `busy`.
 */
export const signUp = async (flow: Flow, { email, password, ...rest }: SignUp): Promise<{ apiKey: string }> => {
  const { ledger, world, vault, passwords } = flow
  const passwordHash = await passwords.hash(password)
  const accountId = world.id('acc')
  const emailFingerprint = fingerprintOf(flow, email)
  await claimAddress(flow, emailFingerprint, accountId)
  const { apiKey, kept } = newApiKey(world, 'sk_live')
  const { kept: cloudToken } = await newCloudToken(flow, accountId)
  await ledger.account.signUp(accountId, {
    email: await vault.seal(accountId, email),
    emailFingerprint,
    passwordHash,
    ...rest,
    key: { ...kept, kind: 'owner' },
    cloudToken,
    verification: await verificationLetter(flow, { accountId, to: email, about: 'welcome' }),
  })
  // The account is there by now, and its owner has to be told the key; a policy opens the store otherwise.
  await ledger.stores.openDefault(accountId, cloudToken).catch(() => {})
  return { apiKey }
}
