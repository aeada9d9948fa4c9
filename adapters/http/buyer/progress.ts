import { type OpenSet, paidSoFar } from '../../../domain/selling/challenge-state.ts'
import { type ChallengeEntry, challengeParts } from '../../../domain/selling/challenge-terms.ts'
import type { Part } from '../../../domain/selling/judge.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { requestedSet } from '../../../domain/use-cases/selling/challenges/requested-set.ts'
import { restToPay } from '../../../domain/use-cases/selling/settling/reserve-rest.ts'
import type { Queries } from '../../../projections/index.ts'
import type { SettlementRow } from '../../../projections/selling/settlement-queries.ts'

/**
 * How far the payment of one challenge is, from what the log says and, for a payment that was seen, from how long its
 * chain is.
 */

export type PaymentProgress =
  | { readonly state: 'open' | 'expired' | 'elsewhere' }
  | {
      readonly state: 'seen'
      readonly hash: string
      readonly confirmations: number | undefined
      readonly required: number
    }
  | { readonly state: 'settled'; readonly hash: string }
  /** A part was paid; the rest can still be paid unless it is over. `hash` is of the newest part. */
  | {
      readonly state: 'underpaid'
      readonly hash: string
      readonly parts: number
      readonly paid: bigint
      readonly missing: bigint
      readonly isOver: boolean
    }

/** Milliseconds between two looks for a row that the log says must come, and how many looks there are. */
const ROW_LOOK_MS = 50
const ROW_LOOKS_MAX = 20

export type FollowedChallenge = { readonly challengeId: string; readonly set: OpenSet; readonly entry: ChallengeEntry }

/** The challenge as this process knows it; undefined when there is none of this id. */
export const followedChallenge = async (
  { ledger }: UseCaseContext,
  challengeId: string,
): Promise<FollowedChallenge | undefined> => {
  const parts = challengeParts(challengeId)
  const set = parts && (await ledger.challenge.recent(parts.setId))
  if (!set || set.status === 'none') return undefined
  const entry = set.entries.find(({ asset }) => asset === parts.asset)
  return entry && { challengeId, set: await requestedSet(ledger, set, 'recent'), entry }
}

export const progressOf = async (
  flow: UseCaseContext,
  { challengeId, set, entry }: FollowedChallenge,
): Promise<PaymentProgress> => {
  const { asset } = entry
  const settled = set.settled[asset]
  if (settled !== undefined) return { state: 'settled', hash: hashIn(settled) }
  const parts = set.parts[asset] ?? []
  const seen = (set.detected[asset] ?? []).filter(({ id }) => !parts.some((part) => part.id === id))
  if (seen.length > 0) return deepest(flow, entry, seen)
  if (parts.length > 0) return partlyPaid(flow, { challengeId, set, entry }, parts)
  const { [asset]: played } = set.simulated
  if (played)
    return { state: 'seen', hash: played.tx, confirmations: played.confirmations, required: entry.confirmations }
  if (await isPaidElsewhere(flow, challengeId, set)) return { state: 'elsewhere' }
  return { state: flow.world.now().toISOString() > set.expiresAt ? 'expired' : 'open' }
}

/**
 * The rows of a challenge. The log is ahead of them by a moment, and a receipt is read once, so this waits for the row
 * that the receipt must have.
 */
export const rowsOf = async (
  { flow, queries }: { flow: UseCaseContext; queries: Queries },
  challengeId: string,
  progress: PaymentProgress,
): Promise<readonly SettlementRow[]> => {
  for (let look = 1; ; look++) {
    const rows = await queries.settlementsOf(challengeId)
    const isThere =
      !('hash' in progress) || progress.state === 'seen' || rows.some(({ hash }) => hash === progress.hash)
    if (isThere || look >= ROW_LOOKS_MAX) return rows
    await flow.world.pause(ROW_LOOK_MS)
  }
}

/** A word for the progress, which changes whenever the page would. */
export const nameOf = (progress: PaymentProgress): string => {
  if (progress.state === 'seen') return `seen-${progress.confirmations ?? 0}`
  return progress.state === 'underpaid' && !progress.isOver ? `underpaid-${progress.parts}` : progress.state
}

/** Whether nothing changes any more that a page need wait for. */
export const isOver = (progress: PaymentProgress): boolean =>
  progress.state === 'underpaid' ? progress.isOver : progress.state !== 'open' && progress.state !== 'seen'

const partlyPaid = async (
  flow: UseCaseContext,
  { challengeId, set, entry }: FollowedChallenge,
  parts: readonly Part[],
): Promise<PaymentProgress> => ({
  state: 'underpaid',
  hash: hashIn(parts.at(-1)?.id ?? ''),
  parts: parts.length,
  paid: paidSoFar(set, entry.asset),
  missing: await restToPay(flow.ledger, set, challengeId),
  isOver: flow.world.now().toISOString() > set.expiresAt || (await isPaidElsewhere(flow, challengeId, set)),
})

/** The chain may not answer; then it is only known that the payment was seen. */
const deepest = async (
  flow: UseCaseContext,
  entry: ChallengeEntry,
  seen: readonly { tx: string; height: number }[],
): Promise<PaymentProgress> => {
  const [first] = seen.toSorted((a, b) => a.height - b.height)
  const chain = flow.chains.get(entry.network)
  const head = chain && (await flow.headNow(chain).catch(() => undefined))
  const blocks = head && first && Math.max(0, head.height - first.height + 1)
  const confirmations = blocks === undefined ? undefined : Math.min(blocks, entry.confirmations)
  return { state: 'seen', hash: first?.tx ?? '', confirmations, required: entry.confirmations }
}

/** A request takes one payment, whichever of its challenges it came for (J-PRQ-03). */
const isPaidElsewhere = async ({ ledger }: UseCaseContext, challengeId: string, { paymentRequest }: OpenSet) => {
  if (!paymentRequest) return false
  const request = await ledger.paymentRequest.recent(paymentRequest.requestId)
  return request.status === 'paid' && request.paidBy !== challengeId
}

/** The hash in the id of a transfer: of `eth:0xabc…:native` it is `0xabc…`. */
const hashIn = (transferId: string): string => transferId.split(':')[1] ?? ''
