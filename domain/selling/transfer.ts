import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { Booking, Reversal } from './challenge-events.ts'
import type { TransferData } from './challenge-terms.ts'
import type { LockedWorth } from './sale-rate.ts'

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
    /** Its seller had matched it, so that it was set aside before, whatever for. */
    matched?: true
    /** The account for which it was set aside then, where that was another one. */
    holder?: string
  }
  /**
   * The transfer is not in the chain any more: it pays nothing now, and is not set aside either. In another block it is
   * taken anew (N-24).
   */
  TransferReversed: {
    accountId: string
    /** The challenge that it paid or was set aside for; null where there was none. */
    challengeId: string | null
    asset: string
    transfer: TransferData
    reason: Reversal
    /** How often it was taken back by now. */
    times: number
    /** Set when it had been set aside, so that it had settled nothing. */
    aside?: true
    /** Set when its money was in the books although it was set aside. */
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
  /** What was asked for it in the coin, and the price in millionths of a US dollar. */
  asked?: Units
  usd?: Units
  /** Challenges that it may have been meant for, at most CANDIDATES_MAX. */
  candidates?: readonly string[]
} & LockedWorth

/** The most challenges that a set-aside transfer names. */
export const CANDIDATES_MAX = 10

/**
 * `late`: mined after the challenge had expired. `doubled`: the challenge was paid already. `sold_out`: there was no
 * piece left of what it pays for (N-98). `unmatched`: nobody asked for this amount.
 */
export type AsideReason = 'late' | 'doubled' | 'sold_out' | 'unmatched'

export type TransferCommands = {
  /** The chain says what it pays. Refuses `transfer-taken` when it pays something else, or was set aside. */
  claim: Pick<TransferEvents['TransferClaimed'], 'accountId' | 'challengeId' | 'asset' | 'transfer' | 'voices'>
  /**
   * Says what a set-aside transfer pays: the account that it was set aside for does, which is the challenge's seller,
   * or the `holder` that kept the money. Refuses `transfer-not-found` unless it was set aside for that account,
   * `transfer-taken` when it pays something.
   */
  match: { accountId: string; challengeId: string; asset: string; by: string; holder?: string; voices?: number }
  setAside: Omit<TransferEvents['TransferSetAside'], 'inBooks' | 'matched' | 'holder'>
  /**
   * `times`: how often it had been taken back when it was looked for in the chain. Does nothing when that has changed.
   */
  reverse: { reason: Reversal; times: number }
  /** Tells that it was found in this block. Does nothing unless it was taken back with that block. */
  restore: { blockHash: string }
}

type State = {
  readonly challengeId: string | undefined
  /** The account whose payment it is, and its coin; undefined before anybody has taken it. */
  readonly taken: { readonly accountId: string; readonly asset: string } | undefined
  /** The account that it belonged to last. */
  readonly owner: string | undefined
  /** How often it was taken back. */
  readonly reversed: number
  /** The hash of the block that it was taken back with; whoever still reports it in that block is out of date. */
  readonly goneWith: string | undefined
  /**
   * Set while it settles nothing: the reason, the account that has the money, and the challenge that it was meant for.
   */
  readonly aside:
    | { readonly reason: AsideReason; readonly accountId: string; readonly challengeId: string | null }
    | undefined
  readonly transfer: TransferData | undefined
  readonly matched: boolean
  /** The account for which it was set aside before another one's seller matched it. */
  readonly holder: string | undefined
  /** The journal has had it since it was set aside. */
  readonly inBooks: boolean
}

export const transfer = decider<TransferEvents, TransferCommands, State>({
  category: 'transfer',
  stateVersion: 5,
  initial: {
    challengeId: undefined,
    taken: undefined,
    owner: undefined,
    reversed: 0,
    goneWith: undefined,
    aside: undefined,
    transfer: undefined,
    matched: false,
    holder: undefined,
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
      // This holds, too, when another payment was faster and the transfer was set aside again.
      if (matched && challengeId === data.challengeId) return []
      if (!aside && challengeId !== undefined)
        return refuse('transfer-taken', 'this payment was taken for another challenge')
      if (!aside || !known || aside.accountId !== (holder ?? data.accountId)) return refuse('transfer-not-found')
      const other = holder !== undefined && holder !== data.accountId && { holder }
      const booking = {
        matched: true as const,
        ...(inBooks && { inBooks: true as const }),
        ...other,
        ...timesOf(state),
      }
      return [{ type: 'TransferClaimed', data: { ...data, ...booking, transfer: known } }]
    },
    // A claimed transfer is somebody's payment; it is set aside only when another transfer paid that very challenge
    // first.
    setAside: (state, data) => {
      const { challengeId, aside, matched, holder, inBooks } = state
      const stays =
        isGone(state, data.transfer) ||
        aside !== undefined ||
        (challengeId !== undefined && challengeId !== data.challengeId) ||
        (matched && data.reason === 'late')
      const before = {
        ...(inBooks && { inBooks: true as const }),
        ...(matched && { matched: true as const }),
        ...(holder !== undefined && { holder }),
      }
      return stays ? [] : [{ type: 'TransferSetAside', data: { ...data, ...before } }]
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
    TransferClaimed: (state, { accountId, asset, challengeId, matched = false, holder, transfer: data }) => ({
      ...state,
      owner: accountId,
      taken: { accountId, asset },
      goneWith: undefined,
      challengeId,
      matched,
      holder,
      aside: undefined,
      transfer: data,
    }),
    TransferSetAside: (state, { reason, accountId, challengeId, asset, transfer: data }) => ({
      ...state,
      holder: undefined,
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
      holder: undefined,
      inBooks: false,
      reversed: times,
      goneWith: data.blockHash,
    }),
    TransferRestored: (state) => ({ ...state, goneWith: undefined }),
  },
})

const GONE = 'this payment is not in the chain any more'

const isGone = ({ goneWith }: State, { blockHash }: TransferData): boolean => goneWith === blockHash

/** How often it was taken back before; left out when it never was. */
const timesOf = ({ reversed }: State): { again?: number } => (reversed > 0 ? { again: reversed } : {})
