import { followed } from '../account/account.ts'
import { Refusal, refuse } from '../refusal.ts'
import { claimAddress, fingerprintOf, refuseTaken } from './email-address.ts'
import type { Flow } from './flow.ts'
import { verificationLetter } from './verification-letter.ts'

/** The address of an account: proven by a mailed link, and changed by another (J-ACC-06, J-ACC-13, J-ACC-17). */

/**
 * Sends a link to the address that the account wants; the old one stays until that link is followed (N-19). Refuses `email-taken`, and `busy`
 * when too many letters were asked for.
 */
export const changeEmail = async (flow: Flow, accountId: string, email: string): Promise<void> => {
  const emailFingerprint = fingerprintOf(flow, email)
  await refuseTaken(flow, emailFingerprint, accountId)
  const letter = await verificationLetter(flow, { accountId, to: email, about: await occasion(flow, accountId) })
  await flow.ledger.account.askLetter(accountId, {
    ...letter,
    address: { email: await flow.vault.seal(accountId, email), emailFingerprint },
  })
}

/** Sends the link again, a new one, to the address that is still unproven. False when there is none (N-76). Refuses `busy`. */
export const resendVerification = async (flow: Flow, accountId: string): Promise<boolean> => {
  const account = await flow.ledger.account.read(accountId)
  if (account.status === 'none') return refuse('not-found')
  const { email, emailFingerprint } = account.verification?.address ?? account
  if (account.status === 'activated' && emailFingerprint === account.emailFingerprint) return false
  const to = (await flow.vault.open(email)) ?? refuse('not-found', 'the address of this account was erased')
  const letter = await verificationLetter(flow, { accountId, to, about: await occasion(flow, accountId) })
  await flow.ledger.account.askLetter(accountId, { ...letter, address: { email, emailFingerprint } })
  return true
}

/**
 * Follows the link of a letter: the address is the account's from now on, and the account is activated, once. The address is claimed first, so
 * that two accounts never have it. Refuses `verification-link-invalid`, and `email-taken` when another account was faster.
 * @returns what came of it: nothing new when the link was followed before.
 */
export const verifyEmail = async (flow: Flow, token: string): Promise<'activated' | 'changed' | 'known'> => {
  const { ledger, world } = flow
  const accountId = /^(acc_[a-z2-7]{26})\.[0-9a-f]{64}$/.exec(token)?.[1]
  if (accountId === undefined) throw new Refusal('verification-link-invalid')
  const tokenHash = world.digest(token)
  const state = await ledger.account.read(accountId)
  const { account, address } = followed(state, tokenHash, world.now().toISOString())
  const { emailFingerprint } = address
  if (emailFingerprint !== account.emailFingerprint) await claimAddress(flow, emailFingerprint, accountId)
  // Whoever lost the address to another sign-up does not activate with it.
  else if ((await ledger.email.read(emailFingerprint)).holder !== accountId)
    throw new Refusal('verification-link-invalid')
  const { events } = await ledger.account.verifyEmail(accountId, { tokenHash })
  if (events.some(({ type }) => type === 'AccountActivated')) return 'activated'
  return events.length > 0 ? 'changed' : 'known'
}

const occasion = async ({ ledger }: Flow, accountId: string) =>
  (await ledger.account.recent(accountId)).status === 'activated' ? 'change' : 'welcome'
