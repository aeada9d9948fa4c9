import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import Koa, { type Context } from 'koa'
import type { Logger } from 'pino'
import type { Endpoint } from '../../adapters/http/core/endpoint.ts'
import { networkOf } from '../../adapters/http/core/network-of.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { partsPage } from '../../adapters/http/pages/dashboard/all-parts.ts'
import { inboxPage } from '../../adapters/http/pages/inbox.ts'
import { pageHeaders } from '../../adapters/http/pages/message.ts'
import { pagePolicy } from '../../adapters/http/pages/people-page.ts'
import { failures } from '../../adapters/http/serving/failures.ts'
import { mount, type Service } from '../../adapters/http/serving/mount.ts'
import { mustNameOneHost } from '../../adapters/http/serving/one-host.ts'
import { createRoutes, type Routes } from '../../adapters/http/serving/routes.ts'
import { safeHeaders } from '../../adapters/http/serving/safe-headers.ts'
import type { InboxMessage } from '../../adapters/mail/dev-inbox.ts'
import type { LoggedCaller } from '../../adapters/postgres/requests/request-rows.ts'
import type { World } from '../../domain/kernel/ports.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { ForwardingWatch } from './forwarded.ts'
import { openapiDocument, surfaces } from './openapi.ts'

export type Readiness = {
  /** Whether this process can serve. */
  ready: boolean
  /** `degraded`: it serves, and something that all processes share is behind. */
  status: 'ok' | 'degraded' | 'unready'
  checks: Readonly<Record<string, unknown>>
}

export type AppParts = {
  service: Service
  world: World
  log: Logger
  metrics: Metrics
  readiness(): Promise<Readiness>
  /** The letters of the development inbox; undefined without one. */
  inbox: (() => readonly InboxMessage[]) | undefined
  forwarding: ForwardingWatch
}

/** One Koa application with all three surfaces; their paths do not collide. */
export const createApp = (parts: AppParts): Koa => {
  const { service, world, log, metrics, readiness, inbox, forwarding } = parts
  // Only the last entries of X-Forwarded-For are written by our proxies; whatever a caller wrote before them is
  // ignored.
  const koa = new Koa({ proxy: forwarding.trusted > 0, maxIpsCount: forwarding.trusted })
  const routes = createRoutes()
  const all = surfaces()
  koa.use(requests({ world, log, metrics, requestLog: service.requestLog }))
  koa.use((ctx, next) => {
    forwarding.see(ctx)
    return next()
  })
  koa.use(safeHeaders(service.outside.origins.base))
  koa.use(failures(log, (path) => surfaceOf(all, path)))
  const visit = visits(service)
  system(routes, readiness, visit)
  if (inbox) devPages(routes, inbox)
  for (const surface of all) mount(routes, surface, service)
  koa.use(routes.middleware())
  koa.use((ctx, next) => {
    mustNameOneHost(ctx)
    return next()
  })
  koa.use(visit)
  koa.use(routes.allowedMethods())
  koa.on('error', (error: unknown) => log.warn({ err: error }, 'a connection broke'))
  return koa
}

/** Paths that no endpoint knows still answer in the words of their surface. */
const surfaceOf = (all: readonly Surface[], path: string): Surface => {
  const name = /^\/(oauth2\b|\.well-known\b(?!\/ucp$))/.test(path) ? 'auth' : /\.php$/.test(path) ? 'pay' : 'agent'
  return all.find((surface) => surface.name === name) as Surface
}

/** Names every request, counts it and logs it: method, route, status and time, never a body, a query or a key. */
const requests =
  ({ world, log, metrics, requestLog }: Pick<AppParts, 'world' | 'log' | 'metrics'> & Pick<Service, 'requestLog'>) =>
  async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    // Platforms of the commerce protocol name their calls in Request-Id, without the X, and get that header back.
    const plain = ctx.get('request-id')
    const given = ctx.get('x-request-id') || plain
    const requestId = /^[\w.-]{8,64}$/.test(given) ? given : world.id('req')
    ctx.state.requestId = requestId
    ctx.set('X-Request-Id', requestId)
    if (given === plain && requestId === plain) ctx.set('Request-Id', plain)
    const start = performance.now()
    await next()
    // A body that nobody read may never end: the next request must not come on this connection.
    if (!ctx.req.complete) ctx.set('Connection', 'close')
    const ms = performance.now() - start
    const route = String((ctx as { _matchedRoute?: unknown })._matchedRoute ?? 'none')
    metrics.request(ctx.method, route, ctx.status, ms / 1000)
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

