import { decider, whenExists } from '../kernel/decider.ts'
import { inStore } from '../kernel/in-store.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'
import type { Booking, ChallengeEvents, ChallengeRef } from './challenge-events.ts'
import {
  type ChallengeState,
  isClosed,
  isOpenTo,
  type OpenSet,
  PARTS_MAX,
  type UnconfirmedPayment,
  worthOfEntry,
} from './challenge-state.ts'
import { askedOf, type ChallengeEntry, madeUp, type TransferData, transferId } from './challenge-terms.ts'
import { isEnough, judge, leastOf, NOT_THIS, paidBefore, timesGone } from './judge.ts'
import { endedEarly, lateSimulation } from './late-simulation.ts'
import { movedTo, type ReversalRequest, reversalOf, settledBy, withAgain, withoutReversed } from './reversal.ts'

/**
 * One answer to "how can I pay this?": a set of challenges, one per accepted asset, each of which may settle once
 * (I-SET-01). The set is one stream and one event, so a 402 costs one append; a challenge's id is the set's id, a dot,
 * and the asset.
 */

type Payment = { challengeId: string; asset: string; transfer: TransferData }
export type ChallengeCommands = {
  open: ChallengeEvents['ChallengeOpened']
  /** `required` replaces the challenge's own number, for a payment that needs fewer or more confirmations. */
  detect: Payment & { confirmations: number; required?: number }
  retract: { challengeId: string; asset: string; transferId: string }
  reserve: { challengeId: string; asset: string; authorizationId: string }
  release: { challengeId: string; asset: string; authorizationId: string }
  /** Books the payment that completes the price. Refuses `payment-too-low` when it does not. */
  settle: Payment & Booking
  /** Books a part of the price. Does nothing when the part completes it, because then `settle` books it. */
  add: Payment & Booking
  /**
   * Takes back a booked payment that is not in the chain any more. Does nothing when the payment is not booked, or when
   * it was taken back this often before.
   */
  reverse: ReversalRequest
  /**
   * Adds confirmations to a made-up payment of a test challenge; `tx` is its hash, `amount` what was asked unless
   * given.
   */
  simulate: { challengeId: string; asset: string; added: number; tx: string; amount?: Units }
  /** Ends the time of a test challenge, and has a made-up payment come afterwards. */
  simulateLate: { challengeId: string; asset: string; tx: string }
}

/**
 * The most payments of one challenge that wait for confirmations at once. Each is at least a hundredth of the price, so
 * whoever fills this up has paid it more than once.
 */
const DETECTED_MAX = 128

