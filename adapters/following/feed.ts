import { quarantinedBy } from '../../domain/audit/quarantine.ts'
import type { Feed, Passing } from '../../domain/kernel/following.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { passedOver, SET_ASIDE } from '../../domain/kernel/recorded-event.ts'
import { endingOf } from './ending.ts'

/** Events kept in memory for followers that are a little behind. */
const RECENT_MAX = 10_000
const PAGE_MAX = 1_000
/** Milliseconds without a follower after which some types are left out. */
const LEAVE_OUT_AFTER_MS = 3_000

export type FeedHearers = {
  /** Told of each page before any follower is. */
  arrived?(page: readonly RecordedEvent[]): void
  /** Told that all events arrive from now on, after some were left out. */
  missed?(): void
  /** Types of events that need not arrive while nobody follows the feed; a store may bring them all the same. */
  readonly leftOut?: ReadonlySet<string> | undefined
}

/**
 * Starts following at the present end of the log. A process that only stands by hears of many events that it has no use
 * for, and hearing costs it more than anything else, so it hears of all only while it has followers.
 */
export const startFeed = async (
  store: EventStore,
  { arrived = () => {}, missed = () => {}, leftOut }: FeedHearers = {},
  leaveOutAfterMs = LEAVE_OUT_AFTER_MS,
): Promise<Feed> => {
  const stopping = new AbortController()
  const recent = keepRecent(await store.head())
  let changing = new AbortController()
  const followers = countFollowers(leftOut !== undefined, leaveOutAfterMs, () => changing.abort())
  let hearsAll = true

  const arrive = (page: readonly RecordedEvent[]) => {
    arrived(page)
    recent.add(page, hearsAll)
  }
  const change = () => {
    if (hearsAll === followers.wantAll()) return
    hearsAll = !hearsAll
    recent.begin()
    if (hearsAll) missed()
  }
  const reading = (async () => {
    while (!stopping.signal.aborted) {
      changing = new AbortController()
      change()
      const signal = AbortSignal.any([stopping.signal, changing.signal])
      for await (const page of store.subscribe(recent.head(), signal, hearsAll ? undefined : leftOut)) arrive(page)
      // A store that was closed ends by itself.
      if (!changing.signal.aborted) return
    }
  })()

  async function* after(
    position: bigint,
    signal: AbortSignal,
    passing?: Passing,
  ): AsyncGenerator<readonly RecordedEvent[]> {
    const ended = endingOf(signal, recent.wakeAll)
    const leave = followers.come()
    try {
      for (let at = position; !ended(); ) {
        if (at < recent.floor()) {
          for await (const page of store.readAll(at)) {
            if (ended()) return
            const last = page.at(-1)
            at = last?.position ?? at
            if (last && !(passing && passes(passing, typesOf(page), last))) yield page
            if (at >= recent.floor()) break
          }
          // The log was cut at the floor: no event lies between, so the follower goes on from memory.
          if (at < recent.floor() && (await store.head()) <= recent.floor()) at = recent.floor()
          continue
        }
        const page = recent.after(at)
        const last = page.at(-1)
        at = last?.position ?? (await recent.arrival(at, passing))
        if (last && !(passing && passes(passing, typesOf(page), last))) yield page
      }
    } finally {
      leave()
    }
  }

  return {
    after,
    head: recent.head,
    hearsAll: () => hearsAll,
    foundUpTo(position) {
      if (!hearsAll) recent.pass(position)
    },
    async stop() {
      stopping.abort()
      followers.stop()
      await reading
    },
  }
}

/** Whether a page, of these types and up to this event, has nothing for a follower, who is then told of its end. */
const passes = (passing: Passing, types: readonly string[], last: RecordedEvent): boolean => {
  if (types.some(passing.wants)) return false
  passing.passed(last)
  return true
}

const typesOf = (page: readonly RecordedEvent[]): readonly string[] => [...new Set(page.map(({ type }) => type))]

/** A follower that has seen everything up to a position, which moves when it passes a page. */
type WaitingFollower = { at: bigint; readonly passing: Passing | undefined; readonly wake: (at: bigint) => void }

/** The newest events, as far as all of them have arrived. */
const keepRecent = (start: bigint) => {
  let events: RecordedEvent[] = []
  /** Everything after this position and up to `head` is in `events`. */
  let floor = start
  let head = start
  const waiting = new Set<WaitingFollower>()
  const wake = (each: WaitingFollower) => {
    waiting.delete(each)
    each.wake(each.at)
  }
  /** Who finds nothing new waits again. */
  const wakeAll = () => {
    for (const each of waiting) wake(each)
  }
  const keep = (page: readonly RecordedEvent[]) => {
    events.push(...page)
    // Who stops at an event that was set aside begins again, and must not find it as it was.
    const aside = new Set(page.flatMap((event) => quarantinedBy(event)?.id ?? []))
    if (aside.size > 0) events = events.map((event) => (aside.has(event.id) ? passedOver(event, SET_ASIDE) : event))
    // Trimmed in one go at twice the bound, so that an arrival costs nothing for each event that stays.
    if (events.length > 2 * RECENT_MAX) {
      floor = events[events.length - RECENT_MAX - 1]?.position ?? floor
      events = events.slice(-RECENT_MAX)
    }
  }
  return {
    floor: () => floor,
    head: () => head,
    /** For a follower that has seen everything: resolves once it has to look, with the position that it has passed. */
    arrival: (at: bigint, passing: Passing | undefined) =>
      new Promise<bigint>((resolve) => waiting.add({ at, passing, wake: resolve })),
    wakeAll,
    add(page: readonly RecordedEvent[], isWhole: boolean) {
      if (isWhole) keep(page)
      const last = page.at(-1)
      head = last?.position ?? head
      if (!isWhole || !last) return wakeAll()
      const types = typesOf(page)
      for (const each of waiting) {
        // One whose checkpoint is beyond the newest event has all this behind it.
        if (last.position <= each.at) continue
        if (each.passing && passes(each.passing, types, last)) each.at = last.position
        else wake(each)
      }
    },
    pass(position: bigint) {
      if (position > head) head = position
    },
    /** Forgets all, and begins at the head. */
    begin() {
      events = []
      floor = head
      wakeAll()
    },
    after(position: bigint): readonly RecordedEvent[] {
      const first = firstAfter(events, position)
      return events.slice(first, first + PAGE_MAX)
    },
  }
}

/** Counts who follows, and calls `changed` when all events are wanted from now on, or not any more. */
const countFollowers = (mayLeaveOut: boolean, afterMs: number, changed: () => void) => {
  let followers = 0
  let wantsAll = true
  let timer: NodeJS.Timeout | undefined
  const want = (all: boolean) => {
    if (wantsAll === all) return
    wantsAll = all
    changed()
  }
  const wait = () => {
    clearTimeout(timer)
    if (mayLeaveOut) timer = setTimeout(() => want(followers > 0), afterMs).unref()
  }
  wait()
  return {
    wantAll: () => wantsAll,
    /** Answers how to leave again. */
    come() {
      followers++
      want(true)
      return () => {
        followers--
        if (followers === 0) wait()
      }
    },
    stop: () => clearTimeout(timer),
  }
}

/** Index of the first event after a position; the events are in order. */
const firstAfter = (events: readonly RecordedEvent[], position: bigint): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.position ?? 0n) <= position) low = middle + 1
    else high = middle
  }
  return low
}
