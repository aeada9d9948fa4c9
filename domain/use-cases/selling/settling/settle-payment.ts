import { inStore } from '../../../kernel/in-store.ts'
import type { Transfer } from '../../../kernel/ports.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import type { Booking } from '../../../selling/challenge-events.ts'
import {
  type ChallengeState,
  carriesOn,
  isClosed,
  isOpenTo,
  type OpenSet,
  PARTS_MAX,
  worthOfEntry,
} from '../../../selling/challenge-state.ts'
import { challengeParts, type TransferData, transferId } from '../../../selling/challenge-terms.ts'
import { isEnough, isKeptFor, judge, NOT_THIS, timesGone } from '../../../selling/judge.ts'
import { isBooked } from '../../../selling/reversal.ts'
import type { AsideReason } from '../../../selling/transfers/transfer-events.ts'
import { heldBy, isInStock } from '../../../storefront/stock-loans.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { isPaidElsewhere, paysRequest } from '../challenges/pays-request.ts'
import { requestedSet } from '../challenges/requested-set.ts'
import { goodsOf, holderOf } from '../stock/goods.ts'
import { claimPieces } from '../stock/lend-pieces.ts'
import { reserveRest } from './reserve-rest.ts'

/** What became of a confirmed transfer that was meant for a challenge. */
export type TransferOutcome = 'settled' | 'underpaid' | 'late' | 'doubled' | 'sold_out'

/**
 * Books a confirmed transfer for the challenge it is meant for: it is claimed first, then the challenge settles with it
 * (I-SET-01), or it is a part of the price; money that settles nothing is set aside (N-24). Every step is quiet when
 * repeated, so whoever comes first (watcher, buyer, seller) and whoever comes again end in one settlement (X-IDEM-04).
 * `voices` is how many providers said that the transfer is there.
 * Refuses `challenge-not-found`, `challenge-is-test`, `payment-not-matching`, `transfer-taken`.
 */
export const settlePayment = async (
  ledger: Ledger,
  challengeId: string,
  transfer: TransferData,
  voices?: number,
): Promise<TransferOutcome> => {
  const { setId, asset } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const set = await readSet(ledger, setId, asset, transfer)
  const known = outcomeIn(set, asset, transferId(transfer))
  if (known) return known
  const { judgement } = judge(set, asset, transfer)
  if (judgement === 'not-this') return refuse('payment-not-matching', NOT_THIS)
  const payment = { accountId: set.accountId, challengeId, asset, transfer, ...(voices !== undefined && { voices }) }
  if (judgement === 'late')
    return setAside(ledger, set, payment, (await isSoldOut(ledger, set, setId, transfer)) ? 'sold_out' : 'late')
  if (!isOpenTo(set, asset, transfer) && !carriesOn(set, asset, transfer))
    return setAside(ledger, set, payment, 'doubled')
  const { state } = await ledger.transfer.claim(transferId(transfer), payment)
  return finishSettlement(ledger, state.reversed > 0 ? { ...payment, again: state.reversed } : payment)
}

/**
 * Reads a set, and first takes back from it what the transfer's own stream has taken back: the process that wrote the
 * one may have died before the other. Refuses `challenge-not-found`.
 */
export const readSet = async (
  ledger: Ledger,
  setId: string,
  asset: string,
  transfer: TransferData,
): Promise<OpenSet> => {
  const found = await ledger.challenge.read(setId)
  if (found.status === 'none') return refuse('challenge-not-found')
  const set = await requestedSet(ledger, found)
  const id = transferId(transfer)
  if (set.test || !isBooked(set, asset, id)) return set
  const { reversed: times } = await ledger.transfer.read(id)
  if (timesGone(set, asset, id) >= times) return set
  const challengeId = `${setId}.${asset}`
  const { state } = await ledger.challenge.reverse(setId, {
    challengeId,
    asset,
    transfer,
    times,
    reason: 'reorganised',
  })
  return state.status === 'none' ? refuse('challenge-not-found') : requestedSet(ledger, state)
}

/** A transfer, the challenge it is meant for, and the seller whose money it is. */
export type Payment = { accountId: string; challengeId: string; asset: string; transfer: TransferData } & Booking

/**
 * Whether a set, as far as it is known, has settled by a payment as it was claimed: then nothing is left to be done
 * about that claim. One that was claimed anew settles the set anew.
 */
export const isSettledBy = (
  set: ChallengeState,
  { asset, transfer, again = 0 }: Pick<Payment, 'asset' | 'transfer' | 'again'>,
): boolean => {
  const id = transferId(transfer)
  return set.status === 'open' && set.settled[asset] === id && timesGone(set, asset, id) === again
}

/** Times that a challenge is looked at while other payments change it. */
const LOOKS_MAX = 8

/**
 * Books a transfer that was claimed for its challenge, unless that settled by another one, or its payment request
 * was paid, or its cart canceled, in between. What its seller has matched is never late. Refuses `transfer-taken`
 * when it was taken back since it was claimed.
 */
export const finishSettlement = async (
  ledger: Ledger,
  { accountId, challengeId, asset, transfer, matched, inBooks, holder, again, voices }: Payment,
): Promise<TransferOutcome> => {
  const { setId } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  const booking = {
    ...(matched && { matched }),
    ...(inBooks && { inBooks }),
    ...(holder !== undefined && { holder }),
    ...(again && { again }),
    ...(voices !== undefined && { voices }),
  }
  const payment = { accountId, challengeId, asset, transfer, ...booking }
  for (let look = 0; look < LOOKS_MAX; look++) {
    const set = await setOf(ledger, setId, payment)
    const outcome = (await isPaidElsewhere(ledger, set, challengeId))
      ? await setAside(ledger, set, payment, 'doubled')
      : await bookOn(ledger, setId, set, payment)
    if (outcome) return outcome
  }
  return refuse('busy', 'other payments of this challenge are being booked')
}