export const challenge = decider<ChallengeEvents, ChallengeCommands, ChallengeState>({
  category: 'challenge',
  stateVersion: 7,
  initial: { status: 'none' },
  begins: ['open'],
  decide: {
    open: (state, data) => (state.status === 'none' ? [{ type: 'ChallengeOpened', data }] : refuse('id-taken')),
    detect: (state, { challengeId, asset, transfer, confirmations, ...rest }) => {
      const { set, entry } = judged(state, asset, transfer, ['pays', 'adds'])
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
      const taken = set.reserved[asset] ?? set.detected[asset]?.[0]?.id ?? set.parts[asset]?.[0]?.id
      if (taken !== undefined || isClosed(set, asset)) return refuse('already-paid', 'this challenge is being paid')
      return [{ type: 'ChallengeReserved', data: { ...placeOf(set, challengeId, asset), authorizationId } }]
    },
    release: (state, { challengeId, asset, authorizationId }) => {
      if (state.status === 'none') return refuse('challenge-not-found')
      if (state.reserved[asset] !== authorizationId || isClosed(state, asset)) return []
      return [{ type: 'ChallengeReleased', data: { ...placeOf(state, challengeId, asset), authorizationId } }]
    },
    settle: (state, { challengeId, asset, transfer, ...booking }, now) => {
      const { set, entry } = booked(state, asset, transfer, booking)
      if (isBehind(set, asset, transfer, booking)) return []
      const moved = movedTo(set, entry, placeOf(set, challengeId, asset), transfer, now)
      if (moved) return [{ type: 'SettlementMoved', data: { ...moved, ...booking } }]
      if (set.settled[asset] !== undefined) return []
      if (!isOpenTo(set, asset, transfer)) return refuse('already-paid', 'the challenge is kept for another payment')
      if (!isEnough(set, entry, transfer)) return refuse('payment-too-low')
      return [settlement(set, entry, { challengeId, asset, transfer, ...booking }, now)]
    },
    add: (state, { challengeId, asset, transfer, ...booking }) => {
      const { set, entry } = booked(state, asset, transfer, booking)
      const parts = set.parts[asset] ?? []
      if (isBehind(set, asset, transfer, booking)) return []
      if (!isOpenTo(set, asset, transfer) || parts.some(({ id }) => id === transferId(transfer))) return []
      if (isEnough(set, entry, transfer) || parts.length >= PARTS_MAX) return []
      return [underpayment(set, entry, { challengeId, asset, transfer, ...booking })]
    },
    reverse: (state, command, now) => {
      const { challengeId, asset } = command
      const { set, entry } = named(state, asset)
      const data = reversalOf(set, entry, placeOf(set, challengeId, asset), command, now)
      return data ? [{ type: 'PaymentReversed', data }] : []
    },
    simulate: (state, { challengeId, asset, added, tx, amount }, now) => {
      const { set, entry } = simulatable(state, asset, now)
      const { [asset]: played } = set.simulated
      const confirmations = (played?.tx === tx ? played.confirmations : 0) + added
      const required = entry.confirmations
      const transfer = madeUp(entry, tx, amount ?? entry.amount, now)
      if (set.parts[asset]?.some(({ id }) => id === transferId(transfer)))
        return refuse('challenge-closed', 'this very payment was simulated before: simulate what is missing')
      const data = { ...placeOf(set, challengeId, asset), transfer, added, confirmations, required }
      const seen = { type: 'PaymentSimulated', data } as const
      if (confirmations < required) return [seen]
      const payment = { challengeId, asset, transfer }
      return [
        seen,
        isEnough(set, entry, transfer) ? settlement(set, entry, payment, now) : underpayment(set, entry, payment),
      ]
    },
    simulateLate: (state, { challengeId, asset, tx }, now) => {
      const { set, entry } = named(state, asset)
      return lateSimulation(set, entry, placeOf(set, challengeId, asset), tx, now)
    },
  },
  evolve: {
    LatePaymentSimulated: endedEarly,
    ChallengeOpened: (_, data) => ({
      ...data,
      status: 'open',
      detected: {},
      settled: {},
      parts: {},
      last: {},
      gone: {},
      rounds: {},
      reserved: {},
      simulated: {},
    }),
    PaymentDetected: (state, { asset, transfer }) => {
      const id = transferId(transfer)
      const seen = { id, tx: transfer.tx, height: transfer.height, amount: transfer.amount }
      return withSeen(state, asset, (others) => [...others.filter((each) => each.id !== id), seen])
    },
    PaymentSimulated: whenExists((state, { asset, transfer: { tx }, confirmations }) => ({
      ...state,
      simulated: { ...state.simulated, [asset]: { tx, confirmations } },
    })),
    PaymentRetracted: (state, { asset, transferId: id }) =>
      withSeen(state, asset, (all) => all.filter((each) => each.id !== id)),
    ChallengeReserved: whenExists((state, { asset, authorizationId }) => ({
      ...state,
      reserved: { ...state.reserved, [asset]: authorizationId },
    })),
    ChallengeReleased: (state, { asset }) => {
      if (state.status === 'none') return state
      const { [asset]: _, ...reserved } = state.reserved
      return { ...state, reserved }
    },
    ChallengeSettled: whenExists((state, { asset, transfer, again }) => settledBy(state, asset, transfer, again)),
    SettlementMoved: (state, { asset, from, times, transfer, again }) => {
      if (state.status === 'none') return state
      const moved = settledBy(state, asset, transfer, again)
      return { ...moved, gone: withAgain(moved.gone, asset, transferId(from), times) }
    },
    ChallengeUnderpaid: (state, { asset, transfer, again }) => {
      if (state.status === 'none') return state
      const part = { id: transferId(transfer), amount: transfer.amount }
      return {
        ...state,
        parts: { ...state.parts, [asset]: [...(state.parts[asset] ?? []), part] },
        gone: withAgain(state.gone, asset, part.id, again),
      }
    },
    PaymentReversed: withoutReversed,
  },
})

