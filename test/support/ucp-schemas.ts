import { isDeepStrictEqual } from 'node:util'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as rules from './ucp-rules.ts'

/**
 * What the commerce protocol says, as JSON Schemas of our own (UCP 2026-04-08, and our members beside its): whoever
 * answers something that is not described here has mistyped it. What the language of schemas cannot say stands in
 * ucp-rules.ts.
 */

export type UcpKind =
  | 'create'
  | 'get'
  | 'update'
  | 'complete'
  | 'cancel'
  /** A refusal, for readers of both protocols. */
  | 'error'
  /** What a platform is told with a 200. */
  | 'envelope'
  | 'order'
  | 'search'
  | 'lookup'
  | 'product'
  | 'profile'

/** Throws with all that is wrong with a body. */
export const checkUcp = (kind: UcpKind, body: unknown): void => {
  const { schema, rule } = kinds[kind]
  const wrong = schema(body) ? rule(body) : (schema.errors ?? []).map(readable)
  if (wrong.length > 0) throw new Error(`not a "${kind}" of UCP:\n  ${wrong.join('\n  ')}\n${JSON.stringify(body)}`)
}

type Schema = { readonly [keyword: string]: unknown }

/** An object with these members and no others; those whose names end with a ? may be missing. */
const exactly = (members: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(members).map(([name, schema]) => [name.replace(/\?$/, ''), schema])),
  required: Object.keys(members).filter((name) => !name.endsWith('?')),
  additionalProperties: false,
})

const listOf = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })
const oneOf = (...values: readonly string[]): Schema => ({ type: 'string', enum: values })
const matching = (pattern: string): Schema => ({ type: 'string', pattern })

