import Stripe from 'stripe'
import type { CardNotice } from '../../domain/card/ports.ts'
import { readNotice } from './shapes.ts'

/** How far the time of a notice may be from ours, before and after. The SDK looks at the past alone (23.1: a time to come is taken). */
const TOLERANCE_S = 300

/** A notice that the processor has signed, any of whose signatures may be the good one; undefined for any other text. */
export const signedNotice = (secret: string, body: string, signature: string, now: Date): CardNotice | undefined => {
  const [, stamp] = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature) ?? []
  if (stamp === undefined || Math.abs(now.getTime() / 1_000 - Number(stamp)) > TOLERANCE_S) return undefined
  try {
    return readNotice(
      Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, now.getTime()) as unknown,
    )
  } catch {
    return undefined
  }
}