/** Whether the transfer was taken back after its booking was prepared, which knew of `again` times. */
const isBehind = (set: OpenSet, asset: string, transfer: TransferData, { again = 0 }: Booking): boolean =>
  timesGone(set, asset, transferId(transfer)) > again

/** The set and entry that a payment is booked for. A payment that the seller matched is not judged. */
const booked = (state: ChallengeState, asset: string, transfer: TransferData, { matched }: Booking) =>
  matched ? named(state, asset) : judged(state, asset, transfer, ['pays', 'adds'])

const judged = (
  state: ChallengeState,
  asset: string,
  transfer: TransferData,
  wanted: readonly ('pays' | 'adds')[],
): { set: OpenSet; entry: ChallengeEntry } => {
  if (state.status === 'none') return refuse('challenge-not-found')
  const { entry, judgement } = judge(state, asset, transfer)
  if (wanted.some((each) => each === judgement)) return { set: state, entry }
  if (judgement === 'late') return refuse('challenge-expired', 'the payment came after the challenge had expired')
  return refuse('payment-not-matching', NOT_THIS)
}

/** The entry of a test set that is still to be paid; a live one is settled by its chain alone (X-SBX-01). */
const simulatable = (state: ChallengeState, asset: string, now: string): { set: OpenSet; entry: ChallengeEntry } => {
  const { set, entry } = named(state, asset)
  if (!set.test) return refuse('challenge-is-live', 'this challenge is paid with money: nothing can be simulated')
  if (isClosed(set, asset)) return refuse('challenge-closed', 'this challenge was paid, and takes no payment any more')
  if ((set.parts[asset] ?? []).length >= PARTS_MAX)
    return refuse('challenge-closed', 'this challenge takes no more parts')
  return inTime(set, entry, now)
}

/** The entry of a live set for which its payer signs a payment. */
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
  { challengeId, asset, transfer, ...booking }: Payment & Booking,
  settledAt: string,
) => {
  const { amount, currency, usd, vat, webhookUrl, test } = set
  const parts = set.parts[asset]?.map(({ id }) => id)
  const paid = { ...askedOf(entry), ...sumOf(set, asset, transfer), ...(parts && { parts }) }
  const price = { amount, currency, usd, ...worthOfEntry(set, entry), ...(vat !== undefined && { vat }) }
  const terms = { ...paid, ...price, webhookUrl, settledAt, test }
  return {
    type: 'ChallengeSettled',
    data: { ...placeOf(set, challengeId, asset), transfer, ...terms, ...booking },
  } as const
}

const underpayment = (
  set: OpenSet,
  entry: ChallengeEntry,
  { challengeId, asset, transfer, ...booking }: Payment & Booking,
) => {
  const { amount, currency, usd, test } = set
  const due = { ...askedOf(entry), ...sumOf(set, asset, transfer), least: leastOf(entry) }
  const terms = { ...due, amount, currency, usd, ...worthOfEntry(set, entry), test }
  return {
    type: 'ChallengeUnderpaid',
    data: { ...placeOf(set, challengeId, asset), transfer, ...terms, ...booking },
  } as const
}

/** The sum of this transfer and all earlier parts; left out where nothing came before. */
const sumOf = (set: OpenSet, asset: string, transfer: TransferData): { paid?: Units } => {
  const before = paidBefore(set, asset, transferId(transfer))
  return before === 0n ? {} : { paid: String(before + BigInt(transfer.amount)) }
}

const placeOf = (
  { accountId, storeId, resId, paymentRequest }: OpenSet,
  challengeId: string,
  asset: string,
): ChallengeRef => ({
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
  change: (seen: readonly UnconfirmedPayment[]) => readonly UnconfirmedPayment[],
): ChallengeState => {
  if (state.status === 'none') return state
  const { [asset]: seen = [], ...others } = state.detected
  const changed = change(seen)
  return { ...state, detected: changed.length > 0 ? { ...others, [asset]: changed } : others }
}
