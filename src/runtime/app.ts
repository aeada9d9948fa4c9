import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import Koa, { type Context } from 'koa'
import type { Logger } from 'pino'
import { networkOf } from '../../adapters/http/core/network-of.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { pageHeaders } from '../../adapters/http/pages/message.ts'
import { failures } from '../../adapters/http/serving/failures.ts'
import { mount, type Service } from '../../adapters/http/serving/mount.ts'
import { mustNameOneHost } from '../../adapters/http/serving/one-host.ts'
import { createRoutes, type Routes } from '../../adapters/http/serving/routes.ts'
import { safeHeaders } from '../../adapters/http/serving/safe-headers.ts'
import type { InboxMessage } from '../../adapters/mail/dev-inbox.ts'
import type { World } from '../../domain/kernel/ports.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { ForwardingWatch } from './forwarded.ts'
import { requests } from './requests.ts'
import { servedSurfaces } from './surfaces.ts'

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
  metrics: Pick<Metrics, 'answered'>
  tracer: Tracer | undefined
  readiness(): Promise<Readiness>
  /** The letters of the development inbox; undefined without one. */
  inbox: (() => readonly InboxMessage[]) | undefined
  forwarding: ForwardingWatch
}

/** One Koa application with all three surfaces; their paths do not collide. */
export const createApp = (parts: AppParts): Koa => {
  const { service, world, log, metrics, tracer, readiness, inbox, forwarding } = parts
  // Only the last entries of X-Forwarded-For are written by our proxies; whatever a caller wrote before them is
  // ignored.
  const koa = new Koa({ proxy: forwarding.trusted > 0, maxIpsCount: forwarding.trusted })
  const routes = createRoutes()
  const all = servedSurfaces()
  koa.use(requests({ world, log, metrics, tracer, requestLog: service.requestLog }))
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
  routes.on('/openapi.json', GET, visit, async (ctx) => {
    document ??= JSON.stringify((await import('./openapi.ts')).openapiDocument())
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
  routes.on('/dev/inbox', GET, async (ctx) => {
    const { inboxPage } = await import('../../adapters/http/pages/inbox.ts')
    ctx.set(pageHeaders)
    ctx.body = inboxPage(inbox())
  })
  routes.on('/dev/parts', GET, async (ctx) => {
    const { partsPage } = await import('../../adapters/http/pages/dashboard/all-parts.ts')
    const { pagePolicy } = await import('../../adapters/http/pages/people-page.ts')
    ctx.set({ ...pageHeaders, 'Content-Security-Policy': pagePolicy() })
    ctx.body = partsPage(ctx.get('accept-language'))
  })
  routes.on('/dev/inbox.json', GET, (ctx) => {
    ctx.body = inbox().map(({ to, subject, text, links }) => ({ to, subject, text, links }))
  })
}
