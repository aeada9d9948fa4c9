import type { Logger } from 'pino'
import { createPasswords } from '../../adapters/crypto/passwords.ts'
import type { Service } from '../../adapters/http/serving/mount.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import type { Passwords, World } from '../../domain/kernel/ports.ts'
import { startEngine } from '../engine/engine.ts'
import { type Foundation, openFoundation, openRecords, type Records } from '../engine/foundation.ts'
import { createMetrics, type GaugeSources } from '../monitoring/metrics.ts'
import { openObservers } from '../monitoring/observers.ts'
import { type OpenOutside, openOutside } from '../outside/outside.ts'
import type { Config } from '../settings/config.ts'
import { createLog } from '../settings/log.ts'
import type { SandboxUrls } from '../settings/sandbox.ts'
import { type ServiceRole, WHOLE_SERVICE } from '../settings/service-role.ts'
import { mustBeSameChains, mustShare } from '../settings/sharing.ts'
import { world as realWorld } from '../settings/world.ts'
import { claimAtStart } from './address-claims.ts'
import { createApp, type Readiness } from './app.ts'
import { openCallLimits } from './call-limits.ts'
import { watchForwarding } from './forwarded.ts'
import { openFront } from './front.ts'
import { healthOnly } from './health-only.ts'
import { readinessOf } from './readiness.ts'

export type RunningService = {
  readonly origin: string
  readonly metricsUrl: string
  readonly inboxUrl: string | undefined
  readonly sandbox: SandboxUrls | undefined
  readonly eventStoreUrl: string
  /** Says at `/readyz` that it stops, and serves on. */
  announceStop(): void
  /** Answers what is under way, then lets everything go. */
  stop(): Promise<void>
}

/** What tests replace of the real world. */
export type WorldParts = Partial<World> & { readonly passwords?: Passwords; readonly openPool?: typeof connect }

