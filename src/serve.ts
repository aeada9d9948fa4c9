import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Logger, pino } from 'pino'
import { addresses } from '../adapters/chains/addresses.ts'
import { startFeed } from '../adapters/following/feed.ts'
import { type DevInbox, startDevInbox } from '../adapters/mail/dev-inbox.ts'
import { smtpMail } from '../adapters/mail/smtp.ts'
import { createOutbound } from '../adapters/outbound/signed-post.ts'
import { createPasswords } from '../adapters/passwords.ts'
import { createLeases } from '../adapters/postgres/lease.ts'
import { fixedRates } from '../adapters/rates/fixed.ts'
import { WEBHOOK_USER_AGENT } from '../domain/effects/send-delivery.ts'
import type { Outside } from '../domain/flows/flow.ts'
import { createLedger } from '../domain/ledger.ts'
import type { World } from '../domain/ports.ts'
import { createQueries } from '../projections/index.ts'
import { createApp } from './app.ts'
import { openChains, watchChains } from './chains.ts'
import type { Config } from './config.ts'
import { openFoundation, openRecords } from './foundation.ts'
import { createMetrics } from './metrics.ts'
import { readinessOf } from './readiness.ts'
import { startWorkers } from './workers.ts'
import { world as realWorld } from './world.ts'

export type Served = {
  readonly origin: string
  readonly metricsUrl: string
  readonly inboxUrl: string | undefined
  readonly sandboxUrl: string | undefined
  readonly eventStoreUrl: string
  /** Answers what is under way, then lets everything go. */
  stop(): Promise<void>
}

/** How long requests under way may take once a stop has begun. */
const DRAIN_MS = 10_000
/** Addresses are watched this long after their challenges have expired. */
const LATE_HOURS = 24
/** How long a start waits for the read models to come up to the log. */
const CATCH_UP_MS = 30_000
const REQUEST_TIMEOUT_MS = 30_000

/** Starts everything and answers once the service can be used. */
export const serve = async (config: Config, worldParts: Partial<World> = {}): Promise<Served> => {
  const log = createLog(config)
  const closers: (() => unknown)[] = []
  const stop = async () => {
    for (const closer of closers.splice(0).reverse())
      await Promise.resolve(closer()).catch((error: unknown) => log.warn({ err: error }, 'stopping'))
  }
  try {
    return await start(config, { ...realWorld, ...worldParts }, log, closers, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

const start = async (
  config: Config,
  world: World,
  log: Logger,
  closers: (() => unknown)[],
  stop: () => Promise<void>,
): Promise<Served> => {
  let handler = starting
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => handler(request, response))
  const port = await listening(server, config.port)
  const origins = { ...config.origins, ...(config.port === 0 && sameOrigin(port)) }
  const foundation = await openFoundation(config, (message, facts) => log.warn(facts, message))
  closers.push(() => foundation.close())
  const records = await openRecords(foundation)
  closers.push(() => records.close())
  const chains = await openChains(config, foundation.dataDir.sandboxState, log)
  closers.push(() => chains.close())
  const outbound = createOutbound({ allow: config.outboundAllow, userAgent: WEBHOOK_USER_AGENT })
  closers.push(() => outbound.close())
  const inbox = config.smtpUrl ? undefined : await startDevInbox()
  if (inbox) closers.push(() => inbox.stop())
  const mail = smtpMail(config.smtpUrl ?? (inbox as DevInbox).url, config.mailFrom)
  closers.push(() => mail.close())

  const { store, sql } = foundation
  const { vault, snapshots, checkpoints } = records
  const doors = createLedger(store, world, snapshots)
  const feed = await startFeed(store)
  closers.push(() => feed.stop())
  const leases = createLeases(foundation.databaseUrl)
  closers.push(() => leases.close())
  const effectContext = { world, vault, outbound, mail }
  const workers = startWorkers({ sql, store, feed, leases, checkpoints, doors, effectContext, log })
  closers.push(() => workers.stop())
  if (!(await workers.projected(feed.head(), CATCH_UP_MS))) log.warn({}, 'read models are still behind the log')

  const queries = createQueries(sql)
  const watching = new AbortController()
  const watched = async (network: string) => {
    if (!(await workers.projected(await store.head(), 1_000))) return undefined
    const since = new Date(world.now().getTime() - LATE_HOURS * 3_600_000).toISOString()
    return new Set(await queries.watchedAddresses(network, since))
  }
  const watch = watchChains(chains, { leases, doors, log, addresses: watched }, watching.signal)
  closers.push(() => {
    watching.abort()
    return watch
  })

  const rates = fixedRates()
  const passwords = createPasswords()
  const outside: Outside = { world, vault, passwords, addresses, rates, outbound, chains: chains.byNetwork, origins }
  const metrics = createMetrics(() => {
    const head = feed.head()
    return new Map([...workers.positions()].map(([name, at]) => [name, Number(head - at)]))
  })
  const app = createApp({
    service: { openLedger: doors.open, outside, queries, settled: workers.settled },
    world,
    log,
    metrics,
    readiness: readinessOf({ store, sql, feed, workers, chains: chains.byNetwork }),
    inbox: inbox && (() => inbox.messages()),
  })
  handler = app.callback()
  closers.push(() => drained(server))
  const metricsServer = await metrics.serve(config.metricsPort)
  closers.push(() => metricsServer.stop())
  const { dataDir, databaseUrl, eventStoreUrl } = foundation
  const sandboxUrl = chains.sandbox?.url
  dataDir.writeRunning({
    pid: process.pid,
    origin: origins.base,
    databaseUrl,
    eventStoreUrl,
    sandboxUrl: sandboxUrl ?? null,
  })
  closers.push(() => dataDir.clearRunning())
  return {
    origin: origins.base,
    metricsUrl: `http://127.0.0.1:${metricsServer.port}/metrics`,
    inboxUrl: inbox && `${origins.base}/dev/inbox`,
    sandboxUrl,
    eventStoreUrl,
    stop,
  }
}

/** Answers before everything is there: the port is taken first, so that a taken one is known at once. */
const starting: RequestListener = (_, response) => {
  response.writeHead(503, { 'Content-Type': 'application/json', 'Retry-After': '1' })
  response.end(
    JSON.stringify({ success: false, error: 'svc_unavailable', error_code: 'svc_unavailable', message: 'Starting.' }),
  )
}

const createLog = (config: Config): Logger =>
  pino({
    level: config.logLevel,
    base: { service: 'daybook' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['*.password', '*.apiKey', '*.secret', '*.token', 'headers["x-api-key"]', 'headers.authorization'],
  })

const listening = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, () => resolve((server.address() as AddressInfo).port))
  })

const sameOrigin = (port: number) => {
  const origin = `http://localhost:${port}`
  return { base: origin, auth: origin, pay: origin }
}

/** Stops taking connections, lets requests under way end, and cuts what is left when the time is up. */
const drained = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
