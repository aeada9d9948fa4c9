import { carriedOut } from './authorization-terms.ts'
import type { ChallengeEvents, ChallengeRef, Reversal, VoidedSettlement } from './challenge-events.ts'
import { type ChallengeState, carriesOn, type OpenSet, worthOfEntry } from './challenge-state.ts'
import { askedOf, type ChallengeEntry, type TransferData, transferId } from './challenge-terms.ts'
import { leastOf, type Part, type ReversalCounts, timesGone } from './judge.ts'

/**
 * A payment that was booked and is not in the chain any more (N-24, N-25): what of a set stands without it, and what a
 * set remembers of it.
 */

/** The most payments of one challenge that are remembered as taken back; the oldest are forgotten first. */
const GONE_MAX = 64

/** `times`: how often the transfer was taken back, this time included. */
export type ReversalRequest = {
  challengeId: string
  asset: string
  transfer: TransferData
  times: number
  reason: Reversal
}

type PaymentReversal = ChallengeEvents['PaymentReversed']

/** Whether a transfer settled an asset of the set, or is a part of its price. */
export const isBooked = ({ settled, parts }: OpenSet, asset: string, id: string): boolean =>
  settled[asset] === id || (parts[asset] ?? []).some((part) => part.id === id)

/**
 * The event that moves a settlement to another transaction; undefined unless the transfer carries out again what had
 * settled it.
 */
export const movedTo = (
  set: OpenSet,
  entry: ChallengeEntry,
  place: ChallengeRef,
  transfer: TransferData,
  now: string,
): ChallengeEvents['SettlementMoved'] | undefined => {
  const { asset } = place
  const from = set.last[asset]?.signed?.transfer
  if (!from || !carriesOn(set, asset, transfer)) return undefined
  const { amount, currency, usd, test } = set
  const times = timesGone(set, asset, transferId(from)) + 1
  return { ...place, from, transfer, times, ...askedOf(entry), amount, currency, usd, settledAt: now, test }
}

/** The event of a reversal; undefined when the transfer is not booked, or was taken back this often before. */
export const reversalOf = (
  set: OpenSet,
  entry: ChallengeEntry,
  place: ChallengeRef,
  { transfer, times, reason }: ReversalRequest,
  now: string,
): PaymentReversal | undefined => {
  const { asset } = place
  const id = transferId(transfer)
  if (!isBooked(set, asset, id) || timesGone(set, asset, id) >= times) return undefined
  const { amount, currency, usd, vat, test } = set
  const paid = total(countedFor(set, asset))
  const unsettled = unsettledBy(set, entry, id)
  const stands = unsettled === undefined && set.settled[asset] !== undefined
  return {
    ...place,
    transfer,
    times,
    reason,
    ...(unsettled && { unsettled }),
    ...(stands && { stands }),
    ...(vat !== undefined && { vat }),
    ...askedOf(entry),
    ...(paid !== BigInt(transfer.amount) && { paid: String(paid) }),
    amount,
    currency,
    usd,
    ...worthOfEntry(set, entry),
    test,
    reversedAt: now,
  }
}

/**
 * The settlement that does not stand without a transfer; undefined where nothing was settled, or what is left is
 * enough.
 */
const unsettledBy = (set: OpenSet, entry: ChallengeEntry, id: string): VoidedSettlement | undefined => {
  const { asset } = entry
  const last = set.last[asset]
  if (!last) return undefined
  const left = countedFor(set, asset).filter((part) => part.id !== id)
  if (total(left) >= BigInt(leastOf(entry))) return undefined
  const round = set.rounds[asset] ?? 0
  const parts = left.map((part) => part.id)
  return { transferId: last.id, payer: last.payer, round, ...(parts.length > 0 && { parts }) }
}

/** All payments that count for an asset: its parts, and the one that completed the price. */
export const countedFor = ({ parts, last }: OpenSet, asset: string): readonly Part[] => {
  const others = parts[asset] ?? []
  const newest = last[asset]
  return newest && !others.some(({ id }) => id === newest.id) ? [...others, newest] : others
}

const total = (parts: readonly Part[]): bigint => parts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)

export const withoutReversed = (
  state: ChallengeState,
  { asset, transfer, times, unsettled }: PaymentReversal,
): ChallengeState => {
  if (state.status === 'none') return state
  const id = transferId(transfer)
  const counted = unsettled ? countedFor(state, asset) : (state.parts[asset] ?? [])
  const left = counted.filter((part) => part.id !== id).map(({ id: own, amount }) => ({ id: own, amount }))
  const seen = (state.detected[asset] ?? []).filter((each) => each.id !== id)
  return {
    ...state,
    parts: withList(state.parts, asset, left),
    detected: withList(state.detected, asset, seen),
    gone: { ...state.gone, [asset]: withGone(state.gone[asset], id, times) },
    ...(unsettled && {
      settled: without(state.settled, asset),
      last: without(state.last, asset),
      rounds: { ...state.rounds, [asset]: unsettled.round + 1 },
    }),
  }
}

/** The set after a transfer has completed the price of an asset. */
export const settledBy = (
  state: OpenSet,
  asset: string,
  transfer: TransferData,
  again: number | undefined,
): OpenSet => {
  const { amount, from: payer } = transfer
  const id = transferId(transfer)
  const authorization = carriedOut(transfer)
  const signed = authorization === undefined ? undefined : { id: authorization, transfer }
  return {
    ...state,
    settled: { ...state.settled, [asset]: id },
    last: { ...state.last, [asset]: { id, amount, payer, ...(signed && { signed }) } },
    gone: withAgain(state.gone, asset, id, again),
  }
}

/**
 * Notes how often a transfer that came again had been taken back: a booking that knew it from before is out of date.
 */
export const withAgain = (gone: OpenSet['gone'], asset: string, id: string, again: number | undefined) =>
  again === undefined ? gone : { ...gone, [asset]: withGone(gone[asset], id, again) }

const withGone = (gone: ReversalCounts = {}, id: string, times: number): ReversalCounts => {
  const { [id]: _, ...others } = gone
  return Object.fromEntries([...Object.entries(others), [id, times] as const].slice(-GONE_MAX))
}

type ByAsset<T> = { readonly [asset: string]: T }

const without = <T>(all: ByAsset<T>, asset: string): ByAsset<T> => {
  const { [asset]: _, ...others } = all
  return others
}

const withList = <T>(all: ByAsset<readonly T[]>, asset: string, list: readonly T[]): ByAsset<readonly T[]> =>
  list.length > 0 ? { ...all, [asset]: list } : without(all, asset)
