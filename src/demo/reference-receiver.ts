import { isSigned } from '../../adapters/outbound/webhook-signature.ts'

/**
 * A merchant's webhook endpoint as it should be written (W-SIG-02): it checks the signature over the raw body, refuses
 * what is too old, takes each event once, finds its order by `external_reference`, and answers before it does the work.
 * Fields that it does not know are ignored (W-VER-01).
 */

/** Event ids remembered; far more than can come within the tolerance. */
const EVENTS_KEPT = 10_000

export type ReceivedDelivery = {
  readonly transaction: Readonly<Record<string, string>>
  readonly event_id: string
  readonly test: boolean
}

export type Receiver = {
  /** The status to answer with. `raw` is the body as it came, before anybody parsed it. */
  receive(raw: string, headers: Readonly<Record<string, string | undefined>>): 200 | 400 | 401
}

/** `fulfil` is called afterwards, once for each event; it may take its time. */
export const createReceiver = (
  secret: string,
  fulfil: (order: string, delivered: ReceivedDelivery) => unknown,
  now = () => Date.now(),
): Receiver => {
  const seen = new Set<string>()
  return {
    receive(raw, headers) {
      if (!isSigned(raw, headers['x-webhook-signature'] ?? '', secret, now() / 1000)) return 401
      const delivered = parsed(raw)
      if (!delivered) return 400
      if (seen.has(delivered.event_id)) return 200
      seen.add(delivered.event_id)
      if (seen.size > EVENTS_KEPT) seen.delete(seen.values().next().value as string)
      setImmediate(() => fulfil(delivered.transaction.external_reference ?? '', delivered))
      return 200
    },
  }
}

const parsed = (raw: string): ReceivedDelivery | undefined => {
  try {
    const body = JSON.parse(raw) as Partial<ReceivedDelivery>
    return typeof body.event_id === 'string' && typeof body.transaction === 'object'
      ? (body as ReceivedDelivery)
      : undefined
  } catch {
    return undefined
  }
}
