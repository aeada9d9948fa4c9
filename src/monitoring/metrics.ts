import { Gauge, Registry } from 'prom-client'
import type { DropReason } from '../../adapters/postgres/requests/request-log.ts'
import type { RatesReport } from '../../adapters/rates/quotes/market.ts'
import type { CutStreams } from '../../adapters/store/base/cut-streams.ts'
import type { EventReading } from '../../adapters/store/base/event-reading.ts'
import type { ContentionCounts } from '../../domain/write-side/homes.ts'
import type { Backups } from '../clock/backups.ts'
import type { MirrorWorker } from '../engine/mirror.ts'
import type { ChainReport } from '../engine/watching.ts'
import type { HeadsReport } from '../heads/report.ts'
import type { RelayersReport } from '../outside/relayers.ts'
import { backupGauges } from './backup-gauges.ts'
import { type AnsweredCall, callCounters } from './calls.ts'
import { contentionGauges } from './contention-gauges.ts'
import { type FollowerSource, followerGauges } from './follower-gauges.ts'
import { cutStreamGauges, headGauges, mirrorGauges, readingGauges } from './log-gauges.ts'
import { nodeMetrics } from './node-metrics.ts'
import { chainGauges, rateGauges, relayerGauges } from './outside-gauges.ts'
import { type InstallationSource, installationGauges } from './place-gauges.ts'
import { type ProcessSource, processGauges } from './process-gauges.ts'
import { type MetricsServer, metricsServer } from './serving.ts'
import { soon } from './soon.ts'

export type Metrics = {
  /** Called with each call once it is answered. */
  answered(call: AnsweredCall): void
  serve: MetricsServer['serve']
}

/** The sources of the gauges, which are asked whenever somebody looks. */
export type GaugeSources = FollowerSource & {
  rates(): RatesReport | undefined
  chains(): ReadonlyMap<string, ChainReport>
  relayers(): Promise<RelayersReport>
  /** Undefined where the log has no local mirror. */
  readonly mirror: MirrorWorker | undefined
  /** The streams that the event store does not show whole. */
  readonly cuts: Pick<CutStreams, 'all' | 'writable'>
  /** Which events of the log are read. */
  readonly reading: Pick<EventReading, 'unreadable' | 'foreign'>
  /** The followers that stand at an event that cannot be read. */
  stops(): ReadonlyMap<string, unknown>
  /** What became of commands for streams that several processes write to. */
  contention(): Readonly<ContentionCounts>
  /** Requests that the request log does not list, by the reason. */
  unlisted(): Readonly<Record<DropReason, number>>
  /** Which of its followers this process runs, and how many processes are alive. */
  readonly processes: ProcessSource
  /** Whether calls are counted by this process alone, because PostgreSQL does not answer. */
  callsCountedAlone(): boolean
  /** The state of the witnesses of the log. */
  heads(): Promise<HeadsReport>
  readonly installation: InstallationSource
  /** Undefined where no backups are made by the clock. */
  readonly backups: Pick<Backups, 'report' | 'known'> | undefined
}

/** Prometheus metrics of this process, beside those that the registry has already. */
export const createMetrics = (registry: Registry, sources: GaugeSources): Metrics => {
  const { rates, chains, relayers, mirror, cuts, reading, stops, heads, unlisted } = sources
  const { callsCountedAlone, processes, contention, installation } = sources
  followerGauges(registry, sources)
  requestLogGauge(registry, unlisted)
  callLimitGauge(registry, callsCountedAlone)
  processGauges(registry, processes)
  contentionGauges(registry, contention)
  rateGauges(registry, rates)
  chainGauges(registry, chains)
  relayerGauges(registry, () => soon(relayers(), NO_RELAYERS))
  cutStreamGauges(registry, cuts)
  readingGauges(registry, reading, stops)
  headGauges(registry, () => soon(heads(), NO_HEADS))
  installationGauges(registry, installation)
  if (mirror) mirrorGauges(registry, mirror)
  if (sources.backups) backupGauges(registry, sources.backups)
  const answered = callCounters(registry)
  return { answered, serve: metricsServer(Registry.merge([nodeMetrics(), registry])).serve }
}

const NO_RELAYERS: RelayersReport = new Map()
const NO_HEADS: HeadsReport = { stopped: false, witnesses: [], stamp: undefined }

const requestLogGauge = (registry: Registry, unlisted: GaugeSources['unlisted']): void => {
  new Gauge({
    name: 'daybook_request_log_dropped',
    help: 'Requests since the start that the request log does not list: its queue was full, their account had its share of it, or they could not be written',
    labelNames: ['reason'] as const,
    registers: [registry],
    collect() {
      for (const [reason, count] of Object.entries(unlisted())) this.set({ reason }, count)
    },
  })
}

const callLimitGauge = (registry: Registry, countsAlone: GaugeSources['callsCountedAlone']): void => {
  new Gauge({
    name: 'daybook_call_limits_counted_alone',
    help: '1 while this process counts calls by itself, because PostgreSQL does not answer in time',
    registers: [registry],
    collect() {
      this.set(countsAlone() ? 1 : 0)
    },
  })
}
