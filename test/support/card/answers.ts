import { fresh, type Key, nested, type State, type Thing } from './state.ts'

/** What the processor answers to each call, in its own words. */

export type Answer = { readonly status: number; readonly body: object }

export type Asked = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly text: string
  readonly key: Key
  readonly origin: string
}

export const refusal = (status: number, code: string, message: string, type = 'invalid_request_error'): Answer => ({
  status,
  body: { error: { type, code, message } },
})

const missing = (what: string) => refusal(404, 'resource_missing', `No such ${what}`)

export const answerTo = (state: State, asked: Asked): Answer => {
  const { method, path, key } = asked
  const call = `${method} ${path}`
  const [, , area, id] = path.split('/')
  if (call === 'GET /v1/account')
    return key.restricted ? forbidden() : { status: 200, body: { id: key.account, object: 'account' } }
  if (method === 'GET' && area === 'products') return product(state, asked, id ?? '')
  if (call === 'GET /v1/webhook_endpoints')
    return key.restricted ? forbidden() : { status: 200, body: { object: 'list', data: state.endpoints } }
  if (call === 'POST /v1/checkout/sessions') return openSession(state, asked)
  if (call === 'GET /v1/checkout/sessions') return sessionsOf(state, asked)
  const [, session] = /^\/v1\/checkout\/sessions\/([^/]+)$/.exec(path) ?? []
  if (method === 'GET' && session) {
    const known = state.sessions.get(session)
    return known && known.account === key.account ? { status: 200, body: known } : missing('checkout.session')
  }
  const [, closed] = /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/.exec(path) ?? []
  if (method === 'POST' && closed) return expire(state.sessions.get(closed), asked)
  if (call === 'POST /v1/refunds') return refund(state, asked)
  if (call === 'GET /v1/refunds') return refundsOf(state, asked)
  return refusal(404, 'not_found', `Unrecognized request URL (${call})`)
}

const forbidden = () => refusal(403, 'permission_denied', 'This key may not do that')

const product = ({ products }: State, { key, query }: Asked, id: string): Answer => {
  const known = products.get(id)
  if (!known || known.account !== key.account || known.livemode !== key.live) return missing('product')
  const expands = [...query.values()].includes('default_price')
  const price = known.default_price as Thing | null
  return { status: 200, body: { ...known, default_price: expands ? price : (price?.id ?? null) } }
}

/** Pages live for half an hour at the least and a day at the most. */
const SHORTEST_S = 1_800
const LONGEST_S = 86_400

const openSession = (state: State, { key, text, origin }: Asked): Answer => {
  const body = nested(text) as Record<string, string> & { metadata?: object; allowed_payment_method_types?: object }
  const line = (nested(text).line_items as Record<string, { price_data?: Record<string, string> }> | undefined)?.['0']
  const { currency = '', product: productId = '', unit_amount = '' } = line?.price_data ?? {}
  const left = Number(body.expires_at) - Date.now() / 1_000
  if (body.mode !== 'payment') return refusal(400, 'parameter_invalid', 'mode')
  if (!/^[a-z]{3}$/.test(currency) || !/^\d{1,8}$/.test(unit_amount))
    return refusal(400, 'parameter_invalid', 'price_data')
  if (state.products.get(productId)?.account !== key.account) return missing('product')
  if (!(left >= SHORTEST_S && left <= LONGEST_S)) return refusal(400, 'parameter_invalid', 'expires_at')
  const id = fresh(key.live ? 'cs_live' : 'cs_test')
  const session = {
    id,
    object: 'checkout.session',
    account: key.account,
    livemode: key.live,
    mode: 'payment',
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: null,
    url: `${origin}/pay/${id}`,
    amount_total: Number(unit_amount),
    currency,
    expires_at: Number(body.expires_at),
    client_reference_id: body.client_reference_id,
    metadata: body.metadata ?? {},
    allowed_payment_method_types: Object.values(body.allowed_payment_method_types ?? {}),
    adaptive_pricing: { enabled: Object(body.adaptive_pricing).enabled !== 'false' },
    success_url: body.success_url,
    cancel_url: body.cancel_url,
    charged: (nested(text).payment_intent_data as { metadata?: object } | undefined)?.metadata ?? {},
  }
  state.sessions.set(id, session)
  return { status: 200, body: session }
}

const expire = (session: Thing | undefined, { key }: Asked): Answer => {
  if (!session || session.account !== key.account) return missing('checkout.session')
  if (session.status !== 'open')
    return refusal(400, '', 'Only Checkout Sessions with a status in ["open"] can be expired')
  return { status: 200, body: Object.assign(session, { status: 'expired', url: null }) }
}

const listOf = (data: readonly Thing[]): Answer => ({ status: 200, body: { object: 'list', has_more: false, data } })

const sessionsOf = ({ sessions }: State, { key, query }: Asked): Answer =>
  listOf(
    [...sessions.values()].filter(
      (each) => each.account === key.account && each.payment_intent === query.get('payment_intent'),
    ),
  )

const refundsOf = ({ refunds, charges }: State, { key, query }: Asked): Answer => {
  const of = query.get('payment_intent') ?? ''
  if (charges.get(of)?.account !== key.account) return missing('payment_intent')
  return listOf([...refunds.values()].filter((each) => each.payment_intent === of))
}

/** A charge may be told to refuse what is asked for, or to have it fail at once. */
export type RefundFault = 'balance_insufficient' | 'failed'

const refund = (state: State, { key, text }: Asked): Answer => {
  const { payment_intent = '', amount, metadata } = nested(text) as Record<string, string>
  const charge = state.charges.get(payment_intent)
  if (!charge || charge.account !== key.account) return missing('payment_intent')
  const left = Number(charge.amount) - Number(charge.amount_refunded)
  const asked = amount === undefined ? left : Number(amount)
  if (left === 0) return refusal(400, 'charge_already_refunded', 'Nothing is left to refund')
  if (!(asked > 0 && asked <= left)) return refusal(400, 'amount_too_large', 'More than what is left')
  const fault = charge.fault as RefundFault | undefined
  if (fault === 'balance_insufficient') return refusal(400, fault, 'Insufficient funds')
  return { status: 200, body: refunded(state, charge, asked, { metadata, status: fault ?? 'succeeded' }) }
}

/** Gives back so much of a charge; what has failed leaves it as it was. */
export const refunded = (
  { refunds }: State,
  charge: Thing,
  amount: number,
  how: { metadata?: unknown; status: string },
): Thing => {
  const { payment_intent, currency } = charge
  if (how.status !== 'failed') charge.amount_refunded = Number(charge.amount_refunded) + amount
  charge.refunded = charge.amount_refunded === charge.amount
  const made = { id: fresh('re'), object: 'refund', amount, currency, payment_intent, metadata: {}, ...how }
  refunds.set(made.id, made)
  return made
}
