import { z } from 'zod'

/**
 * What every answer of the commerce protocol says of itself: the version of UCP, its capabilities and ways to pay, and
 * how it says no (C-CAT-01, N-44).
 */

export const UCP_VERSION = '2026-04-08' as const

/** The capabilities by their published names, each with the page and the schema that describe it below its version. */
const CAPABILITIES = {
  checkout: ['dev.ucp.shopping.checkout', 'specification/checkout', 'schemas/shopping/checkout.json'],
  order: ['dev.ucp.shopping.order', 'specification/order', 'schemas/shopping/order.json'],
  search: ['dev.ucp.shopping.catalog.search', 'specification/catalog/search', 'schemas/shopping/catalog_search.json'],
  lookup: ['dev.ucp.shopping.catalog.lookup', 'specification/catalog/lookup', 'schemas/shopping/catalog_lookup.json'],
  discount: ['dev.ucp.shopping.discount', 'specification/discount', 'schemas/shopping/discount.json'],
  mandate: ['dev.ucp.shopping.ap2_mandate', 'specification/ap2-mandates', 'schemas/shopping/ap2_mandate.json'],
} as const

type Capability = keyof typeof CAPABILITIES

/** The capabilities that take part in each kind of answer. */
const ANSWERED = {
  checkout: ['checkout', 'discount', 'mandate'],
  order: ['order'],
  search: ['search'],
  lookup: ['lookup'],
} as const satisfies Readonly<Record<string, readonly Capability[]>>

/** Ways to pay, under our own reverse name: no standard names one for x402, nor for a transfer on a chain. */
export const HANDLERS = {
  x402: { name: 'io.daybook.x402_exact', instrument: 'x402' },
  onchain: { name: 'io.daybook.onchain', instrument: 'onchain' },
  card: { name: 'io.daybook.card', instrument: 'card' },
} as const

export type Handler = keyof typeof HANDLERS

const Entity = z.looseObject({ version: z.string(), id: z.string().optional() })
const Registry = z.record(z.string(), z.array(Entity))

/** The member `ucp` of an answer. */
export const Ucp = z.object({
  version: z.literal(UCP_VERSION),
  status: z.literal('success'),
  capabilities: Registry,
  payment_handlers: Registry.optional(),
})

/** The member `ucp` of a good answer; one about a checkout also says how it can be paid. */
export const ucpOf = (
  about: keyof typeof ANSWERED,
  payment_handlers?: ReturnType<typeof paymentHandlers>,
): z.input<typeof Ucp> => ({
  version: UCP_VERSION,
  status: 'success',
  capabilities: Object.fromEntries(ANSWERED[about].map((each) => [CAPABILITIES[each][0], [{ version: UCP_VERSION }]])),
  ...(payment_handlers && { payment_handlers }),
})

/** All capabilities as a profile publishes them. */
export const publishedCapabilities = () =>
  Object.fromEntries(
    Object.entries(CAPABILITIES).map(([each, [name, spec, schema]]) => [
      name,
      [{ ...published(spec, schema), ...extending[each as Capability] }],
    ]),
  )

/** The REST binding of the protocol, as a profile publishes it. */
export const publishedServices = (endpoint: string) => ({
  'dev.ucp.shopping': [
    {
      ...published('specification/overview', 'services/shopping/rest.openapi.json'),
      transport: 'rest' as const,
      endpoint,
    },
  ],
})

/** Ways to pay by their names; `config` is what a payer has to know of each. */
export const paymentHandlers = (
  offered: readonly Handler[] = ['x402', 'onchain'],
  config: { readonly [H in Handler]?: object } = {},
) =>
  Object.fromEntries(
    offered.map((id) => [
      HANDLERS[id].name,
      [
        {
          id,
          version: UCP_VERSION,
          available_instruments: [{ type: HANDLERS[id].instrument }],
          ...(config[id] && { config: config[id] }),
        },
      ],
    ]),
  )

/** What somebody can do about an error: the caller, the buyer, or nobody. */
export type Severity = 'recoverable' | 'requires_buyer_input' | 'requires_buyer_review' | 'unrecoverable'

/** An error as one of the messages of an answer; `path` is where in the answer it lies. */
export const errorMessage = (code: string, content: string, severity: Severity, path?: string) => ({
  type: 'error' as const,
  code: PLAIN_CODES[code] ?? code,
  content,
  severity,
  ...(path !== undefined && { path }),
})

/** The body of an error that suits readers of both protocols: our names, and those of UCP beside them. */
export const ucpError = (code: string, content: string, severity: Severity = 'unrecoverable') => ({
  success: false as const,
  error: code,
  error_code: code,
  message: content,
  code,
  content,
  ...ucpEnvelope(code, content, severity),
})

/** What a platform is told with a 200 when there is nothing to answer with: this and nothing else. */
export const ucpEnvelope = (code: string, content: string, severity: Severity = 'unrecoverable') => ({
  ucp: { version: UCP_VERSION, status: 'error' as const },
  messages: [errorMessage(code, content, severity)],
})

export const Envelope = z.object({
  ucp: z.object({ version: z.literal(UCP_VERSION), status: z.literal('error') }),
  messages: z.array(
    z.object({ type: z.literal('error'), code: z.string(), content: z.string(), severity: z.string() }),
  ),
})

/** What UCP calls some of our codes. */
const PLAIN_CODES: Readonly<Record<string, string>> = {
  svc_not_found: 'not_found',
  svc_invalid_request: 'invalid',
}

const published = (spec: string, schema: string) => ({
  version: UCP_VERSION,
  spec: `https://ucp.dev/${UCP_VERSION}/${spec}`,
  schema: `https://ucp.dev/${UCP_VERSION}/${schema}`,
})

/** The capabilities that add to another one, and how. */
const extending: { readonly [C in Capability]?: object } = {
  discount: { extends: CAPABILITIES.checkout[0] },
  mandate: { extends: CAPABILITIES.checkout[0], config: { vp_formats_supported: { 'dc+sd-jwt': {} } } },
}
