import type { Logger } from 'pino'
import type { EventPlace, UnreadableEvent } from '../../domain/kernel/recorded-event.ts'

/** A follower that stands at an event that cannot be read: nothing after it reaches its rows, or is reacted to. */
export type FollowerStop = EventPlace & {
  readonly reason: string
  /** Where the follower stood. */
  readonly at: bigint
}

export type Stops = ReturnType<typeof createStops>

/**
 * Notes which followers stand still, until they have moved on. Each stop is logged once: a follower tries again every
 * second.
 */
export const createStops = (log: Pick<Logger, 'error'>, at: (name: string) => bigint) => {
  const stops = new Map<string, FollowerStop>()
  return {
    note(name: string, { event, reason, message }: UnreadableEvent) {
      const known = stops.get(name)
      // A policy may stand at events of several keys: the oldest is what its checkpoint waits for.
      if (known && at(name) < known.position && known.position < event.position) return
      stops.set(name, { ...event, reason, at: at(name) })
      if (known?.id !== event.id) log.error({ follower: name, event: event.id, stream: event.stream }, message)
    },
    all(): ReadonlyMap<string, FollowerStop> {
      for (const [name, stop] of stops) if (at(name) >= stop.position) stops.delete(name)
      return stops
    },
  }
}
