import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Checkpoints, type ReactorRules, runReactor } from '../../adapters/following/reactor.ts'
import type { PipedSql } from '../../adapters/postgres/connect.ts'
import type { Channels } from '../../adapters/processes/channels.ts'
import type { FollowersPlace } from '../../adapters/processes/followers-exchange.ts'
import type { Freshness } from '../../adapters/processes/freshness.ts'
import type { Peers } from '../../adapters/processes/homes.ts'
import type { LeaseGroup } from '../../adapters/processes/lease-group.ts'
import type { Presence } from '../../adapters/processes/presence.ts'
import type { ProcessReports } from '../../adapters/processes/reports.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Feed, Progress } from '../../domain/kernel/following.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import { sealedSubjectsProjection } from '../../projections/audit/sealed-subjects.ts'
import { createPlaceWriter } from '../../projections/engine/place-writer.ts'
import { runProjector } from '../../projections/engine/projector.ts'
import { projections } from '../../projections/index.ts'
import { followElsewhere, readModel } from './elsewhere.ts'
import { keepingUp } from './keeping-up.ts'
import { newestAnswered } from './newest.ts'
import { type ReactorParts, reactorsOf } from './reactors.ts'
import { createStops, type FollowerStop, type Stops } from './stops.ts'
import { patientOnes } from './waiting.ts'

/**
 * Everything that follows the log: read models, policies, effects. Each runs in one process at a time, by a lease of
 * its own; the leases are taken together.
 */
export type Workers = {
  /**
   * Resolves once everything that was written up to a position, and what followed from it at once, can be read; or
   * after 2 s.
   *
   * @param kept the newest event up to there of a stream that other processes keep, as far as is known
   */
  settled(position: bigint, kept: bigint): Promise<void>
  /** Resolves once no process answers any more by what it kept from before an event of a stream or row that is kept. */
  heard(position: bigint): Promise<void>
  /** Resolves at once, or once the followers are not far behind what was written any more; after 2 s at most. */
  keepUp(position: bigint): Promise<void>
  /**
   * True once everything that any process has answered so far, and what followed from it at once, can be read; false
   * after 2 s.
   */
  current(): Promise<boolean>
  /** True once read models, of the names of their followers, have come to a position; false after 2 s. */
  come(readModels: readonly string[], position: bigint): Promise<boolean>
  /**
   * Starts policies and effects once the data keys of all subjects up to a position were looked for in the vault, and
   * the parts of the installation were found to fit; until then only read models follow the log.
   */
  react(position: bigint, mustFit: () => Promise<void>): Promise<void>
  /** True once every read model has come to a position. */
  projected(position: bigint, waitMs: number): Promise<boolean>
  /** The names of the read models that have not come to a position. */
  lagging(position: bigint): readonly string[]
  /** The position of a follower, by its name; before every event where it is not known. */
  at(follower: string): bigint
  /** The position of each follower, keyed by its name. */
  positions(): ReadonlyMap<string, bigint>
  /** The names of the followers that this process runs now; it stands by for the others. */
  running(): readonly string[]
  /** The followers that this process runs and that stand at an event that cannot be read, keyed by their names. */
  stops(): ReadonlyMap<string, FollowerStop>
  stop(): Promise<void>
}

type Parts = ReactorParts & {
  sql: PipedSql
  store: LogStore
  feed: Feed
  leases: LeaseGroup
  channels: Channels
  peers: Peers
  presence: Pick<Presence, 'id' | 'isAlone'>
  freshness: Pick<Freshness, 'heard' | 'heardUpTo' | 'place' | 'told'>
  checkpoints: Checkpoints & { all(): Promise<ReadonlyMap<string, bigint>> }
  doors: LedgerDoors
  /** Rejects when the checkpoints are those of another log; false while this one is empty. */
  belongs(): Promise<boolean>
  reports: Pick<ProcessReports, 'stopped'>
  log: Logger
}

/** How long a request waits at the most for its own writes to show (ARCHITECTURE.md, HTTP). */
const OWN_WRITES_WAIT_MS = 2_000
const RESTART_AFTER_MS = 1_000
/** How often a start that waits for the read model of data keys says so. */
const KEYS_WAIT_MS = 30_000

