import type { Context } from 'koa'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { Endpoint } from '../core/endpoint.ts'

/** Which methods an operation answers, and what scripts of other origins may do with it. */

/**
 * The headers that a browser looks for before a script of another origin may call. No cookie lets anybody in there, so
 * any origin may (Fetch §3.2).
 */
const CROSS_ORIGIN = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Expose-Headers': [
    'WWW-Authenticate',
    'Retry-After',
    'Location',
    'Idempotency-Replayed',
    'X-Request-Id',
    'PAYMENT-REQUIRED',
    'PAYMENT-RESPONSE',
    'X-PAYMENT-RESPONSE',
  ].join(', '),
} as const

/** The headers that a script may send: those by which it pays, repeats itself, and says what it speaks. */
const SENT = [
  'authorization',
  'content-type',
  'idempotency-key',
  'payment-signature',
  'request-id',
  'ucp-agent',
  'x-api-key',
  'x-payment',
  'x-request-id',
] as const
const PREFLIGHT = { 'Access-Control-Allow-Headers': SENT.join(', '), 'Access-Control-Max-Age': '600' }

/** What picks an operation here picks none. */
export const NO_OPERATION =
  'What picks the operation at this address (a function, an op, an action) is missing or misspelt. Look for it in GET /openapi.json.'

/** Answers OPTIONS for the operations that a request picks. */
export const sayMethods = (ctx: Context, operations: readonly Endpoint[]): void => {
  if (operations.length === 0) refuse('route-not-found', NO_OPERATION)
  const allow = allowed(operations)
  ctx.status = 204
  ctx.body = ''
  ctx.set('Allow', allow)
  const shared = operations.filter(isShared)
  if (shared.length === 0) return
  ctx.set({ ...CROSS_ORIGIN, ...PREFLIGHT, 'Access-Control-Allow-Methods': allowed(shared) })
}

/** Lets a script of another origin read the answer, whatever it will be. */
export const shareAnswer = (ctx: Context, e: Endpoint): void => {
  if (isShared(e)) ctx.set(CROSS_ORIGIN)
}

/**
 * Whether scripts of other origins may call an operation. What a publishable sandbox key may call is called from pages:
 * the key stands in them (N-28).
 */
export const isShared = ({ callers }: Endpoint): boolean =>
  callers?.crossOrigin === true || callers?.sandbox === 'publishable'

/** The operation of a request's method. Refuses `method-not-allowed`, and names the methods that there are. */
export const byMethod = (ctx: Context, operations: readonly Endpoint[]): Endpoint => {
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method
  const found = operations.find((e) => e.method === method.toLowerCase())
  if (found) return found
  ctx.set('Allow', allowed(operations))
  return refuse(
    'method-not-allowed',
    `This address does not answer ${ctx.method}. Take one of those in the header Allow.`,
  )
}

const allowed = (operations: readonly Endpoint[]): string =>
  [...new Set(operations.map(({ method }) => method.toUpperCase()))].sort().join(', ')
