import type { Flow } from '../../../domain/flows/flow.ts'
import type { OpenSet } from '../../../domain/sell/challenge.ts'
import { type ChallengeEntry, challengeParts } from '../../../domain/sell/challenge-terms.ts'

/** How far the payment of one challenge is, from what the log says and, for a payment that was seen, from how long its chain is. */

export type Progress =
  | { readonly state: 'open' | 'expired' | 'elsewhere' }
  | {
      readonly state: 'seen'
      readonly hash: string
      readonly confirmations: number | undefined
      readonly required: number
    }
  | { readonly state: 'settled' | 'underpaid'; readonly hash: string }

export type Followed = { readonly challengeId: string; readonly set: OpenSet; readonly entry: ChallengeEntry }

/** The challenge as this process knows it; undefined when there is none of this id. */
export const followed = async ({ ledger }: Flow, challengeId: string): Promise<Followed | undefined> => {
  const parts = challengeParts(challengeId)
  const set = parts && (await ledger.challenge.recent(parts.setId))
  if (!set || set.status === 'none') return undefined
  const entry = set.entries.find(({ asset }) => asset === parts.asset)
  return entry && { challengeId, set, entry }
}

export const progressOf = async (flow: Flow, { challengeId, set, entry }: Followed): Promise<Progress> => {
  const { asset } = entry
  const [settled, underpaid, seen] = [set.settled[asset], set.underpaid[asset], set.detected[asset]]
  if (settled !== undefined) return { state: 'settled', hash: hashIn(settled) }
  if (underpaid !== undefined) return { state: 'underpaid', hash: hashIn(underpaid) }
  if (seen?.length) return deepest(flow, entry, seen)
  const { [asset]: played } = set.simulated
  if (played)
    return { state: 'seen', hash: played.tx, confirmations: played.confirmations, required: entry.confirmations }
  if (await isPaidElsewhere(flow, challengeId, set)) return { state: 'elsewhere' }
  return { state: flow.world.now().toISOString() > set.expiresAt ? 'expired' : 'open' }
}

/** A word for what is shown, which changes when a page would. */
export const nameOf = (progress: Progress): string =>
  progress.state === 'seen' ? `seen-${progress.confirmations ?? 0}` : progress.state

/** After these nothing changes that a page need wait for. */
export const isOver = ({ state }: Progress): boolean => state !== 'open' && state !== 'seen'

/** The chain may not answer; then it is only known that the payment was seen. */
const deepest = async (
  flow: Flow,
  entry: ChallengeEntry,
  seen: readonly { tx: string; height: number }[],
): Promise<Progress> => {
  const [first] = seen.toSorted((a, b) => a.height - b.height)
  const chain = flow.chains.get(entry.network)
  const head = chain && (await flow.headNow(chain).catch(() => undefined))
  const blocks = head && first && Math.max(0, head.height - first.height + 1)
  const confirmations = blocks === undefined ? undefined : Math.min(blocks, entry.confirmations)
  return { state: 'seen', hash: first?.tx ?? '', confirmations, required: entry.confirmations }
}

/** A request takes one payment, whichever of its challenges it came for (J-PRQ-03). */
const isPaidElsewhere = async ({ ledger }: Flow, challengeId: string, { paymentRequest }: OpenSet) => {
  if (!paymentRequest) return false
  const request = await ledger.paymentRequest.recent(paymentRequest.requestId)
  return request.status === 'paid' && request.paidBy !== challengeId
}

/** `eth:0xabc…:native` is in 0xabc… */
const hashIn = (transferId: string): string => transferId.split(':')[1] ?? ''
