import { decider } from '../decider.ts'
import type { Units } from '../money.ts'
import { refuse } from '../refusal.ts'
import type { ChallengeEvents, Place } from './challenge-events.ts'
import { askedOf, type ChallengeEntry, madeUp, type TransferData, transferId } from './challenge-terms.ts'
import { inStore } from './in-store.ts'
import { isKeptFor, judge, leastOf, NOT_THIS } from './judge.ts'

/**
 * One answer to "how can I pay this?": a set of challenges, one per accepted asset, each of which may settle once (I-SET-01). The set is
 * one stream and one event, so a 402 costs one append; a challenge's id is the set's id, a dot, and the asset.
 */

type Payment = { challengeId: string; asset: string; transfer: TransferData }
export type ChallengeCommands = {
  open: ChallengeEvents['ChallengeOpened']
  /** `required` instead of what the challenge asks for, of a payment that needs fewer or more confirmations. */
  detect: Payment & { confirmations: number; required?: number }
  retract: { challengeId: string; asset: string; transferId: string }
  reserve: { challengeId: string; asset: string; authorizationId: string }
  release: { challengeId: string; asset: string; authorizationId: string }
  settle: Payment
  underpay: Payment
  /** Adds confirmations to a made-up payment of a test challenge; `tx` is its hash, `amount` what was asked unless given. */
  simulate: { challengeId: string; asset: string; added: number; tx: string; amount?: Units }
}

/** A payment that waits for confirmations. */
type Seen = { readonly id: string; readonly tx: string; readonly height: number }

export type OpenSet = ChallengeEvents['ChallengeOpened'] & {
  status: 'open'
  /** By asset: what was seen, what settled it, what underpaid it. All are bounded by the entries and DETECTED_MAX. */
  detected: { readonly [asset: string]: readonly Seen[] }
  settled: { readonly [asset: string]: string }
  underpaid: { readonly [asset: string]: string }
  /** By asset: the authorization that it is kept for. */
  reserved: { readonly [asset: string]: string }
  /** By asset: the simulated payment that was played last. */
  simulated: { readonly [asset: string]: { readonly tx: string; readonly confirmations: number } }
}
export type ChallengeState = { status: 'none' } | OpenSet

/** Payments of one challenge that are waited for at once; one settles it, and the others are then doubles. */
const DETECTED_MAX = 8