/** Counts whoever calls a path that no endpoint answers for as a visitor (N-09). */
const visits =
  ({ limits }: Pick<Service, 'limits'>) =>
  async (ctx: Context, next: () => Promise<unknown>): Promise<unknown> => {
    await limits.visitor.take(networkOf(ctx.ip))
    return await next()
  }

const GET = ['GET']

/**
 * The paths of the system. Whoever asks for the health of the service is not counted: a refusal would make the service
 * seem dead.
 */
const system = (routes: Routes, readiness: () => Promise<Readiness>, visit: ReturnType<typeof visits>) => {
  let document: string | undefined
  routes.on('/openapi.json', GET, visit, (ctx) => {
    document ??= JSON.stringify(openapiDocument())
    ctx.type = 'json'
    ctx.body = document
  })
  routes.on('/healthz', GET, (ctx) => {
    ctx.body = { alive: true }
  })
  routes.on('/readyz', GET, async (ctx) => {
    const { ready, status, checks } = await readiness()
    ctx.status = ready ? 200 : 503
    if (!ready) ctx.set('Retry-After', '1')
    ctx.body = { ready, status, checks }
  })
  for (const [name, url] of assets())
    routes.on(`/assets/${name}`, GET, visit, async (ctx) => {
      ctx.set('Cache-Control', 'max-age=300')
      ctx.type = extname(name)
      ctx.body = await readFile(url)
    })
}

/** The files that pages load: our own, and one library as its package ships it. */
const assets = (): readonly (readonly [name: string, url: URL])[] => [
  ...['tokens.css', 'daybook.css', 'people.css', 'passkey.js', ...STORE].map(
    (name) => [name, new URL(`../../adapters/http/pages/${name}`, import.meta.url)] as const,
  ),
  ...BUYER.map((name) => [name, new URL(`../../adapters/http/pages/buyer/${name}`, import.meta.url)] as const),
  ...DASHBOARD.map(
    (name) => [`dashboard/${name}`, new URL(`../../adapters/http/pages/dashboard/${name}`, import.meta.url)] as const,
  ),
  ...AUDIT.map(
    (name) => [`audit/${name}`, new URL(`../../adapters/http/pages/audit/${name}`, import.meta.url)] as const,
  ),
  ['webauthn.js', new URL('../dist/bundle/index.umd.min.js', import.meta.resolve('@simplewebauthn/browser'))],
]

const STORE = ['store/store.css', 'store/store-icon.svg']

const DASHBOARD = [
  'dashboard.css',
  'copy.js',
  'check.js',
  'live.js',
  'till/till.css',
  'till/till.js',
  'till/till.webmanifest',
  'till/till-icon.svg',
]

const BUYER = ['pay.css', 'pay.js', 'wallet.js']

const AUDIT = [
  'audit.css',
  'views.css',
  'api.js',
  'books.js',
  'charts.js',
  'dom.js',
  'exports.js',
  'life.js',
  'main.js',
  'proved.js',
  'seals.js',
  'timeline.js',
  'trust.js',
  'unsealed.js',
  'verify.js',
  'verifying.js',
]

/** Pages of a development: the mail that would have been sent, and the parts that screens are made of. */
const devPages = (routes: Routes, inbox: () => readonly InboxMessage[]) => {
  routes.on('/dev/inbox', GET, (ctx) => {
    ctx.set(pageHeaders)
    ctx.body = inboxPage(inbox())
  })
  routes.on('/dev/parts', GET, (ctx) => {
    ctx.set({ ...pageHeaders, 'Content-Security-Policy': pagePolicy() })
    ctx.body = partsPage(ctx.get('accept-language'))
  })
  routes.on('/dev/inbox.json', GET, (ctx) => {
    ctx.body = inbox().map(({ to, subject, text, links }) => ({ to, subject, text, links }))
  })
}
