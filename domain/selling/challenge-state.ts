import type { Units } from '../kernel/money.ts'
import { carriedOut } from './authorization-terms.ts'
import type { ChallengeEvents } from './challenge-events.ts'
import { type ChallengeEntry, type TransferData, transferId } from './challenge-terms.ts'
import { isKeptFor, type Part, paidBefore, type ReversalCounts } from './judge.ts'
import { type LockedWorth, lockedWorth } from './sale-rate.ts'

/** The state of a set of challenges, and the questions that can be asked of it. */

/** A payment that waits for confirmations. */
export type UnconfirmedPayment = {
  readonly id: string
  readonly tx: string
  readonly height: number
  readonly amount: Units
}

export type OpenSet = ChallengeEvents['ChallengeOpened'] & {
  status: 'open'
  /**
   * Keyed by asset: payments that wait for confirmations, the transfer that settled it, and its parts. All are bounded
   * by the entries, DETECTED_MAX and PARTS_MAX.
   */
  detected: { readonly [asset: string]: readonly UnconfirmedPayment[] }
  settled: { readonly [asset: string]: string }
  parts: { readonly [asset: string]: readonly Part[] }
  /** Keyed by asset: the payment that completed the price, while it is settled. */
  last: { readonly [asset: string]: LastPayment }
  /** Keyed by asset: booked transfers that are not in the chain any more, or were not for a while. */
  gone: { readonly [asset: string]: ReversalCounts }
  /** Keyed by asset: number of its settlements that did not stand. */
  rounds: { readonly [asset: string]: number }
  /** Keyed by asset: the authorization that it is reserved for. */
  reserved: { readonly [asset: string]: string }
  /** Keyed by asset: the payment that was simulated last. */
  simulated: { readonly [asset: string]: { readonly tx: string; readonly confirmations: number } }
  /** Keyed by asset: the payment that was simulated to have come too late. */
  late?: { readonly [asset: string]: string }
  /** Set where its cart was canceled, which is not written here: nothing more is taken, whenever it was mined. */
  shut?: true
}
type LastPayment = Part & {
  readonly payer: string
  /** The authorization that it carried out, and the whole transfer; absent for a plain payment. */
  readonly signed?: { readonly id: string; readonly transfer: TransferData }
}
export type ChallengeState = { status: 'none' } | OpenSet

/**
 * Whether an asset of the set takes no payment any more, because it has settled. What was paid in part can still be
 * paid (N-25).
 */
export const isClosed = ({ settled }: OpenSet, asset: string): boolean => settled[asset] !== undefined

/** Whether a transfer may still pay for an asset of the set: nothing has, and it is not kept for another payment. */
export const isOpenTo = (set: OpenSet, asset: string, transfer: TransferData): boolean =>
  !isClosed(set, asset) && (set.reserved[asset] === undefined || isKeptFor(set, asset, transfer))

/**
 * Whether a transfer carried out the very authorization that has settled an asset of the set, in another transaction.
 */
export const carriesOn = ({ settled, last }: OpenSet, asset: string, transfer: TransferData): boolean => {
  const id = carriedOut(transfer)
  const isSame = id !== undefined && last[asset]?.signed?.id === id
  return isSame && settled[asset] !== transferId(transfer)
}

/** What the price came to for an entry of the set when it was locked. */
export const worthOfEntry = ({ ownPrice }: OpenSet, { rateSource }: ChallengeEntry): LockedWorth =>
  lockedWorth({ rateSource, ownPrice })

/** What came so far for an asset of the set that has not settled, in its smallest unit. */
export const paidSoFar = (set: OpenSet, asset: string): bigint => paidBefore(set, asset, '')

/**
 * The sum of payments that wait for confirmations and are not booked yet, in the smallest unit; one transfer may be
 * left out.
 */
export const seenSoFar = ({ detected, parts }: OpenSet, asset: string, without?: string): bigint =>
  (detected[asset] ?? [])
    .filter(({ id }) => id !== without && !parts[asset]?.some((part) => part.id === id))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/** The most parts of one price: each is at least a hundredth of it, so that no more can be needed. */
export const PARTS_MAX = 100
