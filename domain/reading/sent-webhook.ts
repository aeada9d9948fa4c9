import { idOf } from '../kernel/decider.ts'
import type { RecordedEvent } from '../kernel/ports.ts'
import { deliveryHeaders, type ScheduledDelivery } from '../selling/webhooks/delivery-request.ts'
import { type DeliveryOutcome, type SentBody, sentBody } from './sent-body.ts'

/** A webhook as it was sent: its headers, and its body made again. */
export type SentWebhook = {
  readonly headers: Readonly<Record<string, string>>
  /** Undefined when the transaction is gone. */
  readonly body: SentBody | undefined
  /** What was answered; undefined while it is under way. */
  readonly outcome: DeliveryOutcome | undefined
}

/** `events` is the stream of the delivery, `history` that of its transaction. Undefined when nothing was to be sent. */
export const sentWebhook = async (
  means: Parameters<typeof sentBody>[0],
  [scheduled, outcome]: readonly RecordedEvent[],
  history: readonly RecordedEvent[],
): Promise<SentWebhook | undefined> => {
  if (!scheduled || !isScheduled(scheduled)) return undefined
  const { signed, attemptedAt } = (outcome?.data ?? {}) as Partial<DeliveryOutcome>
  return {
    // Those that only help to find it are not shown: earlier releases did not send them.
    headers: deliveryHeaders(idOf(scheduled.stream), signatureOf(signed, attemptedAt)),
    body: await sentBody(means, scheduled, history, outcome),
    outcome: outcome?.data as DeliveryOutcome | undefined,
  }
}

const isScheduled = (event: RecordedEvent): event is ScheduledDelivery => event.type === 'DeliveryScheduled'

const MS_PER_S = 1_000

/**
 * The signature header with its time as it was sent. The signature itself is not kept, because with the body it would
 * be all that is needed to send the webhook once more.
 */
const signatureOf = (signed: boolean | undefined, attemptedAt: string | undefined): string | undefined =>
  signed && attemptedAt ? `t=${Math.floor(new Date(attemptedAt).getTime() / MS_PER_S)},v1=(not kept)` : undefined
