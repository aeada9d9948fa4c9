import Stripe from 'stripe'
import { z } from 'zod'
import { type CardKeys, type CardMode, WEBHOOK_EVENTS } from '../../domain/card/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { refuseNonsense, silenceRefusal } from './unanswered.ts'

/** Asks the processor whether keys and a product are good for taking payments (J-CARD-04). */

/** A secret is so long that its last four characters, which are shown, tell nothing of the rest. */
const FORMS = {
  secret_key: /^(?:sk|rk)_(?:live|test)_[A-Za-z0-9_]{16,200}$/,
  publishable_key: /^pk_(?:live|test)_[A-Za-z0-9_]{4,200}$/,
  webhook_secret: /^whsec_[A-Za-z0-9+/=_-]{16,200}$/,
  product_id: /^prod_[A-Za-z0-9]{1,100}$/,
} as const
type Field = keyof typeof FORMS

export const verifyKeys = async (stripe: Stripe, keys: CardKeys, webhookUrl: string) => {
  const mode = formed(keys)
  await own(stripe)
  // Both are asked at once: one after the other they could take longer than the caller waits.
  const [warnings] = await Promise.all([warningsOf(stripe, webhookUrl), sellable(stripe, keys.productId, mode)])
  return { mode, warnings }
}

const formed = ({ secretKey, publishableKey, webhookSecret, productId }: CardKeys): CardMode => {
  const given = { secret_key: secretKey, webhook_secret: webhookSecret, product_id: productId }
  for (const [field, value] of Object.entries({ ...given, ...(publishableKey && { publishable_key: publishableKey }) }))
    if (!FORMS[field as Field].test(value)) bad(field as Field, 'is not of the form that the processor gives it')
  const mode = secretKey.slice(3).startsWith('live_') ? 'live' : 'test'
  if (publishableKey && !publishableKey.startsWith(`pk_${mode}_`))
    bad('publishable_key', `is not for ${mode} payments, as the secret key is`)
  return mode
}

/** A key that may not see its account may still sell: then the product tells whether it is good. */
const own = async (stripe: Stripe): Promise<void> => {
  const account = await stripe.accounts.retrieveCurrent().catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripePermissionError) return undefined
    throw told(error, 'secret_key')
  })
  if (account !== undefined && !z.looseObject({ object: z.literal('account') }).safeParse(account).success)
    refuseNonsense()
}

const Product = z.looseObject({
  object: z.literal('product'),
  id: z.string(),
  active: z.boolean(),
  livemode: z.boolean(),
  default_price: z.union([z.looseObject({ type: z.string() }), z.string()]).nullish(),
})

const sellable = async (stripe: Stripe, productId: string, mode: CardMode): Promise<void> => {
  const answer = await stripe.products.retrieve(productId, { expand: ['default_price'] }).catch((error: unknown) => {
    throw told(error, 'product_id')
  })
  const { data: product } = Product.safeParse(answer)
  if (product?.id !== productId) return refuseNonsense()
  if (!product.active) bad('product_id', 'names a product that is not active')
  if (product.livemode !== (mode === 'live')) bad('product_id', `names a product that is not for ${mode} payments`)
  const price = product.default_price
  if (typeof price === 'object' && price?.type === 'recurring')
    bad('product_id', 'names a product that is sold by subscription')
}

/** The caller has to correct what the processor refuses; all else is nobody's fault and may pass. */
const told = (error: unknown, field: Field): Refusal => {
  const { StripeAuthenticationError, StripePermissionError, StripeInvalidRequestError } = Stripe.errors
  if (error instanceof StripeAuthenticationError)
    return invalid('secret_key', 'is not known to the card processor', error)
  if (error instanceof StripePermissionError) return invalid('secret_key', 'may not do what is needed', error)
  if (error instanceof StripeInvalidRequestError) return invalid(field, 'is not known to the card processor', error)
  return silenceRefusal(error)
}

const Endpoints = z.looseObject({
  data: z.array(z.looseObject({ url: z.string(), enabled_events: z.array(z.string()), status: z.string() })),
})
/** Endpoints that are looked through, as many as the processor lists at once. */
const ENDPOINTS_MAX = 100

/**
 * The secret itself cannot be checked. Where the key may list webhook endpoints, they tell if the processor reports
 * here.
 */
const warningsOf = async (stripe: Stripe, webhookUrl: string): Promise<readonly string[]> => {
  const answer = await stripe.webhookEndpoints.list({ limit: ENDPOINTS_MAX }).catch(() => undefined)
  const { data: listed } = Endpoints.safeParse(answer)
  if (!listed) return []
  const ours = listed.data.find(({ url, status }) => url === webhookUrl && status === 'enabled')
  if (!ours) return [`No active webhook endpoint of this processor account leads to ${webhookUrl}.`]
  const missing = WEBHOOK_EVENTS.filter((event) => ![event, '*'].some((each) => ours.enabled_events.includes(each)))
  return missing.length > 0 ? [`The webhook endpoint is not sent ${missing.join(', ')}.`] : []
}

const invalid = (field: Field, what: string, cause?: unknown) =>
  new Refusal('card-processor-invalid', `${field}: ${what}; copy it from the dashboard of the card processor`, cause)

const bad = (field: Field, what: string): never => {
  throw invalid(field, what)
}
