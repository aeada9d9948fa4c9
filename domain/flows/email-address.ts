import { refuse } from '../refusal.ts'
import { claimFor, holderOf, type Uses } from './address-holder.ts'
import type { Flow } from './flow.ts'

/** Whose an email address is: one account's at a time (N-16). */

/** The keyed hash by which an address is known. Addresses that reach the same mailbox by every common rule count as one: case is not told apart. */
export const fingerprintOf = ({ vault }: Flow, email: string): string =>
  vault.fingerprint('email', email.normalize('NFKC').toLowerCase())

/** Makes the address the account's. Refuses `email-taken`. */
export const claimAddress = (flow: Flow, fingerprint: string, accountId: string): Promise<void> =>
  claimFor(flow, fingerprint, accountId, usesIt(flow, fingerprint))

/** Refuses `email-taken` when the address is another account's now; it is claimed only when the account proves that it is its own. */
export const refuseTaken = async (flow: Flow, fingerprint: string, accountId: string): Promise<void> => {
  const holder = await holderOf(flow, fingerprint, usesIt(flow, fingerprint))
  if (holder && holder.id !== accountId && !holder.abandoned) refuse('email-taken')
}

const usesIt =
  ({ ledger }: Flow, fingerprint: string): Uses =>
  async (holder) => {
    const account = await ledger.account.read(holder)
    return account.status !== 'none' && account.emailFingerprint === fingerprint
  }
