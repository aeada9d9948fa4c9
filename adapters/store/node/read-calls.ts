/**
 * The reading half of EventStoreDB's Streams service: one call, Read, for pages and subscriptions of one stream or of
 * the whole log.
 */
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type handleServerStreamingCall, type ServerWritableStream, status } from '@grpc/grpc-js'
import { PAGE_EVENTS } from '../base/limits.ts'
import type { Core } from './core.ts'
import { untilDrained } from './drained.ts'
import type { Direction } from './log.ts'
import type { StoredEvent } from './stored-event.ts'
import {
  caughtUp,
  checkpoint,
  confirmation,
  eventAnswer,
  notFound,
  refusal,
  streamName,
  type UuidForm,
} from './wire.ts'

type Call = ServerWritableStream<ReadReq, ReadResp>

/**
 * The place where a read starts, and its direction; for a stream `key` is the revision, for the whole log the position.
 */
type Source = {
  /** The first event of a forwards page has a key above it, that of a backwards page one below it. */
  readonly from: number
  readonly direction: Direction
  page(from: number, count: number): readonly StoredEvent[]
  key(event: StoredEvent): number
}

/** The way to answer a reader; `send` waits while the peer is slow. */
type Reader = { readonly signal: AbortSignal; readonly form: UuidForm; send(message: ReadResp): Promise<void> }

/**
 * `stopping` ends subscriptions in order, as a server that shuts down does; a page is never cut short, it comes whole
 * or fails.
 */
export const readCall =
  (core: Core, stopping: AbortSignal): handleServerStreamingCall<ReadReq, ReadResp> =>
  (call) => {
    const gone = new AbortController()
    call.on('cancelled', () => gone.abort())
    call.on('close', () => gone.abort())
    call.on('error', () => gone.abort())
    const subscribes = call.request.getOptions()?.hasSubscription()
    const signal = subscribes ? AbortSignal.any([gone.signal, stopping]) : gone.signal
    answer(core, call, signal).then(
      () => call.end(),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error)
        const code = error instanceof SyntaxError ? status.INVALID_ARGUMENT : status.UNAVAILABLE
        call.emit('error', refusal(code, message))
      },
    )
  }

const answer = async (core: Core, call: Call, signal: AbortSignal): Promise<void> => {
  const options = call.request.getOptions()
  if (!options) throw new SyntaxError('a read needs options')
  const reader: Reader = {
    signal,
    form: options.getUuidOption()?.hasStructured() ? 'halves' : 'text',
    send: async (message) => {
      if (!signal.aborted && !call.write(message)) await untilDrained(call)
    },
  }
  const filter = eventFilter(options.getFilter())
  const stream = streamName(options.getStream()?.getStreamIdentifier())
  const source = options.hasAll() ? wholeLog(core, options) : oneStream(core, stream, options)
  if (options.hasSubscription()) return subscribe(core, source, filter, reader)
  if (!options.hasAll() && core.head(stream) < 0) return reader.send(notFound(stream))
  return readPages(source, Number(options.getCount()), filter, reader)
}

const readPages = async (
  source: Source,
  count: number,
  filter: EventFilter | undefined,
  reader: Reader,
): Promise<void> => {
  let left = count
  for (let from = source.from; left > 0 && !reader.signal.aborted; ) {
    const page = source.page(from, filter ? PAGE_EVENTS : Math.min(PAGE_EVENTS, left))
    const farthest = page.at(-1)
    if (!farthest) return
    from = source.key(farthest)
    for (const event of page) {
      if (left <= 0 || reader.signal.aborted) return
      if (filter && !filter.shows(event)) continue
      left--
      await reader.send(eventAnswer(event, reader.form))
    }
  }
}

