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
  const stops = new Map<string, { readonly stop: FollowerStop; readonly past: bigint }>()
  return {
    /** `past` is the place that the follower has to come past; where it stands, unless told. */
    note(name: string, { event, reason, message }: UnreadableEvent, past = at(name)) {
      const known = stops.get(name)
      // A policy may stand at events of several keys: the oldest is what its checkpoint waits for.
      if (known && at(name) <= known.past && known.past < past) return
      stops.set(name, { stop: { ...event, reason, at: at(name) }, past })
      if (known?.stop.id !== event.id) log.error({ follower: name, event: event.id, stream: event.stream }, message)
    },
    all(): ReadonlyMap<string, FollowerStop> {
      for (const [name, { past }] of stops) if (at(name) > past) stops.delete(name)
      return new Map([...stops].map(([name, { stop }]) => [name, stop]))
    },
  }
}