const ANY = { type: 'object' }
const TEXT = { type: 'string', minLength: 1 }
const URL = { type: 'string', format: 'uri', pattern: '^https?://' }
const TIME = { type: 'string', format: 'date-time' }
const CURRENCY = matching('^[A-Z]{3}$')
const SIGNED = { type: 'integer', minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const AMOUNT = { ...SIGNED, minimum: 0 }
const COUNT = { type: 'integer', minimum: 0 }
const AT_LEAST_ONE = { type: 'integer', minimum: 1 }
const VERSION = { type: 'string', const: '2026-04-08' }
const REVERSE_NAME = '^[a-z][a-z0-9]*(\\.[a-z][a-z0-9_]*)+$'

const registryOf = (entry: Schema): Schema => ({
  type: 'object',
  propertyNames: matching(REVERSE_NAME),
  additionalProperties: listOf(entry, { minItems: 1 }),
})
const CAPABILITY = { version: VERSION, 'extends?': matching(REVERSE_NAME), 'config?': ANY }
const PUBLISHED = { spec: URL, schema: URL }
const INSTRUMENT = exactly({ type: TEXT, 'constraints?': ANY })
const HANDLER = { id: TEXT, version: VERSION, 'available_instruments?': listOf(INSTRUMENT), 'config?': ANY }

const capabilities = registryOf(exactly(CAPABILITY))
const SUCCESS = { version: VERSION, status: { type: 'string', const: 'success' }, capabilities }
const ucp = exactly(SUCCESS)
const ucpOfCheckout = exactly({ ...SUCCESS, payment_handlers: registryOf(exactly(HANDLER)) })
const ucpOfError = exactly({ version: VERSION, status: { type: 'string', const: 'error' } })
const ucpOfProfile = exactly({
  version: VERSION,
  'status?': oneOf('success'),
  'supported_versions?': ANY,
  services: registryOf(exactly({ version: VERSION, ...PUBLISHED, transport: oneOf('rest'), endpoint: URL })),
  capabilities: registryOf(exactly({ ...CAPABILITY, ...PUBLISHED })),
  payment_handlers: registryOf(exactly({ ...HANDLER, ...PUBLISHED })),
})

const SAID = { content: TEXT, 'content_type?': oneOf('plain', 'markdown'), 'path?': matching('^\\$') }
const SEVERITY = oneOf('recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable')
const ERROR = exactly({ type: oneOf('error'), code: TEXT, severity: SEVERITY, ...SAID })
const messages = listOf({
  type: 'object',
  discriminator: { propertyName: 'type' },
  properties: { type: { type: 'string' } },
  required: ['type'],
  oneOf: [
    ERROR,
    exactly({ type: oneOf('warning'), code: TEXT, 'presentation?': TEXT, ...SAID }),
    exactly({ type: oneOf('info'), 'code?': TEXT, ...SAID }),
  ],
})
const errors = listOf(ERROR, { minItems: 1 })

const PART = exactly({ display_text: TEXT, amount: SIGNED })
const totals = listOf(exactly({ type: TEXT, amount: SIGNED, 'display_text?': TEXT, 'lines?': listOf(PART) }))
const item = exactly({ id: TEXT, title: TEXT, price: AMOUNT, 'image_url?': URL })
/** How a price in another currency came to be one of the session (not of UCP). */
const CONVERTED = { 'presentment_currency?': CURRENCY, 'exchange_rate?': TEXT, 'exchange_rate_timestamp?': TIME }
const line = exactly({ id: TEXT, item, quantity: AT_LEAST_ONE, totals, 'parent_id?': TEXT, ...CONVERTED })
const ALLOCATED = exactly({ path: matching('^\\$\\.line_items\\[\\d+\\]$'), amount: AMOUNT })
const APPLIED = exactly({
  'code?': TEXT,
  title: TEXT,
  amount: AMOUNT,
  'automatic?': { type: 'boolean' },
  'method?': oneOf('each', 'across'),
  'priority?': AT_LEAST_ONE,
  'allocations?': listOf(ALLOCATED),
})
const RECEIPT = matching('^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$')
const ap2 = exactly({
  merchant_authorization: matching('^[A-Za-z0-9_-]+\\.\\.[A-Za-z0-9_-]+$'),
  nonce: matching('^[A-Za-z0-9_-]{22,}$'),
  'aud?': TEXT,
  'checkout_receipt?': RECEIPT,
})
/** How it is paid, as the documents say it: what leads to a challenge (not of UCP). */
const WAY = {
  type: 'object',
  properties: { id: TEXT, handler: matching(REVERSE_NAME), accepts: listOf(ANY), url: URL },
  required: ['id'],
}

const session = (...statuses: readonly string[]): Schema =>
  exactly({
    ucp: ucpOfCheckout,
    id: matching('^cs_'),
    status: oneOf(...statuses),
    currency: CURRENCY,
    /** AP2's Merchant (not of UCP). */
    merchant: exactly({ id: TEXT, name: TEXT, website: URL }),
    totals,
    line_items: listOf(line, { minItems: 1 }),
    ap2,
    'buyer?': ANY,
    'context?': ANY,
    'signals?': ANY,
    'payment?': ANY,
    'messages?': messages,
    'discounts?': exactly({ 'codes?': listOf(TEXT), 'applied?': listOf(APPLIED) }),
    links: listOf(exactly({ type: TEXT, url: URL, 'title?': TEXT })),
    expires_at: TIME,
    'continue_url?': URL,
    ...CONVERTED,
    'order?': exactly({ id: TEXT, permalink_url: URL, 'label?': TEXT }),
    'payment_handlers?': listOf(WAY),
  })
const OPEN = ['incomplete', 'requires_escalation', 'ready_for_complete']
const EVERY = [...OPEN, 'complete_in_progress', 'completed', 'canceled']

const MOVED = listOf(exactly({ id: TEXT, quantity: AT_LEAST_ONE }))
const order = exactly({
  ucp,
  id: TEXT,
  checkout_id: matching('^cs_'),
  permalink_url: URL,
  currency: CURRENCY,
  totals,
  'label?': TEXT,
  'messages?': messages,
  'buyer?': ANY,
  line_items: listOf(
    exactly({
      id: TEXT,
      item,
      totals,
      'parent_id?': TEXT,
      ...CONVERTED,
      quantity: exactly({ original: COUNT, total: COUNT, fulfilled: COUNT }),
      status: oneOf('processing', 'partial', 'fulfilled', 'removed'),
    }),
    { minItems: 1 },
  ),
  fulfillment: exactly({
    'expectations?': listOf(
      exactly({
        id: TEXT,
        line_items: MOVED,
        method_type: oneOf('shipping', 'pickup', 'digital'),
        destination: ANY,
        'description?': TEXT,
        'fulfillable_on?': TEXT,
      }),
    ),
    'events?': listOf(
      exactly({ id: TEXT, occurred_at: TIME, type: TEXT, line_items: MOVED, 'description?': TEXT, 'carrier?': TEXT }),
    ),
  }),
  'adjustments?': listOf(
    exactly({
      id: TEXT,
      type: TEXT,
      occurred_at: TIME,
      status: oneOf('pending', 'completed', 'failed'),
      'totals?': totals,
      'description?': TEXT,
      'line_items?': listOf(exactly({ id: TEXT, quantity: { type: 'integer' } })),
    }),
  ),
})

const price = exactly({ amount: AMOUNT, currency: CURRENCY })
/** A text in at least one form. */
const description = { ...exactly({ 'plain?': { type: 'string' }, 'html?': TEXT, 'markdown?': TEXT }), minProperties: 1 }
const THING = {
  id: TEXT,
  title: TEXT,
  description,
  'url?': URL,
  'categories?': listOf(exactly({ value: TEXT, 'taxonomy?': TEXT })),
  'media?': listOf(exactly({ type: oneOf('image', 'video', 'model_3d'), url: URL, 'alt_text?': TEXT })),
}
const availability = exactly({ available: { type: 'boolean' }, 'status?': TEXT })
const VARIANT = { ...THING, price, 'availability?': availability }
const inputs = listOf(exactly({ id: TEXT, match: oneOf('exact', 'featured') }), { minItems: 1 })
const productOf = (variant: Readonly<Record<string, Schema>>) => ({
  ...THING,
  'handle?': TEXT,
  price_range: exactly({ min: price, max: price }),
  variants: listOf(exactly(variant), { minItems: 1 }),
})
const PRODUCT = productOf(VARIANT)
const pagination = exactly({
  'cursor?': TEXT,
  has_next_page: { type: 'boolean' },
  total_count: COUNT,
  limit: AT_LEAST_ONE,
  offset: COUNT,
  total: COUNT,
})

/** The public half of a key alone. */
const jwk = exactly({
  kid: TEXT,
  kty: oneOf('EC'),
  crv: oneOf('P-256'),
  x: TEXT,
  y: TEXT,
  use: oneOf('sig'),
  alg: oneOf('ES256'),
})

const ajv = new Ajv2020({ strict: true, allErrors: true, discriminator: true, code: { optimize: false } })
addFormats.default(ajv)

const kind = (schema: Schema, rule: rules.Rule = () => []): { schema: ValidateFunction; rule: rules.Rule } => ({
  schema: ajv.compile(schema),
  rule,
})

const kinds: Readonly<Record<UcpKind, ReturnType<typeof kind>>> = {
  create: kind(session(...OPEN), rules.session),
  get: kind(session(...EVERY), rules.session),
  update: kind(session(...OPEN), rules.session),
  complete: kind(session(...EVERY.slice(0, -1)), (body) => [...rules.session(body), ...rules.completing(body)]),
  cancel: kind(session('canceled'), rules.session),
  error: kind(
    exactly({
      success: { type: 'boolean', const: false },
      error: TEXT,
      error_code: TEXT,
      message: TEXT,
      code: TEXT,
      content: TEXT,
      messages: errors,
      ucp: ucpOfError,
      'continue_url?': URL,
      'ap2?': exactly({ checkout_receipt: RECEIPT }),
    }),
    rules.error,
  ),
  envelope: kind(exactly({ ucp: ucpOfError, messages: errors, 'continue_url?': URL })),
  order: kind(order, rules.order),
  search: kind(exactly({ ucp, products: listOf(exactly(PRODUCT)), pagination, 'messages?': messages }), rules.search),
  lookup: kind(
    exactly({ ucp, products: listOf(exactly(productOf({ ...VARIANT, inputs }))), 'messages?': messages }),
    rules.products,
  ),
  product: kind(exactly({ ...PRODUCT, product: exactly(PRODUCT), ucp, 'messages?': messages }), (body) => [
    ...(isDeepStrictEqual(body, { ...body.product, product: body.product, ucp: body.ucp })
      ? []
      : ['the product is not the same in both places']),
    ...rules.products({ products: [body.product] }),
  ]),
  profile: kind(exactly({ ucp: ucpOfProfile, signing_keys: listOf(jwk), keys: listOf(jwk) }), rules.profile),
}

const readable = ({ instancePath, message, params }: NonNullable<ValidateFunction['errors']>[number]): string => {
  const named = (params as { additionalProperty?: string }).additionalProperty
  return `${instancePath || 'the body'} ${message}${named === undefined ? '' : `: ${named}`}`
}
