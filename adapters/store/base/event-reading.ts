/**
 * Tells which events of a store the ledger reads: it passes over the streams of other programs and over what an
 * operator has set aside, and stops at nothing else that it cannot read until somebody needs it.
 */
import { QUARANTINE_STREAM, quarantinedBy } from '../../../domain/audit/quarantine.ts'
import { StreamCut } from '../../../domain/audit/stream-cut.ts'
import type { EventPlace, RecordedEvent } from '../../../domain/kernel/recorded-event.ts'
import type { EventRules } from '../../../domain/write-side/readable.ts'
import { type RawEvent, recordedEvent } from './recorded.ts'

/** An event that cannot be read, and why. */
export type UnreadablePlace = EventPlace & { readonly reason: string }

export type EventReading = {
  /** The events of a page as the ledger reads them; the first page also reads what was set aside. */
  page(events: readonly RawEvent[]): Promise<readonly RecordedEvent[]>
  /** Resolves once it is known what was set aside; `event` needs that. */
  learned(): Promise<void>
  event(raw: RawEvent, base: bigint): RecordedEvent
  /** Whether an operator has set an event aside, as far as this process has heard. */
  isSetAside(id: string): boolean
  /** The events that were met, cannot be read, and were not set aside, in the order of the log; at most 1,000. */
  unreadable(): readonly UnreadablePlace[]
  /** How many events of other programs were passed over, by the category of their streams; at most 100 have a name. */
  foreign(): ReadonlyMap<string, number>
}

/** Called once for each foreign category, and once for each event that cannot be read. */
export type ReadingWarning = (message: string, facts: Readonly<Record<string, unknown>>) => void

export type EventReadingOptions = { readonly rules: EventRules; readonly warn?: ReadingWarning }

type Sources = {
  /** Where the ledger's own order goes on in this store. */
  readonly here: { base(): Promise<bigint> }
  /** The events of a stream from its start. */
  stream(name: string): AsyncIterable<readonly RawEvent[]> | Iterable<readonly RawEvent[]>
}

/** Unreadable events that are remembered. */
const UNREADABLE_MAX = 1_000
/** Foreign categories that are told apart; all others are counted together. */
const CATEGORIES_MAX = 100
const OTHERS = 'others'

const NOTHING = Promise.resolve()

export const createEventReading = (
  { here, stream }: Sources,
  { rules, warn = () => {} }: EventReadingOptions,
): EventReading => {
  const aside = new Set<string>()
  const unreadable = new Map<string, UnreadablePlace>()
  const foreign = new Map<string, number>()
  /** Foreign events up to this position were counted: several followers may read the same ones. */
  let counted = -1n
  let learning: Promise<void> | undefined

  const see = (raw: RawEvent) => {
    if (!rules.quarantine || raw.stream !== QUARANTINE_STREAM) return
    const found = quarantinedBy(recordedEvent(raw, 0n, rules))
    if (!found) return
    aside.add(found.id)
    unreadable.delete(found.id)
  }
  const passed = ({ stream: name, type, position, id }: RawEvent) => {
    if (position <= counted) return
    counted = position
    const dash = name.indexOf('-')
    const category = dash > 0 ? name.slice(0, dash) : name
    const label = foreign.has(category) || foreign.size < CATEGORIES_MAX ? category : OTHERS
    if (!foreign.has(label))
      warn('the log has events of another program, which are passed over', { category, stream: name, type, id })
    foreign.set(label, (foreign.get(label) ?? 0) + 1)
  }
  const stuck = (event: RecordedEvent, reason: string) => {
    if (unreadable.has(event.id) || unreadable.size >= UNREADABLE_MAX) return
    const { id, stream: name, revision, position, type } = event
    unreadable.set(id, { id, stream: name, revision, position, type, reason })
    warn('an event of the log cannot be read; whoever needs it stops at it until it is set aside', {
      event: id,
      stream: name,
      revision: String(revision),
      type,
      reason,
    })
  }
  const learn = async () => {
    try {
      for await (const page of stream(QUARANTINE_STREAM)) page.forEach(see)
    } catch (error) {
      if (!(error instanceof StreamCut)) throw error
      // Whoever needs an event that was set aside stops at it again; everybody else goes on.
      warn('what was set aside is not known', { reason: error.message })
    }
  }
  const learned = () => {
    if (!rules.quarantine) return NOTHING
    learning ??= learn().catch((error: unknown) => {
      learning = undefined
      throw error
    })
    return learning
  }
  const event = (raw: RawEvent, base: bigint) => {
    const read = recordedEvent(raw, base, rules, aside)
    if (read.unreadable !== undefined) stuck(read, read.unreadable)
    else if (rules.isForeign(raw.stream)) passed(raw)
    return read
  }
  return {
    page: async (events) => {
      if (events.length === 0) return []
      await learned()
      events.forEach(see)
      const base = await here.base()
      return events.map((raw) => event(raw, base))
    },
    learned,
    event,
    isSetAside: (id) => aside.has(id),
    unreadable: () => [...unreadable.values()].sort((a, b) => (a.position < b.position ? -1 : 1)),
    foreign: () => foreign,
  }
}
