/** The event store inside the process: the port over the embedded node, without a network between. */
import { setImmediate as turn } from 'node:timers/promises'
import { LOG_STREAM } from '../../../domain/audit/log.ts'
import { type RecordedEvent, WrongRevision } from '../../../domain/kernel/ports.ts'
import { type CutStreams, createCutStreams, endOfWhole } from '../base/cut-streams.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { type Ends, type LogStore, type Origins, origins } from '../base/origin.ts'
import { encodedEvents, isSystem, type RawEvent, recordedEvent } from '../base/recorded.ts'
import { StaleAppend } from './appends.ts'
import type { Core } from './core.ts'
import type { StoredEvent, StoredText } from './stored-event.ts'

/**
 * The port over an open node. `close()` closes the node with it. A subscription ends when its signal aborts or the node
 * closes.
 */
export const embeddedStore = (core: Core): LogStore => {
  const here = origins(async () => ends(core))
  const cuts = createCutStreams()
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
    read: (stream, from = 0n) => readStream(core, here, cuts, stream, Math.max(0, Number(from))),
    readAll: (after) => readAll(core, here, Number(after)),
    subscribe: (after, signal) => subscribe(core, here, Number(after), signal),
    head: async () => head(core),
    origin: here.origin,
    cuts,
    close: () => core.close(),
  }
}

async function* subscribe(core: Core, here: Origins, after: number, signal: AbortSignal): Pages {
  let position = after
  while (!signal.aborted && !core.closed()) {
    const page = core.readAll(position, PAGE_EVENTS, 'forwards')
    const newest = page.at(-1)
    if (!newest) {
      await core.grown(position, signal)
      continue
    }
    position = newest.position
    const events = await shown(here, page)
    if (events.length > 0) yield events
    await turn()
  }
}

type Pages = AsyncGenerator<readonly RecordedEvent[]>

// A consumer that never leaves the microtask queue would starve everyone else, so each page gives the event loop a
// turn.
async function* readAll(core: Core, here: Origins, after: number): Pages {
  const end = core.last()
  for (let position = after; position < end; ) {
    const page = core.readText(position, PAGE_EVENTS)
    position = page.at(-1)?.position ?? end
    const events = await shown(here, page)
    if (events.length > 0) yield events
    await turn()
  }
}

async function* readStream(core: Core, here: Origins, cuts: CutStreams, stream: string, from: number): Pages {
  // The heads of streams are in memory: whether there is anything new, which is asked most, costs no query.
  for (let revision = from; revision <= core.head(stream); ) {
    const page = core.readStream(stream, revision, PAGE_EVENTS, 'forwards')
    revision = Number(endOfWhole(cuts, stream, BigInt(revision), page)) + 1
    if (page.length === 0) throw cuts.found(stream, 'incomplete', `ends before revision ${core.head(stream)}`)
    const events = await shown(here, page)
    if (events.length > 0) yield events
    if (revision > core.head(stream)) return
    await turn()
  }
}

const head = (core: Core): bigint => {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = core.readAll(before, PAGE_EVENTS, 'backwards')
    const newest = page.find((event) => !isSystem(event))
    if (newest) return BigInt(newest.position)
    const oldest = page.at(-1)
    if (!oldest) return -1n
    before = oldest.position
  }
}

const ends = (core: Core): Ends => ({
  first: firstOf(core),
  copied: ours(core.readStream(LOG_STREAM, Number.MAX_SAFE_INTEGER, 1, 'backwards'))[0],
})

const firstOf = (core: Core): RawEvent | undefined => {
  for (let after = -1; ; ) {
    const page = core.readAll(after, FIRST_EVENTS, 'forwards')
    const [first] = ours(page)
    const newest = page.at(-1)
    if (first || !newest) return first
    after = newest.position
  }
}

/** Events looked at in one step when searching the first one of ours. */
const FIRST_EVENTS = 8

const shown = async (here: Origins, page: Page): Promise<readonly RecordedEvent[]> => {
  const base = await here.base()
  return ours(page).map((event) => recordedEvent(event, base))
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
    return undefined
  }
}
