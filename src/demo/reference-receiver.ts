import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * A merchant's webhook endpoint as it should be written (W-SIG-02): it checks the signature over the raw body, refuses
 * what is too old, takes each event once, finds its order by `external_reference`, and answers before it does the work.
 * Fields that it does not know are ignored (W-VER-01).
 */

/** Seconds that a signature may be off the receiver's clock (L-MER-02). */
const TOLERANCE_S = 300
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

/** `t=<seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, compared in constant time. */
export const isSigned = (raw: string, header: string, secret: string, nowS: number): boolean => {
  const [, time, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (!time || !given || Math.abs(nowS - Number(time)) > TOLERANCE_S) return false
  const expected = createHmac('sha256', secret).update(`${time}.${raw}`).digest()
  return timingSafeEqual(expected, Buffer.from(given, 'hex'))
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
