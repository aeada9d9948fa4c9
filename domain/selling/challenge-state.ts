import type { Units } from '../kernel/money.ts'
import { carriedOut } from './authorization-terms.ts'
import type { ChallengeEvents } from './challenge-events.ts'
import { type TransferData, transferId } from './challenge-terms.ts'
import { isKeptFor, type Part, paidBefore, type ReversalCounts } from './judge.ts'

/** What a set of challenges has come to, and what can be asked of it. */

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
   * By asset: what was seen, what settled it, what was paid in parts. All are bounded by the entries, DETECTED_MAX and
   * PARTS_MAX.
   */
  detected: { readonly [asset: string]: readonly UnconfirmedPayment[] }
  settled: { readonly [asset: string]: string }
  parts: { readonly [asset: string]: readonly Part[] }
  /** By asset: what made it enough, while it is settled. */
  last: { readonly [asset: string]: LastPayment }
  /** By asset: what was booked and is not in the chain any more, or was not for a while. */
  gone: { readonly [asset: string]: ReversalCounts }
  /** By asset: how often a settlement of it did not stand. */
  rounds: { readonly [asset: string]: number }
  /** By asset: the authorization that it is kept for. */
  reserved: { readonly [asset: string]: string }
  /** By asset: the simulated payment that was played last. */
  simulated: { readonly [asset: string]: { readonly tx: string; readonly confirmations: number } }
}
type LastPayment = Part & {
  readonly payer: string
  /** The authorization that it carried out, and all of the transfer then. */
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
  return isSame && settled[asset] !== undefined && settled[asset] !== transferId(transfer)
}

/** What came so far for an asset of the set that has not settled, in its smallest unit. */
export const paidSoFar = (set: OpenSet, asset: string): bigint => paidBefore(set, asset, '')

/** What waits for confirmations and is not booked yet, in the smallest unit; one transfer may be left out. */
export const seenSoFar = ({ detected, parts }: OpenSet, asset: string, without?: string): bigint =>
  (detected[asset] ?? [])
    .filter(({ id }) => id !== without && !parts[asset]?.some((part) => part.id === id))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)

/** Parts of one price: each is at least a hundredth of it, so that no more can be needed. */
export const PARTS_MAX = 100
