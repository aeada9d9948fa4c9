import { refuse } from '../refusal.ts'
import type { Flow } from './flow.ts'

/** Whose an email address is: one account's at a time (N-16). */

/** A claim that came to nothing, because what it was made for broke off, may be taken over after this long; no request lives so long. */
const CLAIM_ABANDONED_MS = 60_000

/** The keyed hash by which an address is known. Addresses that reach the same mailbox by every common rule count as one: case is not told apart. */
export const fingerprintOf = ({ vault }: Flow, email: string): string =>
  vault.fingerprint('email', email.normalize('NFKC').toLowerCase())

/** Makes the address the account's. Refuses `email-taken`. */
export const claimAddress = async (flow: Flow, fingerprint: string, accountId: string): Promise<void> => {
  const from = await abandonedBy(flow, fingerprint)
  if (from !== undefined) await flow.ledger.email.reclaim(fingerprint, { from, accountId })
  else await flow.ledger.email.claim(fingerprint, { accountId })
}

/** Refuses `email-taken` when the address is another account's now; it is claimed only when the account proves that it is its own. */
export const refuseTaken = async (flow: Flow, fingerprint: string, accountId: string): Promise<void> => {
  const { holder } = await flow.ledger.email.read(fingerprint)
  if (holder === undefined || holder === accountId || (await abandonedBy(flow, fingerprint)) === holder) return
  refuse('email-taken')
}

/** Who claimed the address and never came to use it. */
const abandonedBy = async ({ ledger, world }: Flow, fingerprint: string): Promise<string | undefined> => {
  const { holder, claimedAt } = await ledger.email.read(fingerprint)
  if (holder === undefined || world.now().getTime() - Date.parse(claimedAt) <= CLAIM_ABANDONED_MS) return undefined
  const account = await ledger.account.read(holder)
  return account.status === 'none' || account.emailFingerprint !== fingerprint ? holder : undefined
}
