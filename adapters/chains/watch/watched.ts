import { setTimeout as pause } from 'node:timers/promises'
import type { Feed } from '../../../domain/kernel/following.ts'
import type { EventStore } from '../../../domain/kernel/ports.ts'
import { placesOf, readPlaces, type WatchedPlace } from '../../../projections/chains/watched.ts'
import { createProgress } from '../../following/progress.ts'
import type { Sql } from '../../postgres/connect.ts'
import { createExpiringSet } from '../rpc/expiring-set.ts'

/**
 * The addresses and contracts at which payments may arrive, in memory: read from the read model once, then fed by the
 * log, so that the cost of a look depends on what has changed and not on how much there is. Reading begins with the
 * first question, so a process that watches no chain keeps nothing.
 */
export type WatchedPlaces = {
  /**
   * The names to look for on a network; undefined while they lack something that the log held when they were asked for.
   */
  on(network: string): Promise<WatchedNames | undefined>
  stop(): Promise<void>
}

/** Names that change while they are used: those of challenges opened meanwhile are added. */
export type WatchedNames = {
  /** Addresses in the form in which the chain looks for them. */
  readonly addresses: ReadonlySet<string>
  readonly contracts: ReadonlySet<string>
}

export type WatchedParts = {
  /** Each network with the form in which its chain looks for an address. */
  readonly networks: ReadonlyMap<string, (address: string) => string>
  readonly sql: Sql
  readonly store: Pick<EventStore, 'head'>
  readonly feed: Pick<Feed, 'after'>
  now(): Date
  readonly log: { warn(fields: object, message: string): void }
}

/** Places are watched this long after their challenges have expired. */
const LATE_MS = 24 * 3_600_000
/** Milliseconds that a look waits for the log to arrive here; after that it looks again later. */
const WAIT_MS = 1_000
const RETRY_MS = 1_000

export const createWatched = ({ networks, sql, store, feed, now, log }: WatchedParts): WatchedPlaces => {
  const stopping = new AbortController()
  const progress = createProgress()
  const sets = new Map([...networks.keys()].map((name) => [name, emptySets()]))
  let following: Promise<void> | undefined

  const take = (places: readonly WatchedPlace[]) => {
    for (const { network, kind, name, expiresAt } of places) {
      const key = kind === 'address' ? networks.get(network)?.(name) : name
      if (key !== undefined) sets.get(network)?.[kind].add(key, Date.parse(expiresAt) + LATE_MS)
    }
  }
  const follow = async () => {
    const since = new Date(now().getTime() - LATE_MS).toISOString()
    const from = await readPlaces(sql, [...networks.keys()], since, take)
    progress.restart(from)
    for await (const page of feed.after(from, stopping.signal)) {
      for (const event of page) take(placesOf(event))
      progress.advance(page.at(-1)?.position ?? from)
    }
  }
  const keepFollowing = async () => {
    while (!stopping.signal.aborted)
      await follow().catch(async (error: unknown) => {
        if (stopping.signal.aborted) return
        log.warn({ err: error }, 'what chains are watched for cannot be read, trying again')
        await pause(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {})
      })
  }

  return {
    async on(network) {
      following ??= keepFollowing()
      const watched = sets.get(network)
      if (!watched || !(await progress.reached(await store.head(), WAIT_MS))) return undefined
      for (const set of [watched.address, watched.contract]) set.expire(now().getTime())
      return { addresses: watched.address.names, contracts: watched.contract.names }
    },
    async stop() {
      stopping.abort()
      await following
    },
  }
}

const emptySets = () => ({ address: createExpiringSet(), contract: createExpiringSet() })
