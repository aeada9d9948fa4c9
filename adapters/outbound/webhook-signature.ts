import { createHmac, timingSafeEqual } from 'node:crypto'

/** The check of a webhook's signature, as every receiver should make it (W-SIG-02). */

/** Seconds that a signature may be off the receiver's clock (L-MER-02). */
const TOLERANCE_S = 300

/** `t=<seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`, compared in constant time. */
export const isSigned = (raw: string, header: string, secret: string, nowS: number): boolean => {
  const [, time, given] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (!time || !given || Math.abs(nowS - Number(time)) > TOLERANCE_S) return false
  const expected = createHmac('sha256', secret).update(`${time}.${raw}`).digest()
  return timingSafeEqual(expected, Buffer.from(given, 'hex'))
}