const subscribe = async (
  core: Core,
  source: Source,
  filter: EventFilter | undefined,
  reader: Reader,
): Promise<void> => {
  await reader.send(confirmation())
  let from = source.from
  let unmarked = 0
  let live = false
  while (!reader.signal.aborted && !core.closed()) {
    const before = core.last()
    const page = source.page(from, PAGE_EVENTS)
    for (const event of page) {
      if (reader.signal.aborted) return
      from = source.key(event)
      if (!filter || filter.shows(event)) await reader.send(eventAnswer(event, reader.form))
      unmarked++
      if (filter && unmarked >= filter.checkpointEvery) {
        unmarked = 0
        await reader.send(checkpoint(event.position))
      }
    }
    if (page.length > 0) continue
    if (!live) {
      live = true
      if (filter) await reader.send(checkpoint(Math.max(from, before)))
      await reader.send(caughtUp())
    }
    await core.grown(before, reader.signal)
  }
}

const wholeLog = (core: Core, options: ReadReq.Options): Source => {
  const all = options.getAll()
  const backwards = options.getReadDirection() === BACKWARDS
  // A page from a position includes that event; a subscription from it, and a page backwards, start beside it.
  const given = wholeNumber(all?.getPosition()?.getCommitPosition())
  const position = backwards || options.hasSubscription() ? given : given - 1
  const end = backwards ? Number.MAX_SAFE_INTEGER : core.last()
  const direction = backwards ? 'backwards' : 'forwards'
  return {
    from: all?.hasPosition() ? position : all?.hasEnd() ? end : -1,
    direction,
    page: (from, count) => core.readAll(from, count, direction),
    key: (event) => event.position,
  }
}

const oneStream = (core: Core, stream: string, options: ReadReq.Options): Source => {
  const from = options.getStream()
  const backwards = options.getReadDirection() === BACKWARDS
  const step = backwards ? -1 : 1
  // A page includes the revision it is asked from; a subscription starts after it.
  const given = wholeNumber(from?.getRevision())
  const revision = options.hasSubscription() ? given : given - step
  const end = backwards ? core.head(stream) + 1 : core.head(stream)
  const direction = backwards ? 'backwards' : 'forwards'
  return {
    from: from?.hasRevision() ? revision : from?.hasEnd() ? end : backwards ? 1 : -1,
    direction,
    page: (at, count) => core.readStream(stream, at + step, count, direction),
    key: (event) => event.revision,
  }
}

const BACKWARDS = 1

/**
 * Positions and revisions are unsigned 64-bit on the wire; what is beyond all events of a log may be cut to the largest
 * safe number.
 */
const wholeNumber = (text: string | undefined): number => Math.min(Number(text ?? 0), Number.MAX_SAFE_INTEGER - 1)

type EventFilter = {
  shows(event: StoredEvent): boolean
  /** A checkpoint is sent after this many events were looked at. */
  readonly checkpointEvery: number
}

/**
 * Server-side filters of the whole log: by stream name or event type, by prefix or regular expression. Undefined when
 * nothing is to be filtered. Throws SyntaxError on an expression that is not valid.
 */
const eventFilter = (options: ReadReq.Options.FilterOptions | undefined): EventFilter | undefined => {
  const expression = options?.getStreamIdentifier() ?? options?.getEventType()
  if (!options || !expression) return undefined
  const name = options.hasStreamIdentifier() ? (event: StoredEvent) => event.stream : (event: StoredEvent) => event.type
  const prefixes = expression.getPrefixList()
  const pattern = regularExpression(expression.getRegex())
  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW_EVENTS
  return {
    shows: (event) => (pattern ? pattern.test(name(event)) : prefixes.some((prefix) => name(event).startsWith(prefix))),
    checkpointEvery: Math.max(1, window * Math.max(1, options.getCheckpointintervalmultiplier())),
  }
}

/** Events that a filter looks at before it reports where it is, when the client names no window. */
const DEFAULT_WINDOW_EVENTS = 32
/** Some hundred types of events fit in. */
const MAX_PATTERN_LENGTH = 8_000

const regularExpression = (text: string): RegExp | undefined => {
  if (text.length > MAX_PATTERN_LENGTH) throw new SyntaxError(`a filter has at most ${MAX_PATTERN_LENGTH} characters`)
  return text ? new RegExp(text, 'u') : undefined
}
