import type { Logger } from 'pino'
import { transactionLife } from '../../adapters/audit/transaction-life.ts'
import { DOWNLOADS_MAX } from '../../adapters/http/agent/common/downloads.ts'
import type { AuditReads } from '../../adapters/http/core/audit-reads.ts'
import { type ExportFacts, tied } from '../../adapters/journal-export/export-head.ts'
import { openJournalExport } from '../../adapters/journal-export/open.ts'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import type { Presence } from '../../adapters/processes/presence.ts'
import type { ProcessReports } from '../../adapters/processes/reports.ts'
import type { ByteLog } from '../../adapters/store/base/bytes.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { RecordedEvent, Vault, World } from '../../domain/kernel/ports.ts'
import { sentWebhook } from '../../domain/reading/sent-webhook.ts'
import type { Ledger, LedgerDoors } from '../../domain/write-side/ledger.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { createQueries, type Queries } from '../../projections/index.ts'
import { type Backups, scheduleBackups } from '../clock/backups.ts'
import { startClock } from '../clock/clock.ts'
import { keepCutStreams, learnCutStreams } from '../event-store/cut-streams.ts'
import { type Heads, startHeads } from '../heads/publishing.ts'
import type { OpenOutside } from '../outside/outside.ts'
import { watchParts } from '../parts/watch.ts'
import type { Config } from '../settings/config.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { countEvents } from './counting.ts'
import type { Foundation, Records } from './foundation.ts'
import { startHearing } from './hearing.ts'
import { shownQueries } from './hot-rows.ts'
import { finishMirror, type MirrorWorker, startMirror } from './mirror.ts'
import { tellOfProcess } from './process-report.ts'
import { type Sealer, startSealer } from './sealing.ts'
import { type Place, startTogether } from './together.ts'
import { type ChainWatches, startWatching } from './watching.ts'
import { startWorkers, type Workers } from './workers.ts'

/** The ledger, and everything that follows it. */
export type Engine = {
  readonly doors: LedgerDoors
  readonly queries: Queries
  /** The same for one request: they wait until the rows show what anybody was answered. */
  shown(): Queries
  readonly feed: Feed
  readonly workers: Workers
  readonly presence: Presence
  readonly reports: Pick<ProcessReports, 'stopped'>
  /** Whether the read models had come to the end of the log when the start was over. */
  readonly caughtUp: boolean
  readonly watch: ChainWatches
  /** Undefined where the log is not mirrored. */
  readonly mirror: MirrorWorker | undefined
  readonly audit: AuditReads
  readonly seals: Pick<Sealer, 'report' | 'waiting'>
  readonly heads: Heads
  /** Undefined where no backups are made by the clock. */
  readonly backups: Backups | undefined
}

/** Who looks on while the engine works. */
type Observers = {
  readonly tracer: Tracer | undefined
  /** Called with every event of the log once, in one process at a time, from the start of that process on. */
  count(events: readonly RecordedEvent[]): void
}

/** How long a start waits for the read models to come up to the log. */
const CATCH_UP_MS = 30_000
/** How often such a start looks who stands still. */
const CATCH_UP_LOOK_MS = 1_000
/** A download that its reader has not taken by then is cut. */
const DOWNLOAD_MAX_MS = 600_000
/** How long a look at what is open waits for the read models; after that it looks again later. */
const WATCH_WAIT_MS = 1_000

/**
 * Starts the write side, the read models, policies, effects and chain watches; answers once reads are up to date.
 * Rejects with BadSetting when the log is not the one that was sealed here. What is refused at the start leaves the log
 * and its mirror as they were.
 */
export const startEngine = async (
  config: Pick<Config, 'sealEverySeconds' | 'operatorEmail' | 'heads' | 'backup'> & Place,
  { store, bytes, mirror: place, sql, databaseUrl, logFits, belongs, mustFit, dataDir }: Foundation,
  { vault, snapshots, checkpoints, signIn, requestLog, callLimits }: Records,
  { outside, mail, chains, relayers, secondVoice, tracer, count }: OpenOutside & Observers,
  log: Logger,
  closing: (close: () => unknown) => void,
): Promise<Engine> => {
  const { world, outbound, signer, artist, origins } = outside
  const [watching, sealed] = [abortsAtTheEnd(closing), { store, lines: bytes.readLines }]
  const sealing = { everySeconds: config.sealEverySeconds, journal: dataDir.sealWitness, log }
  const sealer = await startSealer(sealing, sealed, watching.signal)
  const together = await startTogether(config, { sql, databaseUrl, store, masterKey: dataDir.masterKey() }, closing)
  const { leases, presence, reports } = together
  const hearing = { ...together, store, tracer, world, snapshots, sql, log }
  const { doors, kept, feed } = await startHearing(hearing, [relayers, sealer], () => workers)
  closing(() => feed.stop())
  await learnCutStreams(store, sql, checkpoints)
  let heads: Heads | undefined
  closing(() => heads && place && finishMirror(place, log))
  const maySeal = async (ledger: Ledger) => heads !== undefined && (await heads.maySeal(ledger))
  closing(() => sealer.finish({ ...sealed, world, vault, maySeal }, doors))
  const effectContext = { world, vault, outbound, mail, signer, artist, origins, operatorEmail: config.operatorEmail }
  const reacting = { ...together, doors, effectContext, secondVoice, tracer, log }
  const workers: Workers = startWorkers({ ...reacting, sql, store, feed, checkpoints, belongs })
  closing(() => workers.stop())
  const telling = tellOfProcess({ reports, presence, workers, log }, watching.signal)
  await workers.react(feed.head(), mustFit)
  const caughtUp = await comeUp(workers, reports, feed.head(), log)
  const exports = openExports(databaseUrl, closing)
  const queries = { ...createQueries(sql, exports), ...kept }
  const parts = { chains: chains.byNetwork, sql, store, feed, leases, doors, world, queries, workers, secondVoice, log }
  const watch = startWatching({ ...parts, relayers: relayers.byNetwork }, watching.signal)
  const relay = startRelaying({ ...parts, relayers, limits: outside.relayLimits }, watching.signal)
  const mirror = place && startMirror(place, { feed, log }, watching.signal)
  const cuts = keepCutStreams({ store, sql, feed, log }, watching.signal)
  const fit = watchParts({ store, check: logFits, log }, watching.signal)
  const backups = scheduleBackups(config.backup, { store, bytes, sql, heads: dataDir.sealWitness, world }, log)
  const clock = startClock({ ...parts, outside, signIn, requestLog, callLimits, backups }, watching.signal)
  heads = startHeads({ ...parts, vault, host: new URL(origins.base).host }, config.heads, watching.signal)
  const seals = sealer.run({ ...parts, ...sealed, vault, maySeal }, watching.signal)
  const works = [telling, cuts, fit, countEvents({ feed, leases, workers, count, log }, watching.signal)]
  closing(() => ended(watching, [...works, watch.ended, relay, clock, seals, heads?.ended, mirror?.ended]))
  together.open(doors)
  const audit = auditReads({ store, bytes, queries, exports, vault, world })
  const jobs = { seals: sealer, heads, backups, watch, mirror }
  const reads = { queries, shown: shownQueries(queries, kept, workers), audit }
  return { doors, ...reads, feed, workers, presence, reports, caughtUp, ...jobs }
}

