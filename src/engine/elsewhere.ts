import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Checkpoints } from '../../adapters/following/reactor.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { Leases } from '../../adapters/postgres/lease.ts'
import type { Channels } from '../../adapters/processes/channels.ts'
import {
  type FollowersPlace,
  type LedFollowers,
  openFollowersExchange,
} from '../../adapters/processes/followers-exchange.ts'
import type { Freshness } from '../../adapters/processes/freshness.ts'
import type { Peers } from '../../adapters/processes/homes.ts'
import type { Presence } from '../../adapters/processes/presence.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Feed, Progress } from '../../domain/kernel/following.ts'
import { SERVING } from '../../projections/engine/schema.ts'

/** The followers that another process runs. */
export type Elsewhere = {
  /** Asks to be told when they have come to a position; nobody is asked about what runs here. */
  ask(what: 'settled' | 'projected', position: bigint): void
  /** The newest event that policies elsewhere have written, as far as it was told. */
  newest(): bigint
  readonly ended: Promise<void>
}

type Parts = {
  readonly sql: Sql
  readonly channels: Channels
  readonly peers: Peers
  readonly presence: Pick<Presence, 'id'>
  readonly store: Pick<LogStore, 'head'>
  readonly feed: Pick<Feed, 'head' | 'hearsAll'>
  readonly freshness: Pick<Freshness, 'told'>
  readonly leases: Pick<Leases, 'holds'>
  readonly checkpoints: Checkpoints & { all(): Promise<ReadonlyMap<string, bigint>> }
  readonly log: Logger
}

type Followers = {
  readonly progress: ReadonlyMap<string, Progress>
  readonly policies: ReadonlySet<string>
  readonly readModels: readonly string[]
  readonly led: LedFollowers
}

/**
 * How often the checkpoints of followers elsewhere are looked up. Who waits is told by message; a look finds what a
 * lost message would have told, and what nobody waits for.
 */
const LOOK_EVERY_MS = 1_500

/** Keeps the progress of followers that run elsewhere. */
export const followElsewhere = (
  parts: Parts,
  { progress, policies, readModels, led }: Followers,
  signal: AbortSignal,
  lookEveryMs = LOOK_EVERY_MS,
): Elsewhere => {
  let newest = -1n
  const learn = (position: bigint | undefined) => {
    if (position !== undefined && position > newest) newest = position
  }
  const told = (place: FollowersPlace) => {
    learn(place.newest)
    if (place.heard) parts.freshness.told(place.heard)
    const behind = new Set(place.behind)
    const advance = (name: string, to: bigint) => {
      if (!behind.has(name) && !parts.leases.holds(name)) progress.get(name)?.advance(to)
    }
    // The rows first: who waits for the policies looks at them next.
    for (const name of readModels) advance(name, place.rows)
    if (place.policies !== undefined) for (const name of policies) advance(name, place.policies)
  }
  const exchange = openFollowersExchange(parts, led, told)
  signal.addEventListener('abort', exchange.close, { once: true })
  return {
    ask(what, position) {
      if (!led.leads()) exchange.ask(what, position)
    },
    newest: () => newest,
    ended: lookUp(parts, progress, learn, signal, lookEveryMs),
  }
}

const lookUp = async (
  { sql, store, feed, leases, checkpoints, log }: Parts,
  progress: ReadonlyMap<string, Progress>,
  /** Called before policies are known to have come further, with what is newest: they may have written it. */
  learn: (newest: bigint) => void,
  signal: AbortSignal,
  everyMs: number,
) => {
  /** Where each follower elsewhere was at the look before. */
  let before = new Map<string, bigint>()
  for (; !signal.aborted; await pause(everyMs, undefined, { signal }).catch(() => {})) {
    const elsewhere = [...progress.keys()].filter((name) => !leases.holds(name))
    if (elsewhere.length === 0) continue
    try {
      const places = await allCheckpoints(sql, checkpoints)
      const isFurther = elsewhere.some((name) => (places.get(name) ?? -1n) > (progress.get(name)?.at() ?? -1n))
      if (isFurther) learn(feed.hearsAll() ? feed.head() : await store.head())
      for (const name of elsewhere) {
        const own = progress.get(name)
        const found = places.get(name) ?? -1n
        own?.advance(found)
        // A checkpoint is saved within half a second. One that is still before where its follower was then has gone
        // back.
        if (found < (before.get(name) ?? -1n)) own?.restart(found)
      }
      before = new Map(elsewhere.map((name) => [name, progress.get(name)?.at() ?? -1n]))
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'the progress of other processes cannot be read')
    }
  }
}

/** The checkpoints of all followers, keyed by their names. */
const allCheckpoints = async (sql: Sql, checkpoints: Parts['checkpoints']): Promise<ReadonlyMap<string, bigint>> => {
  const reactors = await checkpoints.all()
  const rows = await sql<{ name: string; position: string }[]>`
    select name, position from ${sql(SERVING)}.checkpoints`
  return new Map([...reactors, ...rows.map(({ name, position }) => [readModel(name), BigInt(position)] as const)])
}

/** The name under which a read model's follower is known. */
export const readModel = (name: string) => `read-model-${name}`
