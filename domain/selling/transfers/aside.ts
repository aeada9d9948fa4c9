import type { Of } from '../../kernel/decider.ts'
import type { Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Reversal } from '../challenge-events.ts'
import { type TransferData, transferId } from '../challenge-terms.ts'
import type { AsideReason, IgnoreReason, ReturnHashRefusal, TransferEvents } from './transfer-events.ts'

/**
 * What a seller does with money that was set aside, beside saying what it pays: leaves it as it is (N-102), or notes
 * that it was sent back (N-102). Daybook moves none of it.
 */

/** What the seller did: nothing, left it as it is, or sent it back. */
type Handling =
  | { readonly is: 'open' }
  | { readonly is: 'ignored'; readonly reason: IgnoreReason }
  | { readonly is: 'returned'; readonly amount: Units; readonly back: Back | undefined }

/** The transfer that sent it back, under its own id, and the hash in the words of the seller. */
type Back = { readonly id: string; readonly hash: string }

/** Money that was set aside, and what its seller did with it. */
export type AsideState = {
  /**
   * Set while it settles nothing: the reason, the account that has the money, and the challenge that it was meant for.
   */
  readonly aside:
    | { readonly reason: AsideReason; readonly accountId: string; readonly challengeId: string | null }
    | undefined
  readonly transfer: TransferData | undefined
  /** The account that it belonged to last. */
  readonly owner: string | undefined
  readonly inBooks: boolean
  readonly handling: Handling
  /** The hash that the seller named and that no chain has confirmed yet. */
  readonly sought: string | undefined
  /** The return that its chain has lost last, and how often. */
  readonly lost: { readonly id: string; readonly times: number } | undefined
}

export const NOT_HANDLED = { handling: { is: 'open' }, sought: undefined, lost: undefined } as const

export type HandCommands = {
  /**
   * Each refuses `transfer-not-found` unless the money was set aside for that account, and `state-forbids` where the
   * other was said of it before.
   */
  ignore: { accountId: string; reason: IgnoreReason; by: string }
  /** Takes back what was said of it. Refuses `state-forbids` once a chain has shown that it was returned. */
  reopen: { accountId: string; by: string }
  /** Without an amount all of it was returned. A hash that is known, and a return that is recorded, change nothing. */
  recordReturn: { accountId: string; amount?: Units; hash?: string; by: string }
  /** `again`: how often `back` had been taken back when it was claimed; does nothing when it was since. */
  sendReturn: { back: TransferData; hash: string; again?: number; by: string }
  unsendReturn: { back: TransferData; hash: string; times: number; reason: Reversal }
  refuseReturnHash: { hash: string; reason: ReturnHashRefusal }
}

type Events = readonly Of<TransferEvents>[]

