import Stripe from 'stripe'
import type { CardNotice } from '../../domain/card/ports.ts'
import { readNotice } from './shapes.ts'

/**
 * How far the time of a notice may be from ours, before and after. The SDK looks at the past alone (23.1: a time to
 * come is taken).
 */
const TOLERANCE_S = 300

/**
 * A notice that the processor has signed, any of whose signatures may be the good one; undefined for any other text.
 */
export const signedNotice = (secret: string, body: string, signature: string, now: Date): CardNotice | undefined => {
  // Of several times the SDK takes the last: so there has to be one, or what is looked at here is not what was signed.
  const [stamp = '', ...more] = signature.split(',').flatMap((part) => (part.startsWith('t=') ? [part.slice(2)] : []))
  if (more.length > 0 || !/^\d{1,12}$/.test(stamp)) return undefined
  if (Math.abs(now.getTime() / 1_000 - Number(stamp)) > TOLERANCE_S) return undefined
  try {
    return readNotice(
      Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, now.getTime()) as unknown,
    )
  } catch {
    return undefined
  }
}
