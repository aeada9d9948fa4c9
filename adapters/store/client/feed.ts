/**
 * One subscription to the whole log of EventStoreDB, for as long as it lives. It never resumes by itself: whoever uses
 * it opens the next.
 */
import { setImmediate as turn } from 'node:timers/promises'
import {
  type AllStreamSubscription,
  eventTypeFilter,
  type ResolvedEvent,
  START,
  streamNameFilter,
} from '@eventstore/db-client'
import { PAGE_EVENTS } from '../base/limits.ts'
import type { RawEvent } from '../base/recorded.ts'
import type { Connection } from './connection.ts'
import { withinTime } from './patience.ts'
import { rawEvent } from './reads.ts'
import type { TimeLimits } from './time-limits.ts'

export type SubscriptionFeed = {
  /**
   * The events that have come, at most one page, as soon as there are any; empty when the signal aborted. Rejects once
   * the subscription is over.
   */
  next(): Promise<readonly RawEvent[]>
  stop(): Promise<void>
}

/** The subscription is silent although the log has grown. */
export class SubscriptionStall extends Error {
  override readonly name = 'SubscriptionStall'
}

/** What a subscription is to bring. */
export type FeedWish = {
  /** A regular expression for the types of the events that are brought; undefined for all of them. */
  readonly types?: string
  /** Position of the newest event that such a subscription brings, after one that it has brought. */
  newest(seen: bigint): Promise<bigint>
}

/** Subscribes after a position. `quietMs` of silence lead to a look at what is newest. */
export const openFeed = (
  { client, access }: Connection,
  { types, newest }: FeedWish,
  after: bigint,
  signal: AbortSignal,
  { confirmMs, quietMs }: TimeLimits,
): SubscriptionFeed => {
  const filter =
    types === undefined
      ? streamNameFilter({ regex: OURS, checkpointInterval: CHECKPOINT_INTERVAL })
      : eventTypeFilter({ regex: types, checkpointInterval: CHECKPOINT_INTERVAL })
  const fromPosition = after < 0n ? START : { commit: after, prepare: after }
  const subscription = client.subscribeToAll({ fromPosition, filter, ...access }, { highWaterMark: PAGE_EVENTS })
  const inbox = openInbox(subscription, after)
  const signs = watch(subscription, signal)

  const examine = async () => {
    if (!signs.confirmed()) throw new Error(`the subscription was not confirmed within ${confirmMs} ms`)
    if (
      (await newest(inbox.seen())) <= inbox.seen() ||
      signs.failure() ||
      signal.aborted ||
      subscription.readableLength > 0
    )
      return
    // The newest event may be on its way just now.
    if (await signs.silent(Math.min(STALL_GRACE_MS, quietMs)))
      throw new SubscriptionStall(`no event for ${quietMs} ms although the log has grown`)
  }
  return {
    next: async () => {
      for (;;) {
        const events = await inbox.gather()
        if (events.length > 0 || signal.aborted) return events
        const failure = signs.failure()
        if (failure) throw failure
        if (await signs.silent(signs.confirmed() ? quietMs : confirmMs)) await examine()
      }
    },
    stop: async () => {
      signs.forget()
      await withinTime(STOP_TIMEOUT_MS, 'the end of a subscription', subscription.unsubscribe()).catch(() => undefined)
      subscription.destroy()
    },
  }
}

/**
 * Matches our streams and the metadata of each, so that whatever cuts or deletes one is heard of. What starts with
 * `$$$` is the server's own.
 */
const OURS = '^([^$]|\\$\\$[^$])'
/** The interval of checkpoints, in steps of 32 events that the filter looked at. */
const CHECKPOINT_INTERVAL = 32
/** Milliseconds that a page may be gathered for at most. */
const GATHER_LIMIT_MS = 20
const STALL_GRACE_MS = 5_000
const STOP_TIMEOUT_MS = 1_000

/**
 * The events that the subscription has brought and nobody has taken yet; when they fill a page, the stream itself holds
 * back the server.
 */
const openInbox = (subscription: AllStreamSubscription, after: bigint) => {
  let seen = after
  const take = (events: RawEvent[]) => {
    while (events.length < PAGE_EVENTS) {
      const resolved = subscription.read() as ResolvedEvent | null
      if (resolved === null) return
      const event = rawEvent(resolved)
      if (event.position <= seen) continue
      events.push(event)
      seen = event.position
    }
  }
  return {
    seen: () => seen,
    // Messages come in one per turn of the event loop: a page is gathered while each turn brings more, for a moment at
    // most. A turn costs calls of the system, so the first that brings nothing ends the page (docs/performance.md).
    gather: async (): Promise<readonly RawEvent[]> => {
      const events: RawEvent[] = []
      take(events)
      const end = performance.now() + GATHER_LIMIT_MS
      let before = 0
      while (events.length > before && events.length < PAGE_EVENTS && performance.now() < end) {
        before = events.length
        await turn()
        take(events)
      }
      return events
    },
  }
}

/** The signs that a subscription gives: something to read, its confirmation, its end. */
const watch = (subscription: AllStreamSubscription, signal: AbortSignal) => {
  let confirmed = false
  let failure: Error | undefined
  let wake: () => void = () => undefined
  const over = (error: Error) => {
    failure ??= error
    wake()
  }
  const stirred = () => wake()
  // The listeners stay for good: a subscription that was given up may still report its end.
  subscription.on('error', over)
  subscription.on('end', () => over(new Error('the server ended the subscription')))
  subscription.on('close', () => over(new Error('the subscription was closed')))
  subscription.on('readable', stirred)
  subscription.on('confirmation', () => {
    confirmed = true
    wake()
  })
  signal.addEventListener('abort', stirred)
  return {
    confirmed: () => confirmed,
    failure: () => failure,
    forget: () => signal.removeEventListener('abort', stirred),
    /** Resolves on the next sign of any kind, or after a time: then true. */
    silent: (ms: number) =>
      new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), ms)
        wake = () => {
          clearTimeout(timer)
          resolve(false)
        }
      }),
  }
}
