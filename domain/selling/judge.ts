import { coinOf } from '../kernel/assets.ts'
import type { Units } from '../kernel/money.ts'
import { networkOf } from '../kernel/networks.ts'
import { refuse } from '../kernel/refusal.ts'
import { carriedOut } from './authorization-terms.ts'
import { type ChallengeEntry, type TransferData, transferId } from './challenge-terms.ts'

/**
 * What a transfer is to a challenge. `pays`: with what came before, it is enough. `adds`: it is a part of the price.
 * `not-this`: another coin, another address, or older than the challenge.
 */
export type TransferFit = 'pays' | 'adds' | 'late' | 'not-this'

/** What a refusal says of a transfer that is `not-this`. */
export const NOT_THIS = 'the transaction does not pay this challenge'

/**
 * What a transfer is to one asset of a set, by itself: whether something else came first is for the caller to see
 * (N-24, Q-55).
 */
export const judge = (
  set: Terms,
  asset: string,
  transfer: TransferData,
): { entry: ChallengeEntry; judgement: TransferFit } => {
  const entry = set.entries.find((each) => each.asset === asset) ?? refuse('challenge-not-found')
  if (set.test) return refuse('challenge-is-test')
  // What was signed for this very challenge was taken in time, and its nonce tells it apart from anything older.
  const isKept = isKeptFor(set, asset, transfer)
  if (!isFor(entry, isKept ? { ...transfer, height: Number.MAX_SAFE_INTEGER } : transfer))
    return { entry, judgement: 'not-this' }
  // What had come in time is not late because its block was replaced.
  const wasInTime = timesGone(set, asset, transferId(transfer)) > 0
  const isOver = set.shut || transfer.minedAt > payableUntil(set.expiresAt, entry.network)
  if (isOver && !isKept && !wasInTime) return { entry, judgement: 'late' }
  return { entry, judgement: isEnough(set, entry, transfer) ? 'pays' : 'adds' }
}

/**
 * Where blocks are minutes apart and say their time as their miner likes (BIP-113), a payment that was sent in time may
 * be mined, or seem to be, well after the hour: the time of twelve more blocks is allowed. Elsewhere a block's time is
 * true to the second.
 */
const LATE_BLOCKS = 12

/** The latest time of a block in which a payment still counts. */
export const payableUntil = (expiresAt: string, network: string): string => {
  const { family, blockSeconds = 0 } = networkOf(network) ?? {}
  if (family !== 'bitcoin') return expiresAt
  return new Date(Date.parse(expiresAt) + LATE_BLOCKS * blockSeconds * 1_000).toISOString()
}

/** What came for an asset of a set in parts, without this very transfer. */
export const paidBefore = ({ parts }: Pick<Terms, 'parts'>, asset: string, id: string): bigint =>
  (parts[asset] ?? []).reduce((sum, part) => (part.id === id ? sum : sum + BigInt(part.amount)), 0n)

/** Whether a transfer is the least that counts as paid, together with the parts that came before it. */
export const isEnough = (set: Pick<Terms, 'parts'>, entry: ChallengeEntry, transfer: TransferData): boolean =>
  paidBefore(set, entry.asset, transferId(transfer)) + BigInt(transfer.amount) >= BigInt(leastOf(entry))

/** Whether a transfer carried out the authorization that the challenge is kept for. */
export const isKeptFor = ({ reserved }: Pick<Terms, 'reserved'>, asset: string, transfer: TransferData): boolean =>
  reserved[asset] !== undefined && reserved[asset] === carriedOut(transfer)

type Terms = {
  readonly entries: readonly ChallengeEntry[]
  readonly expiresAt: string
  readonly test: boolean
  readonly reserved: { readonly [asset: string]: string }
  readonly parts: { readonly [asset: string]: readonly Part[] }
  readonly gone: { readonly [asset: string]: ReversalCounts }
  readonly shut?: true
}

/** How often each transfer was taken back, keyed by its id. */
export type ReversalCounts = { readonly [transferId: string]: number }

/** How often a booked transfer was taken back, as far as a set knows. */
export const timesGone = ({ gone }: Pick<Terms, 'gone'>, asset: string, id: string): number => gone[asset]?.[id] ?? 0

/** A payment that was less than the seller takes: a part of the price. */
export type Part = { readonly id: string; readonly amount: Units }

/** Whether a transfer moves the entry's coin to the entry's address, in a block after it was issued. */
export const isFor = (
  entry: ChallengeEntry,
  transfer: Pick<TransferData, 'asset' | 'network' | 'to' | 'height'>,
): boolean =>
  transfer.asset === coinOf(entry) &&
  transfer.network === entry.network &&
  transfer.to === entry.payTo &&
  transfer.height > entry.heightAtIssue

/** The least that counts as paid, in the asset's smallest unit. */
export const leastOf = ({ amount, least }: ChallengeEntry): string => least ?? amount
