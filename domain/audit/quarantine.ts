import { decider } from '../kernel/decider.ts'
import type { RecordedEvent } from '../kernel/recorded-event.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * Events of the log that cannot be read, and that an operator has set aside: everybody passes over them from then on.
 * There are as many as an operator has looked at, so one stream holds them all and is read at every start.
 */

export type QuarantineEvents = {
  /** An event is set aside: it stays in the log and under its seals, and nobody reads it any more. */
  EventQuarantined: {
    /** The id of the event, its stream, its revision there, and its type. */
    event: string
    stream: string
    revision: string
    type: string
    /** Why it could not be read. */
    fault: string
    /** `by`: the machine's user name of whoever did it. `reason`: why. */
    by: string
    reason: string
  }
}

export type QuarantineCommands = {
  /** Quiet when the event was set aside already. */
  setAside: QuarantineEvents['EventQuarantined']
}

type State = { readonly events: readonly string[] }

export const QUARANTINE_ID = 'events'

/** More than that is no mishap: another program writes to this log. */
const EVENTS_MAX = 1_000

export const quarantine = decider<QuarantineEvents, QuarantineCommands, State>({
  category: 'quarantine',
  stateVersion: 1,
  initial: { events: [] },
  decide: {
    setAside: ({ events }, data) => {
      if (events.includes(data.event)) return []
      if (events.length >= EVENTS_MAX)
        return refuse(
          'too-many-entries',
          `${EVENTS_MAX} events are set aside already, which is as many as may be. Find the program that writes to this log, and stop it.`,
        )
      return [{ type: 'EventQuarantined', data }]
    },
  },
  evolve: {
    EventQuarantined: ({ events }, { event }) => ({ events: [...events, event] }),
  },
})

/** The stream that a store reads to know what was set aside. */
export const QUARANTINE_STREAM = `${quarantine.category}-${QUARANTINE_ID}`

/** The event that another one sets aside, by its id and its stream; undefined where it does no such thing. */
export const quarantinedBy = (event: RecordedEvent): { readonly id: string; readonly stream: string } | undefined => {
  if (event.type !== 'EventQuarantined' || event.unreadable !== undefined) return undefined
  const { event: id, stream } = event.data as QuarantineEvents['EventQuarantined']
  return { id, stream }
}