export const startWorkers = (parts: Parts): Workers => {
  const stopping = new AbortController()
  const progress = new Map<string, Progress>()
  const running: Promise<unknown>[] = []
  const at = (name: string) => progress.get(name)?.at() ?? -1n
  const stops = createStops(parts.log, at)

  const keep = (name: string, work: (signal: AbortSignal, progress: Progress) => Promise<void>) => {
    const own = progress.get(name) ?? createProgress()
    progress.set(name, own)
    running.push(
      parts.leases.hold(name, stopping.signal, async (signal) => {
        while (!signal.aborted)
          // Asked at every turn: the log may have been moved while this process was standing by.
          await parts
            .belongs()
            .then(() => work(signal, own))
            .catch(async (error: unknown) => {
              if (signal.aborted) return
              if (error instanceof UnreadableEvent) stops.note(name, error)
              else parts.log.error({ err: error, worker: name }, 'worker failed, starting it again')
              await pause(RESTART_AFTER_MS, undefined, { signal }).catch(() => {})
            })
      }),
    )
  }
  const following = { ...parts, places: createPlaceWriter(parts.sql) }
  for (const projection of projections)
    keep(readModel(projection.name), (signal, own) => runProjector(projection, { ...following, progress: own }, signal))
  const reactors = reactorsOf(policies, effects, parts)
  for (const { name } of reactors) progress.set(name, createProgress())
  const { passed, settledAt, projectedAt, ended } = waitingFor(parts, progress, stops, stopping.signal)
  const newest = newestAnswered(parts)
  running.push(ended, noteBeginning(parts, stopping.signal))

  return {
    async settled(position, kept) {
      if (position < 0n) return
      const [{ newest }] = await Promise.all([settledAt(position), parts.freshness.heard(kept)])
      await parts.freshness.heardUpTo(newest)
    },
    heard: parts.freshness.heard,
    keepUp: keepingUp({
      reached: (position) => FOLLOWED.every((name) => passed(name) >= position),
      settled: settledAt,
    }),
    async react(position, mustFit) {
      while (!(await projectedAt(position, KEYS_WAIT_MS, [KEYS_SEEN])) && !stopping.signal.aborted) {
        // An event that cannot be read keeps nobody from starting: what is missing beyond it is found once it is set
        // aside.
        if (stops.all().has(KEYS_SEEN) || (await parts.reports.stopped().catch(() => stops.all())).has(KEYS_SEEN)) break
        parts.log.warn({}, 'data keys are still looked for in the log; the service is ready after that')
      }
      await mustFit()
      for (const reactor of reactors) {
        const { name } = reactor
        const rules: ReactorRules = {
          isSetAside: parts.store.reading.isSetAside,
          mayReact: () => parts.leases.holds(name),
          stopped: (error, { position }) => stops.note(name, error, position - 1n),
        }
        keep(name, (signal, own) => runReactor(reactor, { ...parts, progress: own, rules }, signal))
      }
    },
    current: async () => (await settledAt(await newest())).all,
    come: (names, position) => projectedAt(position, OWN_WRITES_WAIT_MS, names),
    projected: (position, waitMs) => projectedAt(position, waitMs),
    lagging: (position) => READ_MODELS.filter((name) => at(name) < position),
    at,
    positions: () => new Map([...progress].map(([name, own]) => [name, own.at()])),
    running: () => [...progress.keys()].filter((name) => parts.leases.holds(name)),
    stops: stops.all,
    async stop() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

/** Waits for followers, wherever they run. */
const waitingFor = (parts: Parts, progress: ReadonlyMap<string, Progress>, stops: Stops, signal: AbortSignal) => {
  const { doors, leases } = parts
  const reached = patientOnes(progress, stops)
  const passed = (name: string) => progress.get(name)?.passed() ?? -1n
  const projectedAt = (position: bigint, waitMs: number, names: readonly string[] = READ_MODELS) =>
    reached(names, position, waitMs, () => elsewhere.ask('projected', position))
  /** Answers the newest event that came of what was written up to the position, and whether all of it can be read. */
  const settledAt = async (position: bigint) => {
    const until = performance.now() + OWN_WRITES_WAIT_MS
    const reacted = await reached(POLICIES, position, OWN_WRITES_WAIT_MS, () => elsewhere.ask('settled', position))
    // Where the policies run, the process knows what they have written; elsewhere it was told with their progress.
    const newest = greatest(position, elsewhere.newest(), leases.leads() ? doors.newest() : position)
    const shown = await projectedAt(newest, Math.max(1, until - performance.now()))
    return { newest, all: reacted && shown }
  }
  const led = {
    leads: leases.leads,
    async settled(position: bigint): Promise<FollowersPlace> {
      const { newest } = await settledAt(position)
      const policiesBehind = POLICIES.filter((name) => passed(name) < position)
      const behind = [...policiesBehind, ...READ_MODELS.filter((name) => passed(name) < newest)]
      return { policies: position, newest, rows: newest, behind, heard: parts.freshness.place() }
    },
    async projected(position: bigint): Promise<FollowersPlace> {
      await projectedAt(position, OWN_WRITES_WAIT_MS)
      const behind = READ_MODELS.filter((name) => passed(name) < position)
      return { rows: position, behind, heard: parts.freshness.place() }
    },
  }
  const followers = { progress, policies: new Set(POLICIES), readModels: READ_MODELS, led }
  const elsewhere = followElsewhere(parts, followers, signal)
  return { passed, settledAt, projectedAt, ended: elsewhere.ended }
}

const greatest = (...positions: readonly bigint[]) => positions.reduce((most, each) => (each > most ? each : most))

const READ_MODELS = projections.map(({ name }) => readModel(name))
const POLICIES = policies.map(({ name }) => name)
/** Who writes rows, or what rows are made of. */
const FOLLOWED = [...POLICIES, ...READ_MODELS]

/** The read model that looks for data keys. */
const KEYS_SEEN = readModel(sealedSubjectsProjection.name)

/** An empty log is nobody's yet: at its first event the database is told which log it follows. */
const noteBeginning = async ({ feed, belongs, log }: Parts, signal: AbortSignal) => {
  while (!signal.aborted)
    try {
      if (await belongs()) return
      const first = feed.after(-1n, signal)
      await first.next()
      await first.return(undefined)
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'the log that is followed could not be noted')
      await pause(RESTART_AFTER_MS, undefined, { signal }).catch(() => {})
    }
}