export const challenge = decider<ChallengeEvents, ChallengeCommands, ChallengeState>({
  category: 'challenge',
  stateVersion: 4,
  initial: { status: 'none' },
  begins: ['open'],
  decide: {
    open: (state, data) => (state.status === 'none' ? [{ type: 'ChallengeOpened', data }] : refuse('id-taken')),
    detect: (state, { challengeId, asset, transfer, confirmations, ...rest }) => {
      const { set, entry } = judged(state, asset, transfer, ['pays', 'too-low'])
      if (!isOpenTo(set, asset, transfer)) return []
      const seen = set.detected[asset] ?? []
      const known = seen.find(({ id }) => id === transferId(transfer))
      if (known ? known.height === transfer.height : seen.length >= DETECTED_MAX) return []
      const required = rest.required ?? entry.confirmations
      return [
        { type: 'PaymentDetected', data: { ...placeOf(set, challengeId, asset), transfer, confirmations, required } },
      ]
    },
    retract: (state, { challengeId, asset, transferId: id }) => {
      if (state.status === 'none') return refuse('challenge-not-found')
      const seen = state.detected[asset]?.find((each) => each.id === id)
      if (!seen) return []
      return [
        { type: 'PaymentRetracted', data: { ...placeOf(state, challengeId, asset), transferId: id, tx: seen.tx } },
      ]
    },
    reserve: (state, { challengeId, asset, authorizationId }, now) => {
      const { set } = payable(state, asset, now)
      if (set.reserved[asset] === authorizationId) return []
      const taken = set.reserved[asset] ?? set.detected[asset]?.[0]?.id
      if (taken !== undefined || isClosed(set, asset)) return refuse('already-paid', 'this challenge is being paid')
      return [{ type: 'ChallengeReserved', data: { ...placeOf(set, challengeId, asset), authorizationId } }]
    },
    release: (state, { challengeId, asset, authorizationId }) => {
      if (state.status === 'none') return refuse('challenge-not-found')
      if (state.reserved[asset] !== authorizationId || isClosed(state, asset)) return []
      return [{ type: 'ChallengeReleased', data: { ...placeOf(state, challengeId, asset), authorizationId } }]
    },
    settle: (state, { challengeId, asset, transfer }, now) => {
      const { set, entry } = judged(state, asset, transfer, ['pays'])
      if (set.settled[asset] !== undefined) return []
      if (!isOpenTo(set, asset, transfer) && !isClosed(set, asset))
        return refuse('already-paid', 'the challenge is kept for another payment')
      if (set.underpaid[asset] !== undefined) return refuse('already-paid', 'the challenge was underpaid before')
      return [settlement(set, entry, { challengeId, asset, transfer }, now)]
    },
    underpay: (state, { challengeId, asset, transfer }) => {
      const { set, entry } = judged(state, asset, transfer, ['too-low'])
      if (!isOpenTo(set, asset, transfer)) return []
      return [underpayment(set, entry, { challengeId, asset, transfer })]
    },
    simulate: (state, { challengeId, asset, added, tx, amount }, now) => {
      const { set, entry } = simulatable(state, asset, now)
      const { [asset]: played } = set.simulated
      const confirmations = (played?.tx === tx ? played.confirmations : 0) + added
      const required = entry.confirmations
      const transfer = madeUp(entry, tx, amount ?? entry.amount, now)
      const data = { ...placeOf(set, challengeId, asset), transfer, added, confirmations, required }
      const seen = { type: 'PaymentSimulated', data } as const
      if (confirmations < required) return [seen]
      const payment = { challengeId, asset, transfer }
      const isEnough = BigInt(transfer.amount) >= BigInt(leastOf(entry))
      return [seen, isEnough ? settlement(set, entry, payment, now) : underpayment(set, entry, payment)]
    },
  },
  evolve: {
    ChallengeOpened: (_, data) => ({
      ...data,
      status: 'open',
      detected: {},
      settled: {},
      underpaid: {},
      reserved: {},
      simulated: {},
    }),
    PaymentDetected: (state, { asset, transfer }) => {
      const id = transferId(transfer)
      const seen = { id, tx: transfer.tx, height: transfer.height }
      return withSeen(state, asset, (others) => [...others.filter((each) => each.id !== id), seen])
    },
    PaymentSimulated: (state, { asset, transfer: { tx }, confirmations }) =>
      state.status === 'none' ? state : { ...state, simulated: { ...state.simulated, [asset]: { tx, confirmations } } },
    PaymentRetracted: (state, { asset, transferId: id }) =>
      withSeen(state, asset, (all) => all.filter((each) => each.id !== id)),
    ChallengeReserved: (state, { asset, authorizationId }) =>
      state.status === 'none' ? state : { ...state, reserved: { ...state.reserved, [asset]: authorizationId } },
    ChallengeReleased: (state, { asset }) => {
      if (state.status === 'none') return state
      const { [asset]: _, ...reserved } = state.reserved
      return { ...state, reserved }
    },
    ChallengeSettled: (state, { asset, transfer }) =>
      state.status === 'none' ? state : { ...state, settled: { ...state.settled, [asset]: transferId(transfer) } },
    ChallengeUnderpaid: (state, { asset, transfer }) =>
      state.status === 'none' ? state : { ...state, underpaid: { ...state.underpaid, [asset]: transferId(transfer) } },
  },
})

/** Whether an asset of the set takes no payment any more: it settled, or was underpaid (N-25). */
export const isClosed = ({ settled, underpaid }: OpenSet, asset: string): boolean =>
  settled[asset] !== undefined || underpaid[asset] !== undefined

