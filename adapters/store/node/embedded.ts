/** The event store inside the process: the port over the embedded node, without a network between. */
import { setImmediate as turn } from 'node:timers/promises'
import { LOG_STREAM } from '../../../domain/audit/log.ts'
import { type RecordedEvent, WrongRevision } from '../../../domain/kernel/ports.ts'
import { anyEvent } from '../../../domain/write-side/readable.ts'
import { type CutStreams, createCutStreams, endOfWhole } from '../base/cut-streams.ts'
import { createEventReading, type EventReading, type EventReadingOptions } from '../base/event-reading.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { type Ends, type LogStore, origins, tellsOrigin } from '../base/origin.ts'
import { encodedEvents, isSystem, type RawEvent } from '../base/recorded.ts'
import { StaleAppend } from './appends.ts'
import type { Core } from './core.ts'
import type { StoredEvent, StoredText } from './stored-event.ts'

/**
 * The port over an open node. `close()` closes the node with it. A subscription ends when its signal aborts or the node
 * closes.
 */
export const embeddedStore = (core: Core, options: EventReadingOptions = { rules: anyEvent }): LogStore => {
  const here = origins(async () => ends(core))
  const cuts = createCutStreams()
  const reading = createEventReading({ here, stream: (name) => pagesOf(core, name) }, options)
  return {
    append: async (stream, expected, events) => {
      const list = encodedEvents(stream, events).map((event) => ({ ...event, contentType: 'application/json' }))
      try {
        const { revision, position } = await core.append(stream, Number(expected), list)
        return { revision: BigInt(revision), position: BigInt(position) }
      } catch (error) {
        if (error instanceof StaleAppend) throw new WrongRevision(error.message, { cause: error })
        throw error
      }
    },
    read: (stream, from = 0n) => readStream({ core, reading, cuts }, stream, Math.max(0, Number(from))),
    readAll: (after) => readAll(core, reading, Number(after)),
    subscribe: (after, signal) => subscribe(core, reading, Number(after), signal),
    head: async () => head(core),
    origin: here.origin,
    cuts,
    reading,
    close: () => core.close(),
  }
}

async function* subscribe(core: Core, reading: EventReading, after: number, signal: AbortSignal): Pages {
  let position = after
  while (!signal.aborted && !core.closed()) {
    const page = core.readAll(position, PAGE_EVENTS, 'forwards')
    const newest = page.at(-1)
    if (!newest) {
      await core.grown(position, signal)
      continue
    }
    position = newest.position
    const events = await reading.page(ours(page))
    if (events.length > 0) yield events
    await turn()
  }
}

type Pages = AsyncGenerator<readonly RecordedEvent[]>

// A consumer that never leaves the microtask queue would starve everyone else, so each page gives the event loop a
// turn.
async function* readAll(core: Core, reading: EventReading, after: number): Pages {
  const end = core.last()
  for (let position = after; position < end; ) {
    const page = core.readText(position, PAGE_EVENTS)
    position = page.at(-1)?.position ?? end
    const events = await reading.page(ours(page))
    if (events.length > 0) yield events
    await turn()
  }
}

type StreamReading = { readonly core: Core; readonly reading: EventReading; readonly cuts: CutStreams }

async function* readStream({ core, reading, cuts }: StreamReading, stream: string, from: number): Pages {
  // The heads of streams are in memory: whether there is anything new, which is asked most, costs no query.
  for (let revision = from; revision <= core.head(stream); ) {
    const page = core.readStream(stream, revision, PAGE_EVENTS, 'forwards')
    revision = Number(endOfWhole(cuts, stream, BigInt(revision), page)) + 1
    if (page.length === 0) throw cuts.found(stream, 'incomplete', `ends before revision ${core.head(stream)}`)
    const events = await reading.page(ours(page))
    if (events.length > 0) yield events
    if (revision > core.head(stream)) return
    await turn()
  }
}

const head = (core: Core): bigint => {
  // The newest event is nearly always one of ours.
  let count = 1
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = core.readAll(before, count, 'backwards')
    const newest = page.find((event) => !isSystem(event))
    if (newest) return BigInt(newest.position)
    const oldest = page.at(-1)
    if (!oldest) return -1n
    before = oldest.position
    count = PAGE_EVENTS
  }
}

const ends = (core: Core): Ends => ({ first: firstOf(core), copied: copiedIn(core) })

const copiedIn = (core: Core): RawEvent | undefined => {
  for (let from = Number.MAX_SAFE_INTEGER; ; ) {
    const page = core.readStream(LOG_STREAM, from, FIRST_EVENTS, 'backwards')
    const oldest = page.at(-1)
    const found = ours(page).find(tellsOrigin)
    if (found || !oldest || oldest.revision === 0) return found
    from = oldest.revision - 1
  }
}

const firstOf = (core: Core): RawEvent | undefined => {
  for (let after = -1; ; ) {
    const page = core.readAll(after, FIRST_EVENTS, 'forwards')
    const [first] = ours(page)
    const newest = page.at(-1)
    if (first || !newest) return first
    after = newest.position
  }
}

/** Events looked at in one step when searching the first one of ours, or the newest that says whose log it is. */
const FIRST_EVENTS = 8

/** The pages of a stream as they are stored. */
function* pagesOf(core: Core, stream: string): Generator<readonly RawEvent[]> {
  for (let revision = 0; revision <= core.head(stream); ) {
    const page = core.readStream(stream, revision, PAGE_EVENTS, 'forwards')
    const newest = page.at(-1)
    if (!newest) return
    yield ours(page)
    revision = newest.revision + 1
  }
}

type Page = readonly (StoredEvent | StoredText)[]

/** A page without the events of the store itself. */
const ours = (page: Page): readonly RawEvent[] =>
  page
    .filter((event) => !isSystem(event))
    .map(({ id, stream, revision: r, position: p, type, data, metadata }) => {
      const parts = { data: payload(data), metadata: payload(metadata) }
      return { id, stream, revision: BigInt(r), position: BigInt(p), type, ...parts }
    })

/** Text is parsed here: the check of an event takes a string for data that a client has parsed already. */
const payload = (given: Uint8Array | string): unknown => {
  if (typeof given !== 'string') return given
  try {
    return JSON.parse(given)
  } catch {
    return Buffer.from(given)
  }
}
