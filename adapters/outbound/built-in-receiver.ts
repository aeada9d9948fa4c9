import type { Outbound } from '../../domain/kernel/ports.ts'
import { isSigned } from './webhook-signature.ts'

/**
 * The receiver that Daybook has for test sales (N-86). It stands where a seller's own would and gets what that would
 * get, but no call is made, so that it opens no private address to anybody. Its answer is logged with the delivery as
 * every answer is, and so tells later what came: the signature is good for five minutes, and over a test alone.
 */
export const receive: Outbound['receive'] = (secret, at, body, headers) => {
  const signature = headers['X-Webhook-Signature'] ?? ''
  const isRight = secret !== undefined && isSigned(body, signature, secret, at.getTime() / 1_000)
  const answer = { signature_verified: isRight, signature, bytes: Buffer.byteLength(body) }
  return { status: isRight ? 200 : 401, reason: undefined, bodyHead: JSON.stringify(answer), durationMs: 0 }
}