/** Decides the acts of the seller on money that was set aside. */
export const handActs = {
  ignore: (state: AsideState, { accountId, reason, by }: Readonly<HandCommands['ignore']>, now: string): Events => {
    const { handling } = ownAside(state, accountId)
    if (handling.is === 'returned') return refuse('state-forbids', RETURNED)
    if (handling.is === 'ignored' && handling.reason === reason) return []
    return [{ type: 'TransferIgnored', data: { accountId, reason, by, ignoredAt: now } }]
  },
  reopen: (state: AsideState, { accountId, by }: Readonly<HandCommands['reopen']>, now: string): Events => {
    const { handling, transfer, aside } = ownAside(state, accountId)
    if (handling.is === 'open') return []
    if (handling.is === 'returned' && handling.back)
      return refuse(
        'state-forbids',
        'The chain shows that this payment was returned, so that stays: leave it as it is.',
      )
    const returned = handling.is === 'returned' && { returned: handling.amount }
    const data = { accountId, reason: aside.reason, transfer, ...returned, by, reopenedAt: now }
    return [{ type: 'TransferReopened', data }]
  },
  recordReturn: (
    state: AsideState,
    { accountId, amount, hash, by }: Readonly<HandCommands['recordReturn']>,
    now: string,
  ): Events => {
    const { handling, transfer } = ownAside(state, accountId)
    if (handling.is === 'returned' && amount !== undefined && amount !== handling.amount)
      return refuse('state-forbids', 'Another amount is recorded as returned. Take that back first.')
    if (hash !== undefined && handling.is === 'returned' && handling.back && handling.back.hash !== hash)
      return refuse(
        'state-forbids',
        'The chain shows already that this payment was returned, by another transaction: leave the hash out.',
      )
    const isKnown = hash === undefined || hash === state.sought || (handling.is === 'returned' && handling.back)
    const submitted = { accountId, hash: hash ?? '', by, submittedAt: now }
    return [
      ...(handling.is === 'returned' ? [] : [recorded(state, transfer, { accountId, amount, by, now })]),
      ...(isKnown ? [] : [{ type: 'TransferReturnHashSubmitted', data: submitted } as const]),
    ]
  },
  sendReturn: (
    state: AsideState,
    { back, hash, again = 0, by }: Readonly<HandCommands['sendReturn']>,
    now: string,
  ): Events => {
    const { aside, transfer, handling, lost } = state
    const id = transferId(back)
    if (lost?.id === id && lost.times > again) return []
    if (!aside || !transfer || (handling.is === 'returned' && handling.back)) return []
    const { accountId } = aside
    const amount = back.amount
    const before = handling.is === 'returned' ? [] : [recorded(state, transfer, { accountId, amount, by, now })]
    const was = handling.is === 'returned' ? handling.amount : amount
    const data = { accountId, transfer, back, recorded: was, hash, sentAt: now, ...(again > 0 && { again }) }
    return [...before, { type: 'TransferReturnSent', data }]
  },
  unsendReturn: (
    { aside, transfer, owner, handling }: AsideState,
    { back, hash, times, reason }: Readonly<HandCommands['unsendReturn']>,
    now: string,
  ): Events => {
    if (!owner || !transfer || handling.is !== 'returned' || handling.back?.id !== transferId(back)) return []
    const data = { accountId: owner, transfer, back, hash, reason, times, ...(!aside && { voided: true as const }) }
    return [{ type: 'TransferReturnUnsent', data: { ...data, unsentAt: now } }]
  },
  refuseReturnHash: (
    { aside, sought }: AsideState,
    { hash, reason }: Readonly<HandCommands['refuseReturnHash']>,
  ): Events =>
    aside && sought === hash
      ? [{ type: 'TransferReturnHashRefused', data: { accountId: aside.accountId, hash, reason } }]
      : [],
}

const RETURNED = 'This payment was recorded as returned. Take that back first.'

type OwnAside = AsideState & {
  readonly aside: NonNullable<AsideState['aside']>
  readonly transfer: TransferData
}

/** Refuses `transfer-not-found` unless the account has the money, and it settles nothing. */
const ownAside = (state: AsideState, accountId: string): OwnAside => {
  const { aside, transfer } = state
  return aside?.accountId === accountId && transfer ? { ...state, aside, transfer } : refuse('transfer-not-found')
}

type Recording = { accountId: string; amount: Units | undefined; by: string; now: string }

const recorded = ({ inBooks }: AsideState, transfer: TransferData, { accountId, amount, by, now }: Recording) => {
  const units = BigInt(amount ?? transfer.amount)
  if (units <= 0n || units > BigInt(transfer.amount))
    refuse('invalid-request', 'amount: has to be above zero, and no more than came')
  const data = { accountId, transfer, amount: String(units), ...(inBooks && { inBooks: true as const }), by }
  return { type: 'TransferReturnRecorded', data: { ...data, returnedAt: now } } as const
}

/** How these acts change the state. */
export const handled = {
  TransferIgnored: <S extends AsideState>(state: S, { reason }: TransferEvents['TransferIgnored']): S => ({
    ...state,
    handling: { is: 'ignored', reason },
  }),
  TransferReopened: <S extends AsideState>(state: S): S => ({ ...state, ...NOT_HANDLED, lost: state.lost }),
  TransferReturnRecorded: <S extends AsideState>(
    state: S,
    { amount }: TransferEvents['TransferReturnRecorded'],
  ): S => ({ ...state, inBooks: true, handling: { is: 'returned', amount, back: undefined } }),
  TransferReturnHashSubmitted: <S extends AsideState>(
    state: S,
    { hash }: TransferEvents['TransferReturnHashSubmitted'],
  ): S => ({ ...state, sought: hash }),
  TransferReturnHashRefused: <S extends AsideState>(state: S): S => ({ ...state, sought: undefined }),
  TransferReturnSent: <S extends AsideState>(state: S, { back, hash }: TransferEvents['TransferReturnSent']): S => ({
    ...state,
    handling: { is: 'returned', amount: back.amount, back: { id: transferId(back), hash } },
    sought: undefined,
  }),
  TransferReturnUnsent: <S extends AsideState>(
    state: S,
    { back, hash, times, voided }: TransferEvents['TransferReturnUnsent'],
  ): S => ({
    ...state,
    handling: voided ? NOT_HANDLED.handling : { is: 'returned', amount: back.amount, back: undefined },
    sought: voided ? undefined : hash,
    lost: { id: transferId(back), times },
  }),
}
