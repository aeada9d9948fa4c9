import type { EventStore, RecordedEvent } from '../../../domain/kernel/ports.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import { bigints, type Output } from '../../console/output.ts'
import { pagesFrom } from '../books/places.ts'

/** Events as the log holds them. Sealed values stay sealed: nothing here has a key. */

export type TailOptions = {
  readonly from?: bigint
  readonly limit?: number
  readonly follow?: boolean
  readonly type?: string
  readonly stream?: string
  /** Aborts when whoever follows has seen enough. */
  readonly interrupted: AbortSignal
}

/** Events shown when neither a start nor a number is given. */
const TAIL_EVENTS = 20
/**
 * Positions that are searched first for each wanted event, and the factor by which the search widens when they were too
 * few.
 */
const POSITIONS_PER_EVENT = 1_024
const WIDER = 8n

/**
 * Prints events in the order of the log: from a position on, or the newest ones; with `follow` also those that come.
 */
export const tailEvents = async (books: Books, out: Output, options: TailOptions): Promise<void> => {
  const { from, limit = from === undefined ? TAIL_EVENTS : Number.POSITIVE_INFINITY, follow } = options
  // Here the command would hold the log itself, and so keep away the very service that would write to it.
  if (follow && !books.live) throw new CommandFailure('no service is running, so there is nothing to follow')
  const store = await books.store()
  const wanted = filter(options)
  let at = from === undefined ? -1n : from - 1n
  let shown = 0
  const print = async (page: readonly RecordedEvent[]): Promise<boolean> => {
    at = page.at(-1)?.position ?? at
    for (const event of page.filter(wanted)) {
      await out.tell(event, oneLine(event))
      if (++shown === limit && from !== undefined) return true
    }
    return false
  }
  if (from === undefined) {
    const newest = await newestEvents(books, store, wanted, limit)
    await print(newest.events)
    at = newest.at
  } else {
    for await (const page of pagesFrom(books, store, from)) if (await print(page)) return
  }
  if (!follow) return
  for await (const page of store.subscribe(at, options.interrupted)) if (await print(page)) return
}

/** Prints one event by its id or position, or all events of a stream. */
export const showEvents = async (books: Books, out: Output, which: string): Promise<void> => {
  const store = await books.store()
  let shown = 0
  for await (const event of select(books, store, which)) {
    await out.tell(event, `${shown > 0 ? '\n' : ''}${pretty(event)}`)
    shown++
  }
  if (shown === 0) throw new CommandFailure(`the log has no stream, event id or position ${which}`)
}

async function* select(books: Books, store: EventStore, which: string): AsyncGenerator<RecordedEvent> {
  if (/^\d{1,19}$/.test(which)) {
    const position = BigInt(which)
    for await (const [event] of pagesFrom(books, store, position)) {
      if (event?.position === position) yield event
      return
    }
  } else if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(which)) {
    // The store finds events by place alone, so the whole log is read for an id.
    for await (const page of store.readAll(-1n))
      for (const event of page) if (event.id === which.toLowerCase()) return yield event
  } else for await (const page of store.read(which)) yield* page
}

/**
 * Finds the newest events. The log is read forwards only: a short piece at its end first, then wider ones until enough
 * is found.
 */
const newestEvents = async (
  books: Books,
  store: EventStore,
  wanted: (event: RecordedEvent) => boolean,
  limit: number,
) => {
  const head = await store.head()
  for (let width = BigInt(limit * POSITIONS_PER_EVENT); ; width *= WIDER) {
    const after = books.seekable && width < head ? head - width : -1n
    let at = head
    let events: RecordedEvent[] = []
    for await (const page of store.readAll(after)) {
      at = page.at(-1)?.position ?? at
      events = [...events, ...page.filter(wanted)].slice(-limit)
    }
    if (events.length === limit || after < 0n) return { events, at }
  }
}

const filter =
  ({ type, stream }: TailOptions) =>
  (event: RecordedEvent): boolean =>
    (type === undefined || event.type === type) && (stream === undefined || event.stream.startsWith(stream))

const oneLine = (event: RecordedEvent): string => {
  const { position, at, stream, revision, type, unreadable } = event
  const shown = unreadable === undefined ? JSON.stringify(event.data, bigints) : `cannot be read: ${unreadable}`
  return `${position}  ${at}  ${stream}#${revision}  ${type}  ${shown}`
}

const pretty = (event: RecordedEvent): string => {
  const { actor, correlationId, causationId } = event.cause
  return [
    `${event.type}  ${event.stream}#${event.revision}`,
    `  position ${event.position}, decided ${event.at}`,
    `  id ${event.id}`,
    `  by ${actor}, correlation ${correlationId}${causationId ? `, because of ${causationId}` : ''}`,
    ...(event.unreadable === undefined ? JSON.stringify(event.data, bigints, 2) : `cannot be read: ${event.unreadable}`)
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')
}
