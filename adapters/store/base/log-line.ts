/**
 * An event of the log as one line of JSON, with its stored bytes as they are. The line is what seals hash and what
 * auditors are given, and is the same in every copy of the log: it holds the event's place in the ledger's own order,
 * and not where a store keeps it.
 *
 * `{"order":"123","stream":"…","revision":0,"id":"…","type":"…","contentType":"…","bytes":[m,d],"metadata":…,
 * "data":…}`, where `bytes` are the lengths of metadata and data, which follow verbatim; what is no JSON, or has a line
 * feed, stands as text in base64. Metadata is without the `order` that a copy adds.
 */
import { noteBehind } from './recorded.ts'

export type LogLine = {
  /** The position at which this store keeps the event. */
  readonly position: bigint
  readonly order: bigint
  readonly type: string
  /** The line without its line feed. */
  readonly line: string
  /** What the line says, where whoever made or read it has parsed it already. */
  readonly parsed?: ParsedLine
}

/** A part that is no JSON is its text in base64. A copied event's metadata may have its `order` here. */
export type ParsedLine = {
  readonly id?: unknown
  readonly stream?: unknown
  readonly revision?: unknown
  readonly metadata?: unknown
  readonly data?: unknown
}

/** An event whose metadata and data may already be text; U+FFFD in it may stand for bytes that are none. */
type LineEvent = {
  readonly id: string
  readonly stream: string
  readonly revision: bigint | number
  readonly position: bigint | number
  readonly type: string
  readonly contentType: string
  readonly metadata: Uint8Array | string
  readonly data: Uint8Array | string
}

/** The line of an event; `base` is what the ledger's own order adds to the positions of the store. */
export const lineOf = (event: LineEvent, base: bigint): LogLine => {
  const { type } = event
  const position = BigInt(event.position)
  const data = shown(event.data)
  const { order = position + base, metadata } = uncopied(event.metadata)
  const place = `{"order":"${order}","stream":${quoted(event.stream)},"revision":${event.revision}`
  const content = event.contentType === JSON_TYPE ? QUOTED_JSON_TYPE : quoted(event.contentType)
  const what = `"id":${quoted(event.id)},"type":${quoted(type)},"contentType":${content}`
  const line = `${place},${what},"bytes":[${metadata.bytes},${data.bytes}],"metadata":${metadata.text},"data":${data.text}}`
  const parsed = {
    id: event.id,
    stream: event.stream,
    revision: Number(event.revision),
    metadata: metadata.value,
    data: data.value,
  }
  return { position, order, type, line, parsed }
}

/** Whether text may stand for bytes that are no text, so that its event has to be read as bytes. */
export const isDoubtful = ({ metadata, data }: { readonly metadata: string; readonly data: string }): boolean =>
  metadata.includes(REPLACEMENT) || data.includes(REPLACEMENT)

const REPLACEMENT = '\ufffd'

/** `value` is what the text says as JSON. */
type PartText = { readonly text: string; readonly bytes: number; readonly value: unknown }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const shown = (part: Uint8Array | string): PartText => {
  const bytes = Buffer.byteLength(part)
  const text = typeof part === 'string' ? part : decoded(part)
  const value = text === undefined || text.includes('\n') ? NO_JSON : parsedJson(text)
  if (text !== undefined && value !== NO_JSON) return { text, bytes, value }
  const encoded = Buffer.from(part).toString('base64')
  return { text: `"${encoded}"`, bytes, value: encoded }
}

const decoded = (part: Uint8Array): string | undefined => {
  try {
    return decoder.decode(part)
  } catch {
    return undefined
  }
}

/** Daybook writes nothing else; the bytes of other programs would make a line that nobody could read. */
const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return NO_JSON
  }
}

const NO_JSON = Symbol('no JSON')

/**
 * The text that `copyOf` adds at the end of an event's metadata. Metadata that Daybook writes ends with its cause, an
 * object.
 */
const ADDED = /,"order":"(\d{1,19})"\}$/
const ADDED_MAX = ',"order":""}'.length + 19

const uncopied = (part: Uint8Array | string): { order?: bigint; metadata: PartText } => {
  const metadata = shown(part)
  if (!metadata.text.endsWith('"}')) {
    // Metadata that takes no further member has the place behind its bytes, after a line feed.
    const note = metadata.text.startsWith('"') ? noteBehind(Buffer.from(part)) : undefined
    return note ? { order: BigInt(note.order), metadata: shown(note.before) } : { metadata }
  }
  const found = ADDED.exec(metadata.text.slice(-ADDED_MAX))
  if (!found) return { metadata }
  const added = found[0].length - 1
  const text = `${metadata.text.slice(0, -found[0].length)}}`
  return { order: BigInt(found[1] ?? 0), metadata: { text, bytes: metadata.bytes - added, value: metadata.value } }
}

const JSON_TYPE = 'application/json'
const QUOTED_JSON_TYPE = `"${JSON_TYPE}"`

/** Most names need no escape, and looking is faster than escaping. */
const PLAIN = /^[\w./:-]*$/

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))