/** The set that a payment was claimed for. Refuses `transfer-taken` when the payment was taken back since. */
const setOf = async (ledger: Ledger, setId: string, { asset, transfer, again = 0 }: Payment): Promise<OpenSet> => {
  const set = await readSet(ledger, setId, asset, transfer)
  return timesGone(set, asset, transferId(transfer)) > again
    ? refuse('transfer-taken', 'this payment was taken back meanwhile')
    : set
}

/**
 * Books a payment on the set as it was read. Undefined when the challenge has changed meanwhile, and has to be looked
 * at once more.
 */
const bookOn = async (
  ledger: Ledger,
  setId: string,
  set: OpenSet,
  payment: Payment,
): Promise<TransferOutcome | undefined> => {
  const { challengeId, asset, transfer } = payment
  const known = outcomeIn(set, asset, transferId(transfer))
  if (known === 'settled') return known
  if (known === 'underpaid') {
    await reserveRest(ledger, set, challengeId)
    return known
  }
  const entry = set.entries.find((each) => each.asset === asset) ?? refuse('challenge-not-found')
  if (carriesOn(set, asset, transfer)) return (await settle(ledger, setId, payment)) ? 'settled' : undefined
  // Its cart was canceled after the transfer was claimed.
  if (set.shut && !payment.matched && !isKeptFor(set, asset, transfer)) return setAside(ledger, set, payment, 'late')
  if (!isOpenTo(set, asset, transfer)) return setAside(ledger, set, payment, 'doubled')
  if (!isEnough(set, entry, transfer)) {
    if ((set.parts[asset] ?? []).length >= PARTS_MAX) return setAside(ledger, set, payment, 'doubled')
    await ledger.challenge.add(setId, payment)
    return undefined
  }
  const sale = { ...set, paymentId: challengeId, setId }
  if (!(await claimPieces(ledger, sale, paymentOf(payment)))) return withoutPieces(ledger, setId, payment)
  if (!(await paysRequest(ledger, set, challengeId, set.rounds[asset])))
    return setAside(ledger, set, payment, 'doubled')
  return (await settle(ledger, setId, payment)) ? 'settled' : setAside(ledger, set, payment, 'doubled')
}

/**
 * Sets a payment aside that there is no piece for, unless another process has settled this very payment meanwhile: then
 * its pieces are gone because it has bought them.
 */
const withoutPieces = async (ledger: Ledger, setId: string, payment: Payment): Promise<TransferOutcome> => {
  const set = await setOf(ledger, setId, payment)
  const isSettled = outcomeIn(set, payment.asset, transferId(payment.transfer)) === 'settled'
  return isSettled ? 'settled' : setAside(ledger, set, payment, 'sold_out')
}

/** Names a payment for its pieces: one that was taken back and came again is looked at anew. */
export const paymentOf = ({ transfer, again = 0 }: Pick<Payment, 'transfer' | 'again'>): string =>
  `${transferId(transfer)}#${again}`

/** Whether there was no piece of what a payment was meant for when it was made too late: then nothing can be sold. */
const isSoldOut = async (ledger: Ledger, set: OpenSet, setId: string, { minedAt }: TransferData): Promise<boolean> => {
  for (const { productId, quantity } of await goodsOf(ledger, set)) {
    const state = await ledger.stock.recent(productId)
    if (!heldBy(state, holderOf(set, setId), minedAt) && !isInStock(state, minedAt, quantity)) return true
  }
  return false
}

/**
 * What a transfer has become for an asset of a set; undefined when it is booked there neither as the payment nor as a
 * part of it.
 */
const outcomeIn = (set: OpenSet, asset: string, id: string): 'settled' | 'underpaid' | undefined => {
  if (set.settled[asset] === id) return 'settled'
  if (!set.parts[asset]?.some((part) => part.id === id)) return undefined
  return isClosed(set, asset) ? 'settled' : 'underpaid'
}

/** Settles the challenge. False when another payment settled it first, or it is kept for another. */
const settle = async (ledger: Ledger, setId: string, payment: Payment): Promise<boolean> => {
  const { asset, transfer } = payment
  try {
    const { state } = await ledger.challenge.settle(setId, payment)
    return state.status === 'open' && state.settled[asset] === transferId(transfer)
  } catch (error) {
    if (isRefusal(error, 'already-paid')) return false
    throw error
  }
}

/** Sets money aside that settles nothing, with what it was meant for. */
export const setAside = async <R extends AsideReason>(
  ledger: Ledger,
  set: OpenSet,
  { accountId, challengeId, asset, transfer }: Payment,
  reason: R,
): Promise<R> => {
  const { entries, storeId, resId, amount, currency, usd, paymentRequest } = set
  const entry = entries.find((each) => each.asset === asset)
  await ledger.transfer.setAside(transferId(transfer), {
    accountId,
    ...inStore(storeId),
    challengeId,
    asset,
    ...(entry?.decimals !== undefined && { decimals: entry.decimals }),
    reason,
    transfer,
    resId,
    ...(paymentRequest && { transactionId: paymentRequest.transactionId }),
    amount,
    currency,
    ...(entry && { asked: entry.amount, usd, ...worthOfEntry(set, entry) }),
  })
  return reason
}

/** A transfer as an event keeps it: the amount as text. */
export const transferData = (transfer: Transfer): TransferData => ({ ...transfer, amount: String(transfer.amount) })
