import { createServer } from 'node:http'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
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
import { contentionGauges } from './contention-gauges.ts'
import { cutStreamGauges, headGauges, mirrorGauges, readingGauges } from './log-gauges.ts'
import { chainGauges, rateGauges, relayerGauges } from './outside-gauges.ts'
import { type ProcessSource, processGauges } from './process-gauges.ts'

export type Metrics = {
  request(method: string, route: string, status: number, seconds: number): void
  /** Serves `/metrics` on a loopback port of its own. */
  serve(port: number): Promise<{ port: number; stop(): Promise<void> }>
}

/** The sources of the gauges, which are asked whenever somebody looks. */
export type GaugeSources = {
  /** Number of positions that each follower of the log is behind. */
  lag(): ReadonlyMap<string, number>
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
  /** Undefined where no backups are made by the clock. */
  readonly backups: Pick<Backups, 'report'> | undefined
}

/** Prometheus metrics of this process. */
export const createMetrics = (sources: GaugeSources): Metrics => {
  const { lag, rates, chains, relayers, mirror, cuts, reading, stops, heads, unlisted } = sources
  const { callsCountedAlone, processes, contention } = sources
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'daybook_http_request_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  new Gauge({
    name: 'daybook_follower_lag_positions',
    help: 'Log positions between the newest event and what a follower has come to',
    labelNames: ['follower'] as const,
    registers: [registry],
    collect() {
      for (const [follower, behind] of lag()) this.set({ follower }, behind)
    },
  })
  requestLogGauge(registry, unlisted)
  callLimitGauge(registry, callsCountedAlone)
  processGauges(registry, processes)
  contentionGauges(registry, contention)
  rateGauges(registry, rates)
  chainGauges(registry, chains)
  relayerGauges(registry, relayers)
  cutStreamGauges(registry, cuts)
  readingGauges(registry, reading, stops)
  headGauges(registry, heads)
  if (mirror) mirrorGauges(registry, mirror)
  if (sources.backups) backupGauges(registry, sources.backups)
  return {
    request: (method, route, status, seconds) => requests.observe({ method, route, status: String(status) }, seconds),
    serve: (port) => serve(registry, port),
  }
}

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

const serve = async (registry: Registry, port: number) => {
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'Content-Type': registry.contentType }).end(await registry.metrics())
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
