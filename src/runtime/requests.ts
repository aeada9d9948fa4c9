import type { Context } from 'koa'
import type { Logger } from 'pino'
import { cookieName } from '../../adapters/http/core/cookies.ts'
import { MEMBER_COOKIE, SESSION_COOKIE } from '../../adapters/http/core/csrf.ts'
import type { Endpoint } from '../../adapters/http/core/endpoint.ts'
import type { Service } from '../../adapters/http/serving/mount.ts'
import type { LoggedCaller } from '../../adapters/postgres/requests/request-rows.ts'
import { PAYMENT_HEADERS } from '../../adapters/x402/header.ts'
import type { World } from '../../domain/kernel/ports.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { nameOfTrace } from '../tracing/places.ts'
import { beginRequest, type Span, type Tracer } from '../tracing/tracer.ts'

/** How a request is named, counted, traced and logged. */

type Parts = {
  readonly world: World
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'answered'>
  readonly tracer: Tracer | undefined
  readonly requestLog: Service['requestLog']
}

/** Names every request, counts it and logs it: method, route, status and time, never a body, a query or a key. */
export const requests =
  ({ world, log, metrics, tracer, requestLog }: Parts) =>
  async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    const requestId = nameOf(ctx, tracer !== undefined) ?? world.id('req')
    ctx.state.requestId = requestId
    ctx.set('X-Request-Id', requestId)
    const span = UNTRACED.has(ctx.path) ? undefined : beginRequest(tracer, ctx.method, requestId)
    const start = performance.now()
    await next()
    // A body that nobody read may never end: the next request must not come on this connection.
    if (!ctx.req.complete) ctx.set('Connection', 'close')
    const ms = performance.now() - start
    const route = String((ctx as { _matchedRoute?: unknown })._matchedRoute ?? 'none')
    metrics.answered(answeredCall(ctx, route, ms / 1000))
    endSpan(span, ctx.status, route)
    log.info({ requestId, method: ctx.method, route, status: ctx.status, ms: Math.round(ms) }, 'request')
    const caller = ctx.state.caller as LoggedCaller | undefined
    if (!caller) return
    const { method, status } = ctx
    requestLog.note({
      caller,
      at: world.now().getTime(),
      method,
      path: loggedPath(ctx),
      status,
      requestId,
      ms: Math.round(ms),
    })
  }

/** Whoever asks for the health of the service does so all the time. */
const UNTRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * The name that a request brings: its own, or else, in a service that is traced, that of the trace of its caller.
 * Undefined without one that is plain.
 */
const nameOf = (ctx: Context, isTraced: boolean): string | undefined => {
  // Platforms of the commerce protocol name their calls in Request-Id, without the X, and get that header back.
  const plain = ctx.get('request-id')
  const given = ctx.get('x-request-id') || plain
  if (!/^[\w.-]{8,64}$/.test(given)) return isTraced ? nameOfTrace(ctx.get('traceparent')) : undefined
  if (given === plain) ctx.set('Request-Id', plain)
  return given
}

const endSpan = (span: Span | undefined, status: number, route: string): void =>
  span?.end(
    { 'http.response.status_code': status, 'http.route': route },
    status >= 500 ? `status ${status}` : undefined,
  )

const answeredCall = (ctx: Context, route: string, seconds: number) => ({
  method: ctx.method,
  route,
  status: ctx.status,
  seconds,
  refusal: ctx.state.refusal as string | undefined,
  pays: PAYMENT_HEADERS.some((name) => ctx.get(name) !== ''),
  paymentFault: ctx.status === 402 ? faultIn(ctx.body) : undefined,
  signsIn: setCookies(ctx).some((cookie) => BEGINS_SESSION.test(cookie)),
})

const faultIn = (body: unknown): string | undefined => {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: unknown }
  return typeof error === 'string' ? error : undefined
}

const setCookies = (ctx: Context): readonly string[] => {
  const set = ctx.response.get('set-cookie') as unknown
  return Array.isArray(set) ? set : typeof set === 'string' ? [set] : []
}

/** A cookie with the secret of a session, and not one that takes it away. */
const BEGINS_SESSION = new RegExp(
  `^(${[SESSION_COOKIE, MEMBER_COOKIE]
    .flatMap((name) => ['http:', 'https:'].map((origin) => cookieName(name, origin)))
    .join('|')})=[^;]`,
)

/**
 * The path as the request log has it. What stands in the query or in a form is left out, but for the words of ours by
 * which an operation is picked.
 */
const loggedPath = (ctx: Context): string => {
  const when = (ctx.state.endpoint as Endpoint | undefined)?.when
  const path = ctx.path.slice(0, LOGGED_PATH_MAX)
  if (!when) return path
  const words = Object.entries(when).flatMap(([name, value]) => (value === true ? [] : [`${name}=${value}`]))
  return words.length === 0 ? path : `${path}?${words.join('&')}`
}

/** Characters of a path that the request log keeps. */
const LOGGED_PATH_MAX = 200
