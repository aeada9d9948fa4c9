/**
 * Turns an event into bytes and back: JSON data, and `EventMeta` as its custom metadata. Both stores share this one
 * form.
 */
import type { EventMeta, NewEvent } from '../../../domain/kernel/ports.ts'
import {
  FOREIGN,
  passedOver,
  type RecordedEvent,
  SET_ASIDE,
  UnreadableEvent,
  unreadable,
} from '../../../domain/kernel/recorded-event.ts'
import { anyEvent, type EventRules } from '../../../domain/write-side/readable.ts'
import { MAX_APPEND_BYTES, MAX_EVENT_BYTES } from './limits.ts'

/**
 * A stored event before it is understood; `data` and `metadata` are JSON bytes or what a client already parsed from
 * them.
 */
export type RawEvent = {
  readonly id: string
  readonly stream: string
  readonly revision: bigint
  readonly position: bigint
  readonly type: string
  readonly data: unknown
  readonly metadata: unknown
}

export type EncodedEvent = {
  readonly id: string
  readonly type: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

/** Whether an event belongs to the store itself and so is never shown. */
export const isSystem = (event: { readonly stream: string; readonly type: string }): boolean =>
  event.stream.startsWith('$') || event.type.startsWith('$')

/**
 * Brings a stored event to its newest shape. `base` is what the ledger's own order adds to the positions of this store.
 * An event of another program, or one of `aside`, becomes one that everybody passes over; one that the rules cannot
 * read throws UnreadableEvent as soon as its data is looked at.
 */
export const recordedEvent = (
  raw: RawEvent,
  base = 0n,
  rules: EventRules = anyEvent,
  aside: ReadonlySet<string> = NONE,
): RecordedEvent => {
  const { id, stream, revision, position, type } = raw
  const meta = metadataIn(raw)
  const order = placeIn(raw, meta) ?? position + base
  // Every event that is read comes through here: what only an odd one needs is made for that one.
  const shown = (at = timeIn(meta), cause = NOBODY) => ({ id, stream, revision, position, order, type, at, cause })
  if (aside.size > 0 && aside.has(id)) return passedOver(shown(), SET_ASIDE)
  if (rules.isForeign(stream)) return passedOver(shown(), FOREIGN)
  const fault = faultIn(meta)
  if (fault !== undefined) return unreadable(shown(), fault)
  const { v, at, cause } = meta as EventMeta
  const data = objectIn(raw.data)
  if (!data) return unreadable(shown(at, cause), 'it has no JSON object as its data')
  const read = rules.read({ stream, type, v, data })
  if ('fault' in read) return unreadable(shown(at, cause), read.fault)
  return { id, stream, revision, position, order, type, data: read.data, at, cause }
}

const NONE: ReadonlySet<string> = new Set()
const NOBODY: EventMeta['cause'] = { actor: 'unknown', correlationId: 'unknown' }

/** The metadata of an event. Throws UnreadableEvent on one that Daybook did not write. */
export const metaOf = (raw: RawEvent): EventMeta => {
  const meta = metadataIn(raw)
  const fault = faultIn(meta)
  if (fault !== undefined) throw new UnreadableEvent(raw, fault)
  return meta as EventMeta
}

/**
 * The place in the ledger's order that a copy of the log has noted with an event; undefined where none is. Metadata
 * that takes no further member has it behind its own bytes.
 */
export const notedOrder = (raw: RawEvent): bigint | undefined => placeIn(raw, metadataIn(raw))

const placeIn = ({ metadata }: RawEvent, meta: Partial<EventMeta> | undefined): bigint | undefined => {
  const noted = (metadata instanceof Uint8Array && noteBehind(metadata)?.order) || meta?.order
  return typeof noted === 'string' && DECIMAL.test(noted) ? BigInt(noted) : undefined
}

const metadataIn = ({ metadata }: RawEvent): Partial<EventMeta> | undefined =>
  objectIn(metadata instanceof Uint8Array ? (noteBehind(metadata)?.before ?? metadata) : metadata)

/** Whether metadata is a JSON object on one line that holds something, as ours is: a member can be added at its end. */
export const takesMember = ({ metadata }: EncodedEvent): boolean =>
  metadata.at(-1) === CLOSING_BRACE && !metadata.includes(LINE_FEED) && Object.keys(objectIn(metadata) ?? {}).length > 0

const CLOSING_BRACE = 0x7d
const DECIMAL = /^\d{1,19}$/

/** What a copy has written behind metadata that is no JSON object, and the bytes before it. */
export const noteBehind = (part: Uint8Array): { readonly order: string; readonly before: Uint8Array } | undefined => {
  const start = part.lastIndexOf(LINE_FEED)
  if (start === -1 || part.length - start > NOTE_MAX) return undefined
  const noted = NOTE.exec(Buffer.from(part.subarray(start + 1)).toString('latin1'))?.[1]
  return noted === undefined ? undefined : { order: noted, before: part.subarray(0, start) }
}

/** The bytes to write behind metadata that is no JSON object. */
export const noteOf = (order: bigint): Uint8Array => Buffer.from(`\n{"order":"${order}"}`)

const LINE_FEED = 0x0a
const NOTE = /^\{"order":"(\d{1,19})"\}$/
const NOTE_MAX = noteOf(0n).length + 18

const timeIn = (meta: { readonly at?: unknown } | undefined): string =>
  typeof meta?.at === 'string' && TIME.test(meta.at) ? meta.at : ''

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** What keeps metadata from being that of one of the ledger's events. */
const faultIn = (meta: Partial<EventMeta> | undefined): string | undefined => {
  if (!meta) return 'it has no JSON object as its metadata'
  if (typeof meta.v !== 'number' || timeIn(meta) === '' || !isCause(meta.cause))
    return 'it lacks v, at or cause in its metadata'
  if (meta.order !== undefined && (typeof meta.order !== 'string' || !DECIMAL.test(meta.order)))
    return `its metadata has no true place in the order of the log: ${String(meta.order).slice(0, 40)}`
  return undefined
}

const isCause = (cause: Partial<EventMeta['cause']> | undefined): boolean =>
  typeof cause === 'object' && typeof cause?.actor === 'string' && typeof cause.correlationId === 'string'

/**
 * The bytes of an append. Throws before anything is sent when it is empty, too large, or written in the name of the
 * store itself.
 */
export const encodedEvents = (stream: string, events: readonly NewEvent[]): readonly EncodedEvent[] => {
  if (events.length === 0) throw new Error(`an append to ${stream} holds no event`)
  const list = events.map((event) => encode(stream, event))
  const bytes = list.reduce((sum, event) => sum + bytesOf(event), 0)
  if (bytes > MAX_APPEND_BYTES)
    throw new Error(`an append to ${stream} has ${bytes} bytes, the most is ${MAX_APPEND_BYTES}`)
  return list
}

/** The bytes of an event that count against the limits. */
export const bytesOf = (event: {
  readonly type: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}): number => event.data.length + event.metadata.length + Buffer.byteLength(event.type)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const encode = (stream: string, event: NewEvent): EncodedEvent => {
  if (!UUID.test(event.id)) throw new Error(`${event.type} for ${stream}: ${event.id} is not a lower-case UUID`)
  if (isSystem({ stream, type: event.type }))
    throw new Error(`${event.type} for ${stream}: names with $ are the store's own`)
  const result = { id: event.id, type: event.type, data: json(event.data), metadata: json(event.meta) }
  const bytes = bytesOf(result)
  if (bytes > MAX_EVENT_BYTES)
    throw new Error(`${event.type} for ${stream} has ${bytes} bytes, the most is ${MAX_EVENT_BYTES}`)
  return result
}

const json = (value: object): Uint8Array => Buffer.from(JSON.stringify(value))

/** The JSON object in a part of an event, which a client may have parsed already; undefined where there is none. */
const objectIn = (value: unknown): object | undefined => {
  const found = value instanceof Uint8Array ? parsed(value) : value
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? found : undefined
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch {
    return undefined
  }
}
