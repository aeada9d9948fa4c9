import { decider } from '../decider.ts'
import type { Units } from '../money.ts'
import { refuse } from '../refusal.ts'
import type { Booking } from './challenge-events.ts'
import type { TransferData } from './challenge-terms.ts'

/**
 * One movement of coins on a chain. It pays for one challenge, once, over all rails, for ever (X-REPLAY-01); one that
 * pays for none is set aside, so that the seller sees money that came. The stream is `chain:tx:index`.
 */

export type TransferEvents = {
  /** This transfer is a payment of this challenge, and of no other. */
  TransferClaimed: { accountId: string; challengeId: string; asset: string; transfer: TransferData } & Booking & {
      /** The key of the seller who said so, where the chain alone did not. */
      by?: string
    }
  /** Money that came to the seller and settles nothing (N-24). */
  TransferSetAside: Aside & {
    reason: SetAside
    /** Its money is in the books already, from when it was set aside before. */
    inBooks?: true
  }
}

/** What is known of money that settles nothing. */
type Aside = {
  accountId: string
  /** absent: 1, the default store */
  storeId?: number
  /** The challenge that it was meant for, where that is known. */
  challengeId: string | null
  asset: string
  /** Digits after the point of the coin, where they are known. */
  decimals?: number
  transfer: TransferData
  /** What was sold by that challenge, and for how much in millionths of the currency. */
  resId?: string | null
  transactionId?: string
  amount?: Units
  currency?: string
  /** Challenges that it may have been meant for, at most CANDIDATES_MAX. */
  candidates?: readonly string[]
}

/** Challenges that a set-aside transfer names. */
export const CANDIDATES_MAX = 10

/**
 * `late`: mined after the challenge had expired. `doubled`: the challenge was paid already. `unmatched`: nobody asked
 * for this amount.
 */
export type SetAside = 'late' | 'doubled' | 'unmatched'

export type TransferCommands = {
  /** The chain says what it pays. Refuses `transfer-taken` when it pays something else, or was set aside. */
  claim: Pick<TransferEvents['TransferClaimed'], 'accountId' | 'challengeId' | 'asset' | 'transfer' | 'voices'>
  /**
   * Who it was set aside for says what it pays: the seller whose challenge that is, or for it the `holder` whose money
   * it was kept as. Refuses `transfer-not-found` unless it was set aside for that one, `transfer-taken` when it pays
   * something.
   */
  match: { accountId: string; challengeId: string; asset: string; by: string; holder?: string; voices?: number }
  setAside: Omit<TransferEvents['TransferSetAside'], 'inBooks'>
}

type State = {
  readonly challengeId: string | undefined
  /** While it settles nothing: why, and whose money it is. */
  readonly aside: { readonly reason: SetAside; readonly accountId: string } | undefined
  readonly transfer: TransferData | undefined
  readonly matched: boolean
  /** The journal has it since it was set aside. */
  readonly inBooks: boolean
}

export const transfer = decider<TransferEvents, TransferCommands, State>({
  category: 'transfer',
  stateVersion: 3,
  initial: { challengeId: undefined, aside: undefined, transfer: undefined, matched: false, inBooks: false },
  decide: {
    claim: ({ challengeId, aside }, data) => {
      if (aside) return refuse('transfer-taken', 'this payment was set aside: its seller can say what it pays')
      if (challengeId === data.challengeId) return []
      return challengeId === undefined ? [{ type: 'TransferClaimed', data }] : refuse('transfer-taken')
    },
    match: ({ challengeId, aside, transfer: known, matched, inBooks }, { holder, ...data }) => {
      // Also when another payment was faster and it was set aside once more.
      if (matched && challengeId === data.challengeId) return []
      if (!aside && challengeId !== undefined)
        return refuse('transfer-taken', 'this payment was taken for another challenge')
      if (!aside || !known || aside.accountId !== (holder ?? data.accountId)) return refuse('transfer-not-found')
      const booking = inBooks ? ({ matched: true, inBooks: true } as const) : ({ matched: true } as const)
      return [{ type: 'TransferClaimed', data: { ...data, ...booking, transfer: known } }]
    },
    // What is claimed is somebody's payment; it is only set aside when that very challenge was paid by another transfer
    // first.
    setAside: ({ challengeId, aside, matched, inBooks }, data) =>
      aside !== undefined ||
      (challengeId !== undefined && challengeId !== data.challengeId) ||
      (matched && data.reason === 'late')
        ? []
        : [{ type: 'TransferSetAside', data: inBooks ? { ...data, inBooks } : data }],
  },
  evolve: {
    TransferClaimed: (state, { challengeId, matched = false, transfer: data }) => ({
      ...state,
      challengeId,
      matched,
      aside: undefined,
      transfer: data,
    }),
    TransferSetAside: (state, { reason, accountId, transfer: data }) => ({
      ...state,
      aside: { reason, accountId },
      transfer: data,
      inBooks: state.inBooks || reason !== 'unmatched',
    }),
  },
})
