import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { eventually } from '../../../src/demo/stage.ts'
import { type Answer, answerTo, type RefundFault, refunded, refusal } from './answers.ts'
import { createState, fresh, type State, type Thing } from './state.ts'

/**
 * A card processor that tests stand up: it remembers, signs what it tells, knows a repeat by its idempotency key, shows
 * a page on which a person pays, and can be down, slow, busy or lying. The real SDK of the processor drives it, in its
 * own test.
 */

export type Fault = 'down' | 'error' | 'busy' | 'garbage'
export type CardProcessor = Awaited<ReturnType<typeof startCardProcessor>>

/** Longer than anybody waits for an answer. */
const SLOW_MS = 30_000

export const startCardProcessor = async () => {
  const state = createState()
  /** Of every call under the empty key, else of those with this credential. */
  const faults = new Map<string, Fault>()
  /** Laid over every session that is answered. */
  let lie: object = {}
  /** Loses the answers of the next calls that it matches, after having done what was asked. */
  let loses: { which: (call: string, text: string) => boolean; left: number } | undefined
  /** Calls that are answered only once another one was made. */
  const waits = new Map<string, string>()
  const calls: string[] = []
  /** Keys that get no answer. */
  const asleep = new Set<string>()

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', origin())
    const text = (await Array.fromAsync(request)).join('')
    const method = request.method ?? 'GET'
    if (path.startsWith('/pay/')) return page(method, path.slice('/pay/'.length), response)
    const call = `${method} ${path}`
    calls.push(call)
    const other = waits.get(call)
    if (other !== undefined) await eventually(other, async () => calls.includes(other))
    const fault = faults.get('') ?? faults.get(request.headers.authorization ?? '')
    if (fault === 'down') return request.socket.destroy()
    if (asleep.has(request.headers.authorization ?? ''))
      return void setTimeout(() => response.destroy(), SLOW_MS).unref()
    if (fault === 'garbage') return response.end('<html>502</html>')
    const { status, body } = fault
      ? refusal(fault === 'busy' ? 429 : 500, fault, 'fault', fault === 'busy' ? 'rate_limit_error' : 'api_error')
      : once(request, { method, path, query, text })
    if (loses && loses.left > 0 && loses.which(call, text)) {
      loses.left--
      return request.socket.destroy()
    }
    const isSession = 'object' in body && body.object === 'checkout.session'
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': fresh('req') })
    response.end(JSON.stringify(isSession ? { ...body, ...lie } : body))
  }

  const once = (
    request: IncomingMessage,
    asked: { method: string; path: string; query: URLSearchParams; text: string },
  ): Answer => {
    const key = state.keys.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (!key) return refusal(401, 'api_key_invalid', 'Invalid API Key provided')
    const named = request.headers['idempotency-key']
    const answer = () => answerTo(state, { ...asked, key, origin: origin() })
    if (typeof named !== 'string') return answer()
    const known = state.answered.get(`${key.account} ${named}`)
    if (known && known.asked !== asked.text)
      return refusal(
        400,
        'idempotency_key_in_use',
        'Keys can only be used with the same parameters',
        'idempotency_error',
      )
    const given = known ?? { asked: asked.text, ...answer() }
    if (given.status < 500) state.answered.set(`${key.account} ${named}`, given)
    return { status: given.status, body: given.body }
  }

  const page = (method: string, id: string, response: ServerResponse) => {
    const session = state.sessions.get(id)
    if (!session) return response.writeHead(404).end()
    if (method === 'POST') {
      pay(id)
      return response.writeHead(303, { location: String(session.success_url) }).end()
    }
    const price = `${Number(session.amount_total) / 100} ${String(session.currency).toUpperCase()}`
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(
      `<link rel="icon" href="data:,"><h1>Pay ${price}</h1><form method="post"><button>Pay</button></form><a href="${session.cancel_url}">Back</a>`,
    )
  }

  const sessionOf = (id: string): Thing => {
    const session = state.sessions.get(id)
    if (!session) throw new Error(`there is no session ${id}`)
    return session
  }

  /** The card of whoever pays is good. */
  const pay = (id: string): Thing => {
    const session = sessionOf(id)
    if (session.status !== 'open') return session
    const paymentIntent = fresh('pi')
    const { account, amount_total: amount, currency, livemode, charged } = session
    state.charges.set(paymentIntent, {
      id: fresh('ch'),
      object: 'charge',
      account,
      amount,
      amount_refunded: 0,
      refunded: false,
      currency,
      livemode,
      payment_intent: paymentIntent,
      metadata: charged,
    })
    return Object.assign(session, {
      status: 'complete',
      payment_status: 'paid',
      payment_intent: paymentIntent,
      url: null,
    })
  }

  const event = (type: string, object: object) => eventOf(fresh('evt'), type, object)
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url: origin(),
    state,
    calls,
    pay,
    event,
    /** Of all calls, or of those with one secret key. */
    fail(how: Fault | undefined, secretKey?: string) {
      const of = secretKey === undefined ? '' : `Bearer ${secretKey}`
      if (how) faults.set(of, how)
      else faults.delete(of)
    },
    waits: (call: string, other: string) => waits.set(call, other),
    sleeps: (secretKey: string) => asleep.add(`Bearer ${secretKey}`),
    lies(about: object) {
      lie = about
    },
    losesNext(which: (call: string, text: string) => boolean, left = 1) {
      loses = { which, left }
    },
    /** An account at the processor: its keys, a product that is sold once, and how its webhook is signed. */
    account({ live = false, restricted = false } = {}) {
      const account = fresh('acct')
      const mode = live ? 'live' : 'test'
      const secretKey = `${restricted ? 'rk' : 'sk'}_${mode}_${fresh('k').slice(2)}`
      state.keys.set(secretKey, { account, live, restricted })
      const productId = `prod_${fresh('p').slice(2)}`
      const price = { id: fresh('price'), object: 'price', type: 'one_time' }
      const product = { id: productId, object: 'product', account, active: true, livemode: live, default_price: price }
      state.products.set(productId, product)
      const publishableKey = `pk_${mode}_${fresh('k').slice(2)}`
      const keys = { secret_key: secretKey, product_id: productId, webhook_secret: `whsec_${fresh('w').slice(2)}` }
      return { keys, publishableKey, product: product as Thing }
    },
    expire: (id: string) => Object.assign(sessionOf(id), { status: 'expired', url: null }),
    ...returnsOf(state),
    tell,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Posts an event as the processor does, signed with a secret at a time. */
