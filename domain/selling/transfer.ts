import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { Booking, Reversal } from './challenge-events.ts'
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
  TransferSetAside: UnappliedTransfer & {
    reason: AsideReason
    /** Its money is in the books already, from when it was set aside before. */
    inBooks?: true
  }
  /**
   * It is not in the chain any more: what it paid, or was set aside for, it does so no longer. In another block it is
   * taken anew (N-24).
   */
  TransferReversed: {
    accountId: string
    /** What it was a payment of, or was set aside for; null where that was for nothing. */
    challengeId: string | null
    asset: string
    transfer: TransferData
    reason: Reversal
    /** How often it was taken back by now. */
    times: number
    /** It had settled nothing. */
    aside?: true
    /** Set aside, its money was in the books. */
    inBooks?: true
  }
  /** The very block that it was taken back with is in the chain again. */
  TransferRestored: { accountId: string; transfer: TransferData; times: number }
}

/** What is known of money that settles nothing. */
type UnappliedTransfer = {
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
export type AsideReason = 'late' | 'doubled' | 'unmatched'

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
  /** `times`: how often it had been when it was looked for in the chain. Quiet when that is not so any more. */
  reverse: { reason: Reversal; times: number }
  /** It was found in this block. Quiet unless it was taken back with it. */
  restore: { blockHash: string }
}

type State = {
  readonly challengeId: string | undefined
  /** Whose payment it is, and in what coin; undefined before anybody has taken it. */
  readonly taken: { readonly accountId: string; readonly asset: string } | undefined
  /** Whose it was last. */
  readonly owner: string | undefined
  /** How often it was taken back. */
  readonly reversed: number
  /** The block that it was taken back with: who tells of it there is behind. */
  readonly goneWith: string | undefined
  /** While it settles nothing: why, and whose money it is. */
  readonly aside:
    | { readonly reason: AsideReason; readonly accountId: string; readonly challengeId: string | null }
    | undefined
  readonly transfer: TransferData | undefined
  readonly matched: boolean
  /** The journal has it since it was set aside. */
  readonly inBooks: boolean
}

export const transfer = decider<TransferEvents, TransferCommands, State>({
  category: 'transfer',
  stateVersion: 4,
  initial: {
    challengeId: undefined,
    taken: undefined,
    owner: undefined,
    reversed: 0,
    goneWith: undefined,
    aside: undefined,
    transfer: undefined,
    matched: false,
    inBooks: false,
  },
  decide: {
    claim: (state, data) => {
      const { challengeId, aside } = state
      if (isGone(state, data.transfer)) return refuse('transfer-taken', GONE)
      if (aside) return refuse('transfer-taken', 'this payment was set aside: its seller can say what it pays')
      if (challengeId === data.challengeId) return []
      return challengeId === undefined
        ? [{ type: 'TransferClaimed', data: { ...data, ...timesOf(state) } }]
        : refuse('transfer-taken')
    },
    match: (state, { holder, ...data }) => {
      const { challengeId, aside, transfer: known, matched, inBooks } = state
      // Also when another payment was faster and it was set aside once more.
      if (matched && challengeId === data.challengeId) return []
      if (!aside && challengeId !== undefined)
        return refuse('transfer-taken', 'this payment was taken for another challenge')
      if (!aside || !known || aside.accountId !== (holder ?? data.accountId)) return refuse('transfer-not-found')
      const booking = { matched: true, ...(inBooks && { inBooks: true as const }), ...timesOf(state) } as const
      return [{ type: 'TransferClaimed', data: { ...data, ...booking, transfer: known } }]
    },
    // What is claimed is somebody's payment; it is only set aside when that very challenge was paid by another transfer
    // first.
    setAside: (state, data) => {
      const { challengeId, aside, matched, inBooks } = state
      const stays =
        isGone(state, data.transfer) ||
        aside !== undefined ||
        (challengeId !== undefined && challengeId !== data.challengeId) ||
        (matched && data.reason === 'late')
      return stays ? [] : [{ type: 'TransferSetAside', data: inBooks ? { ...data, inBooks } : data }]
    },
    reverse: ({ challengeId, taken, aside, transfer: known, inBooks, reversed }, { reason, times }) => {
      if (!taken || !known || reversed !== times) return []
      const data = { ...taken, challengeId: aside ? aside.challengeId : (challengeId ?? null), transfer: known, reason }
      const posted = aside && { aside: true as const, ...(inBooks && { inBooks: true as const }) }
      return [{ type: 'TransferReversed', data: { ...data, times: times + 1, ...posted } }]
    },
    restore: ({ goneWith, transfer: known, owner, reversed }, { blockHash }) =>
      known && owner !== undefined && goneWith === blockHash
        ? [{ type: 'TransferRestored', data: { accountId: owner, transfer: known, times: reversed } }]
        : [],
  },
  evolve: {
    TransferClaimed: (state, { accountId, asset, challengeId, matched = false, transfer: data }) => ({
      ...state,
      owner: accountId,
      taken: { accountId, asset },
      goneWith: undefined,
      challengeId,
      matched,
      aside: undefined,
      transfer: data,
    }),
    TransferSetAside: (state, { reason, accountId, challengeId, asset, transfer: data }) => ({
      ...state,
      owner: accountId,
      taken: { accountId, asset },
      goneWith: undefined,
      aside: { reason, accountId, challengeId },
      transfer: data,
      inBooks: state.inBooks || reason !== 'unmatched',
    }),
    TransferReversed: (state, { transfer: data, times }) => ({
      ...state,
      challengeId: undefined,
      taken: undefined,
      aside: undefined,
      matched: false,
      inBooks: false,
      reversed: times,
      goneWith: data.blockHash,
    }),
    TransferRestored: (state) => ({ ...state, goneWith: undefined }),
  },
})

const GONE = 'this payment is not in the chain any more'

const isGone = ({ goneWith }: State, { blockHash }: TransferData): boolean => goneWith === blockHash

/** How often it was taken back before, where it was. */
const timesOf = ({ reversed }: State): { again?: number } => (reversed > 0 ? { again: reversed } : {})