/** Whether a transfer may still pay for an asset of the set: nothing has, and it is not kept for another payment. */
export const isOpenTo = (set: OpenSet, asset: string, transfer: TransferData): boolean =>
  !isClosed(set, asset) && (set.reserved[asset] === undefined || isKeptFor(set, asset, transfer))

const judged = (
  state: ChallengeState,
  asset: string,
  transfer: TransferData,
  wanted: readonly ('pays' | 'too-low')[],
): { set: OpenSet; entry: ChallengeEntry } => {
  if (state.status === 'none') return refuse('challenge-not-found')
  const { entry, judgement } = judge(state, asset, transfer)
  if (wanted.some((each) => each === judgement)) return { set: state, entry }
  if (judgement === 'late') return refuse('challenge-expired', 'the payment came after the challenge had expired')
  if (judgement === 'too-low') return refuse('payment-too-low')
  return refuse('payment-not-matching', judgement === 'pays' ? 'the payment is in full' : NOT_THIS)
}

/** The entry of a test set that is still to be paid; a live one is settled by its chain alone (X-SBX-01). */
const simulatable = (state: ChallengeState, asset: string, now: string): { set: OpenSet; entry: ChallengeEntry } => {
  const { set, entry } = named(state, asset)
  if (!set.test) return refuse('challenge-is-live', 'this challenge is paid with money: nothing can be simulated')
  if (isClosed(set, asset)) return refuse('challenge-closed', 'this challenge was paid, and takes no payment any more')
  return inTime(set, entry, now)
}

/** The entry of a live set that its payer signs a payment of. */
const payable = (state: ChallengeState, asset: string, now: string): { set: OpenSet; entry: ChallengeEntry } => {
  const { set, entry } = named(state, asset)
  if (set.test) return refuse('challenge-is-test')
  return isClosed(set, asset) ? { set, entry } : inTime(set, entry, now)
}

const named = (state: ChallengeState, asset: string): { set: OpenSet; entry: ChallengeEntry } => {
  if (state.status === 'none') return refuse('challenge-not-found')
  return { set: state, entry: state.entries.find((each) => each.asset === asset) ?? refuse('challenge-not-found') }
}

const inTime = (set: OpenSet, entry: ChallengeEntry, now: string) =>
  now > set.expiresAt ? refuse('challenge-expired', 'this challenge has expired') : { set, entry }

const settlement = (
  set: OpenSet,
  entry: ChallengeEntry,
  { challengeId, asset, transfer }: Payment,
  settledAt: string,
) => {
  const { amount, currency, usd, webhookUrl, test } = set
  const terms = { ...askedOf(entry), amount, currency, usd, webhookUrl, settledAt, test }
  return { type: 'ChallengeSettled', data: { ...placeOf(set, challengeId, asset), transfer, ...terms } } as const
}

const underpayment = (set: OpenSet, entry: ChallengeEntry, { challengeId, asset, transfer }: Payment) => {
  const { amount, currency, usd, test } = set
  const terms = { ...askedOf(entry), least: leastOf(entry), amount, currency, usd, test }
  return { type: 'ChallengeUnderpaid', data: { ...placeOf(set, challengeId, asset), transfer, ...terms } } as const
}

const placeOf = (
  { accountId, storeId, resId, paymentRequest }: OpenSet,
  challengeId: string,
  asset: string,
): Place => ({
  accountId,
  ...inStore(storeId),
  resId,
  challengeId,
  asset,
  ...(paymentRequest && { paymentRequest }),
})

const withSeen = (
  state: ChallengeState,
  asset: string,
  change: (seen: readonly Seen[]) => readonly Seen[],
): ChallengeState => {
  if (state.status === 'none') return state
  const { [asset]: seen = [], ...others } = state.detected
  const changed = change(seen)
  return { ...state, detected: changed.length > 0 ? { ...others, [asset]: changed } : others }
}
