/**
 * Turns an event into bytes and back: JSON data, and `EventMeta` as its custom metadata. Both stores share this one
 * form.
 */
import type { EventMeta, NewEvent, RecordedEvent } from '../../../domain/kernel/ports.ts'
import { upcast } from '../../../domain/write-side/upcasts.ts'
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

/** An event that Daybook did not write. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent'
}

/** Whether an event belongs to the store itself and so is never shown. */
export const isSystem = (event: { readonly stream: string; readonly type: string }): boolean =>
  event.stream.startsWith('$') || event.type.startsWith('$')

/**
 * Brings a stored event to its newest shape. `base` is what the ledger's own order adds to the positions of this store.
 * Throws on an event that Daybook did not write: skipping it would hide a fact.
 */
export const recordedEvent = (raw: RawEvent, base = 0n): RecordedEvent => {
  const data = parsed(raw, 'data', raw.data)
  const meta = metaOf(raw)
  return {
    id: raw.id,
    stream: raw.stream,
    revision: raw.revision,
    position: raw.position,
    order: meta.order === undefined ? raw.position + base : BigInt(meta.order),
    type: raw.type,
    data: upcast(raw.type, meta.v, data),
    at: meta.at,
    cause: meta.cause,
  }
}

/** The metadata of an event. Throws on one that Daybook did not write. */
export const metaOf = (raw: RawEvent): EventMeta => {
  const meta = parsed(raw, 'metadata', raw.metadata) as Partial<EventMeta>
  if (typeof meta.v !== 'number' || typeof meta.at !== 'string' || typeof meta.cause !== 'object' || !meta.cause)
    throw new UnreadableEvent(`${place(raw)} lacks v, at or cause in its metadata: Daybook needs a store of its own`)
  if (meta.order !== undefined && !/^\d{1,19}$/.test(meta.order))
    throw new UnreadableEvent(`${place(raw)} has no place in the order of the log: ${meta.order}`)
  return meta as EventMeta
}

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

const parsed = (raw: RawEvent, part: string, value: unknown): object => {
  let result = value
  if (value instanceof Uint8Array) {
    try {
      result = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString())
    } catch {
      result = undefined
    }
  }
  if (typeof result === 'object' && result !== null) return result
  throw new UnreadableEvent(`${place(raw)} has no JSON object as its ${part}: Daybook needs a store of its own`)
}

const place = (raw: RawEvent): string =>
  `event ${raw.revision} of ${raw.stream} (${raw.type}, position ${raw.position})`
