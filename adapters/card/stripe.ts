import Stripe from 'stripe'
import type { CardKeys, CardProcessor, CheckoutRead } from '../../domain/card/ports.ts'
import { Refusal, refuse } from '../../domain/refusal.ts'
import { ATTEMPT_MS, limitedFetch } from './limited-fetch.ts'
import { readSession } from './shapes.ts'
import { signedNotice } from './signed-notice.ts'
import { verifyKeys } from './verify.ts'

/** The card processor of a seller through the SDK of Stripe, in whose shape the documents speak (1:62-70). */

/** Attempts of one call beside the first, when the processor did not answer or was busy; each carries the same idempotency key. */
const RETRIES_MAX = 1

export type CardSettings = {
  /** Where the processor is. */
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
    async openCheckout(secretKey, wish) {
      const { reference, productId, currency, charged, expiresAt, idempotencyKey } = wish
      const metadata = { tx: reference }
      const product = { currency: currency.toLowerCase(), product: productId, unit_amount: Number(charged) }
      const opening = clientFor(secretKey).checkout.sessions.create(
        {
          mode: 'payment',
          line_items: [{ quantity: 1, price_data: product }],
          client_reference_id: reference,
          metadata,
          // What is charged carries it too, and so does what comes of that.
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
      const read = await answered(reading).catch((error: unknown) => {
        if (error instanceof Refusal && isMissing(error.cause)) return undefined
        throw error
      })
      return read && sensible(read)
    },
    async refund(secretKey, { paymentId, charged, idempotencyKey }) {
      const refunding = clientFor(secretKey).refunds.create(
        { payment_intent: paymentId, amount: Number(charged) },
        { idempotencyKey },
      )
      const { status } = await answered(refunding)
      if (status === 'failed' || status === 'canceled')
        return refuse('state-forbids', 'the card processor could not give this payment back')
      if (status !== 'succeeded' && status !== 'pending' && status !== 'requires_action') return senseless()
    },
    notice: signedNotice,
    alarm,
  }
}

/** What the SDK throws, in our words: what the processor refuses is not tried again, and all else may pass. */
const answered = async <T>(asking: Promise<T>): Promise<T> => {
  try {
    return await asking
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError)
      throw new Refusal('state-forbids', `the card processor refuses: ${error.message.slice(0, 200)}`, error)
    // A key that is good no more is the seller's to replace, and for a buyer as if the processor were not there.
    throw new Refusal('unavailable', 'The card processor does not answer right now. Try again in a moment.', error)
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing'

const sensible = (answer: unknown): CheckoutRead => readSession(answer) ?? senseless()

const senseless = (): never =>
  refuse('unavailable', 'The card processor answers what makes no sense. Try again in a moment.')