const tell = async (to: string, secret: string, told: object, at = Date.now(), also: readonly string[] = []) => {
  const payload = JSON.stringify(told)
  const timestamp = Math.floor(at / 1_000)
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
  const signature = [header.split(',')[0], ...also.map((each) => `v1=${each}`), header.split(',')[1]].join(',')
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
  const answer = await fetch(to, { method: 'POST', headers, body: payload })
  return { status: answer.status, text: await answer.text() }
}

/** What becomes of money that was charged. */
const returnsOf = (state: State) => ({
  /** What was given back at the processor's own pages. */
  giveBack(paymentIntent: string, amount: number): Thing {
    const charge = state.charges.get(paymentIntent) as Thing
    refunded(state, charge, amount, { status: 'succeeded' })
    return charge
  },
  /** What becomes of refunds of a charge that are asked for from now on. */
  refuses(paymentIntent: string, fault: RefundFault | undefined) {
    Object.assign(state.charges.get(paymentIntent) as Thing, { fault })
  },
  /** The bank does not take what was given back last. */
  failRefund(paymentIntent: string): Thing {
    const last = [...state.refunds.values()].findLast((each) => each.payment_intent === paymentIntent) as Thing
    const charge = state.charges.get(paymentIntent) as Thing
    Object.assign(charge, { amount_refunded: Number(charge.amount_refunded) - Number(last.amount), refunded: false })
    return Object.assign(last, { status: 'failed' })
  },
  dispute: (paymentIntent: string, status = 'needs_response', id = fresh('dp')): Thing => {
    const { amount, currency } = state.charges.get(paymentIntent) as Thing
    return { id, object: 'dispute', amount, currency, payment_intent: paymentIntent, reason: 'fraudulent', status }
  },
})

const eventOf = (id: string, type: string, object: object) => ({
  id,
  object: 'event',
  api_version: '2026-01-01',
  created: Math.floor(Date.now() / 1_000),
  type,
  livemode: false,
  data: { object },
})