/** Starts everything that its role has and answers once the service can be used. */
export const serve = async (
  config: Config,
  { passwords = createPasswords(), openPool = connect, ...worldParts }: WorldParts = {},
  role: ServiceRole = WHOLE_SERVICE,
): Promise<RunningService> => {
  const { log, close: closeLog } = createLog(config)
  const closers: (() => unknown)[] = [closeLog]
  for (const unknown of config.unknownSettings) log.warn(unknown)
  const stop = async () => {
    for (const closer of closers.splice(0).reverse())
      await Promise.resolve(closer()).catch((error: unknown) => log.warn({ err: error }, 'stopping'))
  }
  try {
    const world = { ...realWorld, ...worldParts }
    const running = await start(config, role, { world, passwords, openPool }, log, (closer) => closers.push(closer))
    return { ...running, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type CloseRegistrar = (close: () => unknown) => void

const start = async (
  config: Config,
  role: ServiceRole,
  { world, passwords, openPool }: { readonly world: World } & Required<Pick<WorldParts, 'passwords' | 'openPool'>>,
  log: Logger,
  closing: CloseRegistrar,
): Promise<Omit<RunningService, 'stop'>> => {
  const front = await openFront(config, role)
  closing(() => front.close())
  const origins = withPort(config.origins, front.port)
  const { foundation, records } = await openGround(config, log, closing, openPool)
  const { dataDir, databaseUrl, eventStoreUrl } = foundation
  const { sandboxState, letters: lettersFile } = dataDir
  const parts = { world, passwords, vault: records.vault, origins, sandboxState, lettersFile, log }
  const open = await openOutside(config, parts, closing)
  await mustBeSameChains(foundation.sql, open.chains.byNetwork, config.chains)
  const { registry, ...observers } = await openObservers(config, log, closing)
  const observed = { ...open, ...observers }
  const engine = await startEngine({ ...config, parts: role.parts }, foundation, records, observed, log, closing)
  const { doors, queries, workers } = engine
  const { outside, chains, relayers, inbox, ratesReport } = open
  const stopping = new AbortController()
  await claimAtStart(config, chains, outside.addresses, { queries, workers, doors, log })
  const calls = openCallLimits(config, records, engine.presence, log)
  closing(() => calls.close())
  const forwarding = watchForwarding(config.trustedProxies, origins.base, log)
  const readiness = readinessOf({ foundation, engine, ratesReport, relayers, forwarding })
  const asked = { ...records, ...config, calls, readiness }
  const metrics = createMetrics(registry, gaugesOf(foundation, engine, open, asked))
  const app = createApp({
    service: serviceOf(calls.limits, records, engine, outside, stopping.signal),
    world,
    log,
    metrics,
    tracer: observers.tracer,
    forwarding,
    readiness,
    inbox: inbox && (() => inbox.messages()),
  })
  front.open(role.parts.includes('web') ? app.callback() : healthOnly(app.callback()))
  closing(() => front.drain())
  closing(() => stopping.abort())
  const metricsServer = await metrics.serve(config)
  closing(() => metricsServer.stop())
  const sandbox = chains.sandbox?.urls
  dataDir.writeRunning({ pid: process.pid, origin: origins.base, databaseUrl, eventStoreUrl, sandbox: sandbox ?? null })
  closing(() => dataDir.clearRunning())
  const places = placesOf(origins.base, metricsServer.url, inbox !== undefined)
  return { ...places, sandbox, eventStoreUrl, announceStop: front.announceStop }
}

/** The log, the database, and what stands in it beside the read models. */
const openGround = async (config: Config, log: Logger, closing: CloseRegistrar, openPool: typeof connect) => {
  const warn = (message: string, facts: object) => log.warn(facts, message)
  const foundation = await openFoundation(config, warn, openPool)
  closing(() => foundation.close())
  await mustShare(foundation.sql, config)
  const records = await openRecords(foundation, warn)
  closing(() => records.close())
  return { foundation, records }
}

const placesOf = (origin: string, metricsUrl: string, hasInbox: boolean) => ({
  origin,
  metricsUrl,
  inboxUrl: hasInbox ? `${origin}/dev/inbox` : undefined,
})

type RunningEngine = Awaited<ReturnType<typeof startEngine>>

/** The parts that requests are answered with. */
const serviceOf = (
  limits: Service['limits'],
  { signIn, pictures, requestLog }: Records,
  { doors, queries, shown, workers, audit, watch }: RunningEngine,
  outside: OpenOutside['outside'],
  stopping: AbortSignal,
): Service => ({
  openLedger: doors.open,
  outside,
  queries,
  shown,
  audit,
  limits,
  signIn,
  pictures,
  requestLog,
  chainHealth: watch.health,
  settled: workers.settled,
  current: workers.current,
  heard: workers.heard,
  keepUp: workers.keepUp,
  stopping,
})

const gaugesOf = (
  { store, parts }: Pick<Foundation, 'store' | 'parts'>,
  engine: RunningEngine,
  { ratesReport, relayers }: Pick<OpenOutside, 'ratesReport' | 'relayers'>,
  {
    requestLog,
    calls,
    readiness,
    dataDir,
  }: Pick<Records, 'requestLog'> & {
    readonly dataDir: string
    readonly calls: { countsAlone(): boolean }
    readonly readiness: () => Promise<Readiness>
  },
): GaugeSources => ({
  callsCountedAlone: calls.countsAlone,
  processes: {
    followers: () => [...engine.workers.positions().keys()],
    running: engine.workers.running,
    alive: () => engine.presence.members().length,
  },
  unlisted: requestLog.dropped,
  contention: () => engine.doors.counts,
  head: engine.feed.head,
  positions: engine.workers.positions,
  rates: ratesReport,
  chains: engine.watch.health,
  relayers: relayers.report,
  mirror: engine.mirror,
  cuts: store.cuts,
  reading: store.reading,
  stops: engine.workers.stops,
  heads: engine.heads.report,
  installation: {
    dataDir,
    parts,
    isReady: async () => (await readiness()).ready,
    isSealRefused: () => engine.seals.report().status === 'refused',
    sealWaiting: engine.seals.waiting,
  },
  backups: engine.backups,
})

/** With PORT=0 the port is known only now; origins that were set stay as they are. */
const withPort = ({ base, auth, pay, shop }: Config['origins'], port: number): Config['origins'] => {
  const known = (origin: string) => (origin === 'http://localhost:0' ? `http://localhost:${port}` : origin)
  return { base: known(base), auth: known(auth), pay: known(pay), shop: known(shop) }
}
