import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Checkpoints, type Reactor, type ReactorRules, runReactor } from '../../adapters/following/reactor.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { SecondVoice } from '../../domain/chains/second-voice.ts'
import type { Feed, Progress, RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import type { Effect, EffectContext } from '../../domain/reactions/subscriber/effect.ts'
import { type Policy, type PolicyTogether, reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'
import { sealedSubjectsProjection } from '../../projections/audit/sealed-subjects.ts'
import { createPlaceWriter } from '../../projections/engine/place-writer.ts'
import { runProjector } from '../../projections/engine/projector.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { createStops, type FollowerStop, type Stops } from './stops.ts'

/**
 * Everything that follows the log: read models, policies, effects. Each runs in one process at a time, by a lease of
 * its own.
 */
export type Workers = {
  /**
   * Resolves once everything that was written up to a position, and what followed from it at once, can be read; or
   * after 2 s.
   */
  settled(position: bigint): Promise<void>
  /** True once the read models have come to the newest event that this process knows of; false after 2 s. */
  current(): Promise<boolean>
  /**
   * Starts policies and effects once the data keys of all subjects up to a position were looked for in the vault, and
   * the parts of the installation were found to fit; until then only read models follow the log.
   */
  react(position: bigint, mustFit: () => Promise<void>): Promise<void>
  /** True once every read model has come to a position. */
  projected(position: bigint, waitMs: number): Promise<boolean>
  /** The names of the read models that have not come to a position. */
  lagging(position: bigint): readonly string[]
  /** The position of each follower, keyed by its name. */
  positions(): ReadonlyMap<string, bigint>
  /** The names of the followers that this process runs now; it stands by for the others. */
  running(): readonly string[]
  /** The followers that this process runs and that stand at an event that cannot be read, keyed by their names. */
  stops(): ReadonlyMap<string, FollowerStop>
  stop(): Promise<void>
}

type Parts = {
  sql: Sql
  store: LogStore
  feed: Feed
  leases: Leases
  checkpoints: Checkpoints & { all(): Promise<ReadonlyMap<string, bigint>> }
  doors: LedgerDoors
  /** Rejects when the checkpoints are those of another log; false while this one is empty. */
  belongs(): Promise<boolean>
  effectContext: Omit<EffectContext, 'ledger'>
  secondVoice: Pick<SecondVoice, 'known'>
  /** The followers that stand still in any process. */
  stoppedAnywhere(): Promise<ReadonlySet<string>>
  log: Logger
}

/** How long a request waits at the most for its own writes to show (ARCHITECTURE.md, HTTP). */
const OWN_WRITES_WAIT_MS = 2_000
const RESTART_AFTER_MS = 1_000
/** A follower that somebody waited for, and that has not moved for so long, is not waited for any more. */
const STANDING_AFTER_MS = 10_000
/** How often somebody who waits for a follower looks whether it has stopped. */
const STOP_LOOK_MS = 500
/** How often a start that waits for the read model of data keys says so. */
const KEYS_WAIT_MS = 30_000
/** How often the progress of followers that another process runs is looked up. */
const ELSEWHERE_POLL_MS = 100

export const startWorkers = (parts: Parts): Workers => {
  const stopping = new AbortController()
  const progress = new Map<string, Progress>()
  const running: Promise<unknown>[] = []
  const stops = createStops(parts.log, (name) => progress.get(name)?.at() ?? -1n)

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
  const reactors = [...policies.map((p) => policyReactor(p, parts)), ...effects.map((e) => effectReactor(e, parts))]
  for (const { name } of reactors) progress.set(name, createProgress())
  running.push(followOthers(parts, progress, stopping.signal), noteBeginning(parts, stopping.signal))

  const reached = patientOnes(progress, stops)
  const readModels = projections.map(({ name }) => readModel(name))
  const policyNames = policies.map(({ name }) => name)

  return {
    async settled(position) {
      if (position < 0n) return
      const until = performance.now() + OWN_WRITES_WAIT_MS
      await reached(policyNames, position, OWN_WRITES_WAIT_MS)
      await reached(readModels, parts.doors.newest(), Math.max(1, until - performance.now()))
    },
    async react(position, mustFit) {
      while (!(await reached([KEYS_SEEN], position, KEYS_WAIT_MS)) && !stopping.signal.aborted) {
        // An event that cannot be read keeps nobody from starting: what is missing beyond it is found once it is set
        // aside.
        if (stops.all().has(KEYS_SEEN) || (await parts.stoppedAnywhere().catch(() => stops.all())).has(KEYS_SEEN)) break
        parts.log.warn({}, 'data keys are still looked for in the log; the service is ready after that')
      }
      await mustFit()
      for (const reactor of reactors) {
        const { name } = reactor
        const rules: ReactorRules = {
          isSetAside: parts.store.reading.isSetAside,
          mayReact: () => parts.leases.holds(name),
          stopped: (error) => stops.note(name, error),
        }
        keep(name, (signal, own) => runReactor(reactor, { ...parts, progress: own, rules }, signal))
      }
    },
    current: () => reached(readModels, parts.doors.newest(), OWN_WRITES_WAIT_MS),
    projected: (position, waitMs) => reached(readModels, position, waitMs),
    lagging: (position) => readModels.filter((name) => (progress.get(name)?.at() ?? NOWHERE) < position),
    positions: () => new Map([...progress].map(([name, own]) => [name, own.at()])),
    running: () => [...progress.keys()].filter((name) => parts.leases.holds(name)),
    stops: stops.all,
    async stop() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

/**
 * Waits for followers, one after the other: while the first is waited for, the rest come up by themselves, and each
 * wait costs a timer. One that stands at an event that cannot be read, or that has not moved for long, is not waited
 * for until it moves: every call would be as late as that.
 */
const patientOnes = (progress: ReadonlyMap<string, Progress>, stops: Pick<Stops, 'all'>) => {
  /** The followers that somebody has waited for in vain, since when they have not moved, and where they stand. */
  const standing = new Map<string, { readonly at: bigint; readonly since: number }>()
  const waited = async (name: string, position: bigint, waitMs: number): Promise<boolean> => {
    const own = progress.get(name)
    if (!own) return false
    const at = own.at()
    const stood = standing.get(name)
    if (stood && stood.at !== at) standing.delete(name)
    else if (stood && performance.now() - stood.since >= STANDING_AFTER_MS) return at >= position
    const since = performance.now()
    for (let left = waitMs; ; left = waitMs - (performance.now() - since)) {
      if (stops.all().has(name)) return own.at() >= position
      // In short waits, because a stop may be found meanwhile.
      if (await own.reached(position, Math.max(0, Math.min(left, STOP_LOOK_MS)))) return true
      if (left <= STOP_LOOK_MS) break
    }
    if (own.at() === at && !standing.has(name)) standing.set(name, { at, since })
    return false
  }
  const hasReached = (name: string, position: bigint) => (progress.get(name)?.at() ?? NOWHERE) >= position
  return async (names: readonly string[], position: bigint, waitMs: number): Promise<boolean> => {
    // Every call waits here, and mostly for nobody.
    const behind = names.filter((name) => !hasReached(name, position))
    if (behind.length === 0) return true
    const until = performance.now() + waitMs
    let all = true
    for (const name of behind) all = (await waited(name, position, Math.max(0, until - performance.now()))) && all
    return all
  }
}

/** Before every position: where a follower stands that nobody knows. */
const NOWHERE = -2n

/** The name under which a read model's follower is known. */
export const readModel = (name: string) => `read-model-${name}`

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

/** Followers that run in another process are known by the checkpoints they write. */
const followOthers = async (
  { sql, leases, checkpoints, log }: Parts,
  progress: Map<string, Progress>,
  signal: AbortSignal,
) => {
  while (!signal.aborted) {
    await pause(ELSEWHERE_POLL_MS, undefined, { signal }).catch(() => {})
    const elsewhere = [...progress.keys()].filter((name) => !leases.holds(name))
    if (elsewhere.length === 0 || signal.aborted) continue
    try {
      const reactors = await checkpoints.all()
      const rows = await sql<
        { name: string; position: string }[]
      >`select name, position from ${sql(SERVING)}.checkpoints`
      const models = new Map(rows.map((row) => [readModel(row.name), BigInt(row.position)]))
      for (const name of elsewhere) progress.get(name)?.restart(models.get(name) ?? reactors.get(name) ?? -1n)
    } catch (error) {
      log.warn({ err: error }, 'the progress of other processes cannot be read')
    }
  }
}

const policyReactor = (
  policy: Policy | PolicyTogether,
  { doors, effectContext: { world }, secondVoice }: Parts,
): Reactor => ({
  name: policy.name,
  concurrency: 1,
  ...reactionsOf(policy, (event) => ({ ledger: doors.open(answering(policy.name, event)).ledger, world, secondVoice })),
})

const effectReactor = (effect: Effect, { doors, effectContext, leases }: Parts): Reactor => {
  const context = fenced(effectContext, () => leases.holds(effect.name))
  return {
    name: effect.name,
    concurrency: effect.concurrency,
    handles: (type) => type in effect.on,
    react: async (event) => {
      const handler = effect.on[event.type as keyof Effect['on']] as Handler | undefined
      await handler?.(event, { ...context, ledger: doors.open(answering(effect.name, event)).ledger })
    },
  }
}

/**
 * What an effect reaches outside by, as long as its turn is this process's: one that hung in the middle of a reaction
 * and wakes up must not send what another process has sent meanwhile.
 */
const fenced = <C extends Pick<EffectContext, 'outbound' | 'mail'>>(context: C, mayAct: () => boolean): C => {
  const { outbound, mail } = context
  const must = () => {
    if (!mayAct()) throw new Error('another process has taken over')
  }
  return {
    ...context,
    outbound: {
      ...outbound,
      post: async (...given) => {
        must()
        return outbound.post(...given)
      },
    },
    mail: {
      ...mail,
      send: async (...given) => {
        must()
        return mail.send(...given)
      },
    },
  }
}

type Handler = (event: RecordedEvent, context: EffectContext) => Promise<unknown>

const answering = (name: string, event: RecordedEvent) => ({
  actor: name,
  correlationId: event.cause.correlationId,
  causationId: event.id,
})
