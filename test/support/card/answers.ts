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
  const [, session] = /^\/v1\/checkout\/sessions\/([^/]+)$/.exec(path) ?? []
  if (method === 'GET' && session) {
    const known = state.sessions.get(session)
    return known && known.account === key.account ? { status: 200, body: known } : missing('checkout.session')
  }
  if (call === 'POST /v1/refunds') return refund(state, asked)
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
  const body = nested(text) as Record<string, string> & { metadata?: object }
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
    ...{ id, object: 'checkout.session', account: key.account, livemode: key.live, mode: 'payment' },
    ...{ status: 'open', payment_status: 'unpaid', payment_intent: null, url: `${origin}/pay/${id}` },
    ...{ amount_total: Number(unit_amount), currency, expires_at: Number(body.expires_at) },
    ...{ client_reference_id: body.client_reference_id, metadata: body.metadata ?? {} },
    ...{ success_url: body.success_url, cancel_url: body.cancel_url },
    charged: (nested(text).payment_intent_data as { metadata?: object } | undefined)?.metadata ?? {},
  }
  state.sessions.set(id, session)
  return { status: 200, body: session }
}

const refund = (state: State, { key, text }: Asked): Answer => {
  const { payment_intent = '', amount } = nested(text) as Record<string, string>
  const charge = state.charges.get(payment_intent)
  if (!charge || charge.account !== key.account) return missing('payment_intent')
  const left = Number(charge.amount) - Number(charge.amount_refunded)
  const asked = amount === undefined ? left : Number(amount)
  if (!(asked > 0 && asked <= left)) return refusal(400, 'charge_already_refunded', 'Nothing is left to refund')
  charge.amount_refunded = Number(charge.amount_refunded) + asked
  charge.refunded = charge.amount_refunded === charge.amount
  const made = { id: fresh('re'), object: 'refund', amount: asked, payment_intent, status: 'succeeded' }
  state.refunds.set(made.id, made)
  return { status: 200, body: made }
}
