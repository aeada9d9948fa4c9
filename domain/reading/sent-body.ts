import { fold } from '../kernel/decider.ts'
import type { RecordedEvent, Vault, World } from '../kernel/ports.ts'
import { type Transaction, transaction } from '../selling/transactions/transaction.ts'
import type { DeliveryEvents } from '../selling/webhooks/delivery.ts'
import { deliveryBody, type ScheduledDelivery } from '../selling/webhooks/delivery-request.ts'

/**
 * The body of a delivery, made again from the transaction's own facts: it is not kept in the log, where a person's data
 * may only be sealed. What is kept is its digest, by which it is known to be the very bytes that were sent.
 */
export type SentBody = {
  readonly text: string
  readonly sha256: string
  /**
   * `same`: its digest is the one that was noted. `likely`: none was noted, or the delivery is still under way.
   * `erased`: what it told of a person was erased since, and the digest with it. `different`: it is not what was sent,
   * as only another release could have made it.
   */
  readonly proof: 'same' | 'likely' | 'erased' | 'different'
}

export type DeliveryOutcome = DeliveryEvents['DeliveryAccepted']

/**
 * The most states of a transaction that are tried, the newest first; only a transaction that was edited meanwhile has
 * several.
 */
const STATES_MAX = 100

/**
 * Makes the body of a delivery again. `history` is the whole stream of its transaction, which is empty when a URL was
 * tried out. Undefined when there is nothing that was sent.
 */
export const sentBody = async (
  { vault, world }: { vault: Pick<Vault, 'open'>; world: Pick<World, 'digest'> },
  scheduled: ScheduledDelivery,
  history: readonly RecordedEvent[],
  outcome: RecordedEvent | undefined,
): Promise<SentBody | undefined> => {
  const data = outcome?.data as DeliveryOutcome | undefined
  const noted = data?.sealedSha256 === undefined ? data?.bodySha256 : await vault.open(data.sealedSha256)
  const otherwise = noted !== undefined ? 'different' : data?.sealedSha256 === undefined ? 'likely' : 'erased'
  let body: SentBody | undefined
  for (const state of statesUntil(scheduled, history, outcome)) {
    const text = await deliveryBody(vault, scheduled, state)
    const sha256 = world.digest(text)
    if (noted === sha256) return { text, sha256, proof: 'same' }
    body = { text, sha256, proof: otherwise }
  }
  return body
}

/**
 * The states of the transaction that the sender may have seen, the newest first: from the one at the time of sending
 * back to the one at which the delivery was scheduled.
 */
const statesUntil = (
  scheduled: ScheduledDelivery,
  history: readonly RecordedEvent[],
  outcome: RecordedEvent | undefined,
): readonly (Transaction | undefined)[] => {
  if (scheduled.data.reason === 'test') return [undefined]
  const before = history.filter(({ order }) => order < scheduled.order).length
  const until = outcome ? history.filter(({ order }) => order < outcome.order).length : history.length
  const states: Transaction[] = []
  for (let count = until; count >= before && states.length < STATES_MAX; count--) {
    const state = fold(transaction, history.slice(0, count))
    if (state.status !== 'none') states.push(state)
  }
  return states
}
