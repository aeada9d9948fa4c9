import Stripe from 'stripe'
import type { CardKeys, CardNotice, CardProcessor, CheckoutRead } from '../../domain/card/ports.ts'
import { isRefusal, Refusal, refuse } from '../../domain/kernel/refusal.ts'
import { readNotice, readRefund, readSession } from './shapes.ts'
import { refuseNonsense, silenceRefusal } from './unanswered.ts'
import { verifyKeys } from './verify.ts'

/** The card processor of a seller, through the SDK of Stripe: the product documents describe its form (1:62-70). */

/**
 * Attempts of one call beside the first, when the processor did not answer or was busy; each carries the same
 * idempotency key.
 */
const RETRIES_MAX = 1
/** Refunds of one payment that are looked through at most, and the number that the processor lists at once. */
const REFUNDS_MAX = 1_000
const LISTED_MAX = 100

export type CardSettings = {
  /** URL of the processor. */
  readonly url: string
  readonly alarm: CardProcessor['alarm']
}

export const createCardProcessor = ({ url, alarm }: CardSettings): CardProcessor => {
  const { hostname: host, port, protocol } = new URL(url)
  const where = { host, protocol: protocol === 'http:' ? 'http' : 'https', ...(port !== '' && { port }) } as const
  const httpClient = Stripe.createFetchHttpClient(limitedFetch)
  const limits = { timeout: ATTEMPT_MS, maxNetworkRetries: RETRIES_MAX, telemetry: false }
  const clientFor = (secretKey: string) => new Stripe(secretKey, { ...where, ...limits, httpClient })
  return {
    verify: (keys: CardKeys, webhookUrl) => verifyKeys(clientFor(keys.secretKey), keys, webhookUrl),
    async closeCheckout(secretKey, sessionId) {
      try {
        return sensible(await answered(clientFor(secretKey).checkout.sessions.expire(sessionId)))
      } catch (error) {
        // Only an open session can be closed.
        if (isRefusal(error, 'state-forbids')) return this.readCheckout(secretKey, sessionId)
        throw error
      }
    },
    async openCheckout(secretKey, wish) {
      const { reference, productId, currency, charged, expiresAt, idempotencyKey } = wish
      const metadata = { tx: reference }
      const product = { currency: currency.toLowerCase(), product: productId, unit_amount: Number(charged) }
      const opening = clientFor(secretKey).checkout.sessions.create(
        {
          mode: 'payment',
          // A slow payment method takes days, and meanwhile the buyer pays once more.
          allowed_payment_method_types: ['card'],
          // Else a seller's own setting may charge another currency than was asked.
          adaptive_pricing: { enabled: false },
          line_items: [{ quantity: 1, price_data: product }],
          client_reference_id: reference,
          metadata,
          // The payment carries the metadata too, and so does its charge.
          payment_intent_data: { metadata },
          expires_at: Math.floor(Date.parse(expiresAt) / 1_000),
          success_url: wish.successUrl,
          cancel_url: wish.cancelUrl,
        },
        { idempotencyKey },
      )
      return sensible(await answered(opening))
    },
    async readCheckout(secretKey, sessionId) {
      const reading = clientFor(secretKey).checkout.sessions.retrieve(sessionId)
      const read = await unless('resource_missing', answered(reading))
      return read && sensible(read)
    },
    async checkoutOfCharge(secretKey, paymentId) {
      const listing = clientFor(secretKey).checkout.sessions.list({ payment_intent: paymentId, limit: 1 })
      const { data } = (await unless('resource_missing', answered(listing))) ?? { data: [] }
      if (!Array.isArray(data)) return refuseNonsense()
      return data[0] && sensible(data[0])
    },
    async refund(secretKey, { reference, paymentId, charged, idempotencyKey }) {
      const refunding = clientFor(secretKey).refunds.create(
        { payment_intent: paymentId, amount: Number(charged), metadata: { tx: reference } },
        { idempotencyKey },
      )
      const made = await unless('charge_already_refunded', answered(refunding))
      // It was refunded before, on the processor's own pages or by a call whose answer was lost.
      if (made === undefined) return
      const { hasFailed } = readRefund(made) ?? refuseNonsense()
      if (hasFailed) return refuse('state-forbids', 'the card processor could not give this payment back')
    },
    async refundedOf(secretKey, paymentId) {
      const { refunds } = clientFor(secretKey)
      const listing = refunds.list({ payment_intent: paymentId, limit: LISTED_MAX })
      const made = await answered(listing.autoPagingToArray({ limit: REFUNDS_MAX }))
      return String(made.map((each) => refundedBy(each)).reduce((sum, each) => sum + each, 0n))
    },
    notice: async (...given) => signedNotice(...given),
    alarm,
  }
}

/** Turns what the SDK throws into a refusal: what the processor refuses is not tried again, and all else may pass. */
const answered = async <T>(asking: Promise<T>): Promise<T> => {
  try {
    return await asking
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError)
      throw new Refusal('state-forbids', `the card processor refuses: ${error.message.slice(0, 200)}`, error)
    // The seller has to replace a key that is no longer valid; for a buyer it is as if the processor were not there.
    throw silenceRefusal(error)
  }
}

/** Undefined when the processor refuses with this code of its own. */
const unless = async <T>(code: string, asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking
  } catch (error) {
    const cause = error instanceof Refusal ? error.cause : undefined
    if (cause instanceof Stripe.errors.StripeInvalidRequestError && cause.code === code) return undefined
    throw error
  }
}

const sensible = (answer: unknown): CheckoutRead => readSession(answer) ?? refuseNonsense()

const refundedBy = (answer: unknown): bigint => {
  const { amount, hasFailed } = readRefund(answer) ?? refuseNonsense()
  return hasFailed ? 0n : BigInt(amount)
}

/**
 * Limits of a call to the processor: one time limit up to the last byte, no redirect, and no answer that could fill the
 * memory.
 */

/** Milliseconds from the call to the last byte of one attempt. */
const ATTEMPT_MS = 5_000
const ANSWER_MAX_BYTES = 1_048_576

/**
 * A `fetch` for the SDK. It drops what the processor says about when to try again: we decide how long a caller waits.
 */
const limitedFetch: typeof fetch = async (url, init = {}) => {
  const limits = [AbortSignal.timeout(ATTEMPT_MS), ...(init?.signal ? [init.signal] : [])]
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.any(limits) })
  const headers = new Headers(response.headers)
  for (const name of ['retry-after', 'content-encoding', 'content-length']) headers.delete(name)
  return new Response(await bodyOf(response), { status: response.status, headers })
}

const bodyOf = async ({ body }: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_MAX_BYTES) throw new Error('the answer of the card processor is too long')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * Seconds that the time of a notice may be from ours, before and after. The SDK checks the past alone (23.1 accepts a
 * future time).
 */
const TOLERANCE_S = 300

/** A notice that the processor has signed; one valid signature of several is enough. Undefined for any other text. */
export const signedNotice = (secret: string, body: string, signature: string, now: Date): CardNotice | undefined => {
  // The SDK takes the last of several times. Only one is allowed, so that the time checked here is the one that was
  // signed.
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