/**
 * Waits for the read models, but not for those that stand still at an event in any process: only an operator can move
 * them. True once all have come to the position.
 */
const comeUp = async (workers: Workers, reports: ProcessReports, position: bigint, log: Logger) => {
  for (const until = performance.now() + CATCH_UP_MS; performance.now() < until; ) {
    if (await workers.projected(position, CATCH_UP_LOOK_MS)) return true
    const stopped = await reports.stopped()
    if (workers.lagging(position).every((name) => stopped.has(name) || workers.stops().has(name))) break
  }
  log.warn({}, 'read models are still behind the log')
  return false
}

/** A database of its own for downloads, which take long. */
const openExports = (databaseUrl: string, closing: (close: () => unknown) => void): Sql => {
  const exports = connect(databaseUrl, { schema: SERVING, max: DOWNLOADS_MAX, statementMs: DOWNLOAD_MAX_MS })
  closing(() => exports.end({ timeout: 0 }))
  return exports
}

const abortsAtTheEnd = (closing: (close: () => unknown) => void): AbortController => {
  const aborting = new AbortController()
  closing(() => aborting.abort())
  return aborting
}

type RelayMeans = Omit<Parameters<OpenOutside['relayers']['run']>[0], 'open' | 'hear'> & {
  readonly relayers: OpenOutside['relayers']
  readonly workers: Pick<Workers, 'projected'>
  readonly store: LogStore
  readonly queries: Queries
  readonly secondVoice: OpenOutside['secondVoice']
}

const startRelaying = (means: RelayMeans, signal: AbortSignal) => {
  const { relayers, leases, doors, limits, world, workers, store, queries, secondVoice } = means
  const open = openAuthorizations(workers, store, queries)
  return relayers.run({ leases, doors, open, limits, world, hear: secondVoice.heard }, signal)
}

/** Reads what a relayer has to carry out, once the read models show it; undefined while they are behind. */
const openAuthorizations =
  (workers: Pick<Workers, 'projected'>, store: Pick<LogStore, 'head'>, queries: Pick<Queries, 'openAuthorizations'>) =>
  async (network: string, limit: number) =>
    (await workers.projected(await store.head(), WATCH_WAIT_MS))
      ? queries.openAuthorizations(network, limit)
      : undefined

/** Tells all that is watching to end, and resolves once it has. */
const ended = (watching: AbortController, works: readonly unknown[]): Promise<unknown> => {
  watching.abort()
  return Promise.all(works)
}

type AuditMeans = {
  readonly store: LogStore
  readonly bytes: ByteLog
  readonly queries: Queries
  readonly exports: Sql
  readonly vault: Vault
  readonly world: World
}

const streamOf = async (store: LogStore, stream: string): Promise<readonly RecordedEvent[]> =>
  (await Array.fromAsync(store.read(stream))).flat()

/** What the calls of an auditor read beside the read models: the log byte for byte, and whole journals. */
const auditReads = ({ store, bytes, queries, exports, ...means }: AuditMeans): AuditReads => ({
  async lineOf(stream, revision) {
    for await (const [event] of store.read(stream, revision)) {
      return event?.revision === revision ? (await bytes.lineAt(event.position))?.line : undefined
    }
    return undefined
  },
  life: (transactionId, account) => transactionLife({ store, queries }, transactionId, account),
  async sentWebhook(eventId, transactionId) {
    const history = transactionId === '' ? [] : await streamOf(store, `transaction-${transactionId}`)
    return await sentWebhook(means, await streamOf(store, `delivery-${eventId}`), history)
  },
  journal(format, selection, ended) {
    let reached: bigint | undefined
    const content = openJournalExport(exports, format, selection, { onReached: (order) => (reached = order) })
    const facts = async (): Promise<ExportFacts> => {
      const [head] = await queries.seals({ limit: 1 })
      return {
        export: format,
        account: selection.owner ?? null,
        from: selection.from?.toISOString() ?? null,
        to: selection.to?.toISOString() ?? null,
        position: reached === undefined ? null : String(reached),
        head: head ? { log: head.log, size: head.size, order: head.order, root: head.root } : null,
      }
    }
    return tied(content, facts, ended)
  },
})
