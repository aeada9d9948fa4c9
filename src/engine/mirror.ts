import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ByteLog } from '../../adapters/store/base/bytes.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { type Keeper, openKeeper } from '../../adapters/store/mirror/keeper.ts'
import { within } from '../../adapters/timing/time-limit.ts'
import type { Feed } from '../../domain/kernel/following.ts'

/**
 * The mirror that the service writes beside EventStoreDB, so that rebuilds and audits need not read the whole log over
 * the network.
 */
export type MirrorPlace = { readonly dir: string; readonly store: LogStore; readonly bytes: Pick<ByteLog, 'readLines'> }

type MirrorReport = {
  /** `standby`: another process of this machine writes it; `stopped`: it cannot be written, and is tried again. */
  readonly state: 'starting' | 'following' | 'standby' | 'stopped'
  /** Position of the last event in it. */
  readonly at: bigint
}

export type MirrorWorker = {
  report(): MirrorReport
  /** Position of the newest event of the log. */
  head(): bigint
  readonly ended: Promise<void>
}

/**
 * Milliseconds that events are gathered after the first of them, so that a busy log costs few calls and few flushes.
 */
const GATHER_MS = 1_000
/**
 * Milliseconds until the next try after a full disk, an error of the disk or of the store, or while the mirror is not
 * one of this log.
 */
const RETRY_MS = 15_000
/** How often the process that stands by looks whether it can write. */
const STANDBY_MS = 5_000
/** Longest that a stop waits for the mirror to come to the end of the log. */
const FINISH_MS = 5_000

/** Follows the log into the mirror until the signal aborts. Whatever goes wrong stops the mirror alone. */
export const startMirror = (
  place: MirrorPlace,
  { feed, log, retryMs = RETRY_MS }: { feed: Feed; log: Pick<Logger, 'error' | 'info'>; retryMs?: number },
  signal: AbortSignal,
): MirrorWorker => {
  let report: MirrorReport = { state: 'starting', at: -1n }
  const say = (state: MirrorReport['state'], at = report.at) => {
    report = { state, at }
  }
  let told: string | undefined
  const failed = (error: unknown) => {
    say('stopped')
    // The same reason every few seconds would bury the rest.
    if (told !== String(error))
      log.error({ err: error, dir: place.dir }, 'the mirror of the log has stopped, trying again')
    told = String(error)
  }
  const follow = async (keeper: Keeper) => {
    for (let first = true; !signal.aborted; first = false) {
      const head = feed.head()
      if (head > keeper.at()) await keeper.catchUp(head, { signal, written: paced(signal) })
      say('following', keeper.at())
      if (first && told !== undefined) log.info({ dir: place.dir }, 'the mirror of the log goes on')
      told = undefined
      await arrival(feed, head, signal)
      await rest(GATHER_MS, signal)
    }
  }
  const run = async () => {
    while (!signal.aborted) {
      let keeper: Keeper | undefined
      try {
        keeper = await openKeeper(place)
        if (keeper) await follow(keeper)
        else say('standby')
      } catch (error) {
        if (!signal.aborted) failed(error)
      } finally {
        await keeper?.close().catch(() => {})
      }
      await rest(report.state === 'standby' ? STANDBY_MS : retryMs, signal)
    }
  }
  return { report: () => report, head: feed.head, ended: run() }
}

/**
 * Writes the end of the log into the mirror once nothing is written any more, so that a log that is lost after an
 * orderly stop is refilled whole. Ends within `FINISH_MS`, whatever happens, and does not reject.
 */
export const finishMirror = async (place: MirrorPlace, log: Pick<Logger, 'warn'>): Promise<void> => {
  const late = new AbortController()
  const finish = async () => {
    const keeper = await openKeeper(place)
    if (!keeper) return
    try {
      await keeper.catchUp(await place.store.head(), { signal: late.signal })
    } finally {
      await keeper.close()
    }
  }
  const behind = () => new Error(`it did not come to the end of the log within ${FINISH_MS} ms`)
  await within(FINISH_MS, finish(), behind)
    .catch((error: unknown) => log.warn({ err: error, dir: place.dir }, 'the mirror lacks the end of the log'))
    .finally(() => late.abort())
}

/**
 * Rests as long as each page took: a long log that is mirrored for the first time leaves half the time to everything
 * else.
 */
const paced = (signal: AbortSignal) => {
  let since = performance.now()
  return async () => {
    await rest(performance.now() - since, signal)
    since = performance.now()
  }
}

/** Resolves once there is an event after a position, or when the signal aborts. */
const arrival = async (feed: Feed, position: bigint, signal: AbortSignal) => {
  const pages = feed.after(position, signal)
  await pages.next()
  await pages.return(undefined)
}

const rest = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => {})
