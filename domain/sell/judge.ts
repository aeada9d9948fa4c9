import { coinOf } from '../assets.ts'
import { carriedOut } from '../gasless/authorization-terms.ts'
import { networkOf } from '../networks.ts'
import { refuse } from '../refusal.ts'
import type { ChallengeEntry, TransferData } from './challenge-terms.ts'

/** What a transfer is to a challenge. `not-this`: another coin, another address, or older than the challenge. */
export type Judgement = 'pays' | 'too-low' | 'late' | 'not-this'

/** What a refusal says of a transfer that is `not-this`. */
export const NOT_THIS = 'the transaction does not pay this challenge'

/** What a transfer is to one asset of a set, by itself: whether something else came first is for the caller to see (N-24, Q-55). */
export const judge = (
  set: Terms,
  asset: string,
  transfer: TransferData,
): { entry: ChallengeEntry; judgement: Judgement } => {
  const entry = set.entries.find((each) => each.asset === asset) ?? refuse('challenge-not-found')
  if (set.test) return refuse('challenge-is-test')
  // What was signed for this very challenge was taken in time, and its nonce tells it apart from anything older.
  const isKept = isKeptFor(set, asset, transfer)
  if (!isFor(entry, isKept ? { ...transfer, height: Number.MAX_SAFE_INTEGER } : transfer))
    return { entry, judgement: 'not-this' }
  if (transfer.minedAt > latest(set.expiresAt, entry.network) && !isKept) return { entry, judgement: 'late' }
  return { entry, judgement: BigInt(transfer.amount) < BigInt(leastOf(entry)) ? 'too-low' : 'pays' }
}

/**
 * Where blocks are minutes apart and say their time as their miner likes (BIP-113), a payment that was sent in time may be mined, or seem to
 * be, well after the hour: so many blocks more are waited for. Elsewhere a block's time is true to the second.
 */
const LATE_BLOCKS = 12

const latest = (expiresAt: string, network: string): string => {
  const { family, blockSeconds = 0 } = networkOf(network) ?? {}
  if (family !== 'bitcoin') return expiresAt
  return new Date(Date.parse(expiresAt) + LATE_BLOCKS * blockSeconds * 1_000).toISOString()
}

/** Whether a transfer carried out the authorization that the challenge is kept for. */
export const isKeptFor = ({ reserved }: Pick<Terms, 'reserved'>, asset: string, transfer: TransferData): boolean =>
  reserved[asset] !== undefined && reserved[asset] === carriedOut(transfer)

type Terms = {
  readonly entries: readonly ChallengeEntry[]
  readonly expiresAt: string
  readonly test: boolean
  readonly reserved: { readonly [asset: string]: string }
}

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
