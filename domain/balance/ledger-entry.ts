import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import type { AccountRef, SentTransfer } from './transfer-terms.ts'

/**
 * A transfer that is booked: every payee has its part. It answers whoever asks for the same transfer again, for ever,
 * so that no account has to remember what it has sent (X-IDEM-02). The stream is named by the ledger reference.
 */

export type LedgerEntryEvents = {
  LedgerEntryBooked: SentTransfer & {
    from: AccountRef | 'platform'
    sentAt: string
    /** What the transfer left of a standing order's lifetime cap. */
    remainingCap?: Units
  }
}

export type LedgerEntryCommands = { book: LedgerEntryEvents['LedgerEntryBooked'] }

type State = { status: 'none' } | (LedgerEntryEvents['LedgerEntryBooked'] & { status: 'booked' })

export const ledgerEntry = decider<LedgerEntryEvents, LedgerEntryCommands, State>({
  category: 'ledgerEntry',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['book'],
  decide: { book: (state, data) => (state.status === 'none' ? [{ type: 'LedgerEntryBooked', data }] : []) },
  evolve: { LedgerEntryBooked: (_, data) => ({ ...data, status: 'booked' }) },
})
