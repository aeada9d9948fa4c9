import { decider } from '../../kernel/decider.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Reversal } from '../challenge-events.ts'
import type { TransferData } from '../challenge-terms.ts'
import { type AsideState, type HandCommands, handActs, handled, NOT_HANDLED } from './aside.ts'
import type { TransferEvents } from './transfer-events.ts'

/**
 * One movement of coins on a chain. It pays for one challenge, once, over all rails, for ever (X-REPLAY-01); one that
 * pays for none is set aside, so that the seller sees money that came. The stream is `chain:tx:index`.
 */

export type TransferCommands = {
  /** The chain says what it pays. Refuses `transfer-taken` when it pays something else, or was set aside. */
  claim: Pick<TransferEvents['TransferClaimed'], 'accountId' | 'challengeId' | 'asset' | 'transfer' | 'voices'>
  /**
   * Says what a set-aside transfer pays: the account that it was set aside for does, which is the challenge's seller,
   * or the `holder` that kept the money. Refuses `transfer-not-found` unless it was set aside for that account,
   * `transfer-taken` when it pays something.
   */
  match: { accountId: string; challengeId: string; asset: string; by: string; holder?: string; voices?: number }
  setAside: Omit<TransferEvents['TransferSetAside'], 'inBooks' | 'matched' | 'holder' | 'returned'>
  /**
   * `times`: how often it had been taken back when it was looked for in the chain. Does nothing when that has changed.
   */
  reverse: { reason: Reversal; times: number }
  /** Tells that it was found in this block. Does nothing unless it was taken back with that block. */
  restore: { blockHash: string }
} & HandCommands

type State = AsideState & {
  readonly challengeId: string | undefined
  /** The account whose payment it is, and its coin; undefined before anybody has taken it. */
  readonly taken: { readonly accountId: string; readonly asset: string } | undefined
  /** How often it was taken back. */
  readonly reversed: number
  /** The hash of the block that it was taken back with; whoever still reports it in that block is out of date. */
  readonly goneWith: string | undefined
  readonly matched: boolean
  /** The account for which it was set aside before another one's seller matched it. */
  readonly holder: string | undefined
}

export const transfer = decider<TransferEvents, TransferCommands, State>({
  category: 'transfer',
  stateVersion: 6,
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
    ...NOT_HANDLED,
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
      if (state.handling.is === 'returned')
        return refuse('transfer-taken', 'This payment was recorded as returned. Take that back, then match it.')
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
        ...(state.handling.is === 'returned' && { returned: true as const }),
      }
      return stays ? [] : [{ type: 'TransferSetAside', data: { ...data, ...before } }]
    },
    reverse: ({ challengeId, taken, aside, transfer: known, inBooks, reversed, handling }, { reason, times }) => {
      if (!taken || !known || reversed !== times) return []
      const data = { ...taken, challengeId: aside ? aside.challengeId : (challengeId ?? null), transfer: known, reason }
      const owed = handling.is === 'returned' && handling.back === undefined && { returned: handling.amount }
      const posted = aside && { aside: true as const, ...(inBooks && { inBooks: true as const }), ...owed }
      return [{ type: 'TransferReversed', data: { ...data, times: times + 1, ...posted } }]
    },
    restore: ({ goneWith, transfer: known, owner, reversed }, { blockHash }) =>
      known && owner !== undefined && goneWith === blockHash
        ? [{ type: 'TransferRestored', data: { accountId: owner, transfer: known, times: reversed } }]
        : [],
    ...handActs,
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
      ...NOT_HANDLED,
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
      ...afterReversal(state),
      reversed: times,
      goneWith: data.blockHash,
    }),
    TransferRestored: (state) => ({ ...state, goneWith: undefined }),
    ...handled,
  },
})

const GONE = 'this payment is not in the chain any more'

const isGone = ({ goneWith }: State, { blockHash }: TransferData): boolean => goneWith === blockHash

/** How often it was taken back before; left out when it never was. */
const timesOf = ({ reversed }: State): { again?: number } => (reversed > 0 ? { again: reversed } : {})

/** What a chain has shown to be returned stays so, also while the payment itself is not in its chain. */
const afterReversal = ({ handling, lost }: State): Pick<State, 'handling' | 'sought' | 'lost'> =>
  handling.is === 'returned' && handling.back ? { handling, sought: undefined, lost } : NOT_HANDLED
