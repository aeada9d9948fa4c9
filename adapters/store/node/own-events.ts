/**
 * The embedded node as others may write to it. Its log is Daybook's alone, so that an append is refused when the ledger
 * could not read it afterwards.
 */
import { FOREIGN } from '../../../domain/kernel/recorded-event.ts'
import type { EventRules } from '../../../domain/write-side/readable.ts'
import { recordedEvent } from '../base/recorded.ts'
import { RefusedAppend } from './appends.ts'
import type { Core } from './core.ts'

/** The same node; an append of an event that the rules cannot read is refused by name, and nothing of it is written. */
export const ownEventsOnly = (core: Core, rules: EventRules): Core => ({
  ...core,
  append: async (stream, expected, events) => {
    for (const [i, event] of events.entries()) {
      const raw = { ...event, stream, revision: BigInt(i), position: 0n }
      const { type, unreadable } = recordedEvent(raw, 0n, rules)
      if (type === FOREIGN)
        throw new RefusedAppend(
          'malformed',
          `${stream} is no stream of Daybook's ledger, and this log is Daybook's alone: write to an event store of your own`,
        )
      if (unreadable !== undefined)
        throw new RefusedAppend('malformed', `${event.type} for ${stream} could not be read by Daybook: ${unreadable}`)
    }
    return core.append(stream, expected, events)
  },
})
