/**
 * A log byte for byte, as its store keeps it: copies are made from it and compared with it. All other code uses the
 * port.
 */
import type { LogLine } from './log-line.ts'
import type { LogStore } from './origin.ts'
import { type EncodedEvent, notedOrder, noteOf, type RawEvent, takesMember } from './recorded.ts'

export type StoredBytes = EncodedEvent & RawEvent & { readonly contentType: string }

export type ByteLog = {
  /** Pages after a position, up to and with another; the store's own events are left out. */
  readAll(after: bigint, until: bigint): AsyncIterable<readonly StoredBytes[]>
  /** The same events as the lines that are sealed, mirrored and proved. */
  readLines(after: bigint, until: bigint): AsyncIterable<readonly LogLine[]>
  /** The line of the event at a position; undefined when there is none. */
  lineAt(position: bigint): Promise<LogLine | undefined>
  /**
   * Appends events as they are. Repeating the same ids at the same revision changes nothing. Rejects with WrongRevision
   * when the stream is not at `expected`.
   */
  append(stream: string, expected: bigint, events: readonly StoredBytes[]): Promise<void>
  /** Appends that may be under way at once and still stand in the log in the order of the calls. */
  readonly appendsInOrder: number
}

/** One log under both its views, on one file or connection string. */
export type LogPlace = {
  /** The place for people to read, without credentials. */
  readonly name: string
  readonly store: LogStore
  readonly bytes: ByteLog
  /**
   * Asks the server for the first event of its log, once; rejects with the error of the server or of the network.
   * Absent without a server.
   */
  ask?(): Promise<unknown>
  close(): Promise<void>
}

/** The place of an event in the ledger's own order; `base` is that of the store it was read from. */
export const orderOf = (event: RawEvent, base: bigint): bigint => notedOrder(event) ?? event.position + base

/**
 * The event as a copy holds it: its metadata says its place in the ledger's order, and every other byte is as it was.
 * One that was copied before says it already and stays as it is. Metadata that takes no further member, as that of
 * another program may, gets the place behind its own bytes.
 */
export const copyOf = (event: StoredBytes, base: bigint): StoredBytes => {
  if (notedOrder(event) !== undefined) return event
  const { metadata } = event
  if (!takesMember(event)) return { ...event, metadata: Buffer.concat([metadata, noteOf(event.position + base)]) }
  const end = metadata.lastIndexOf(CLOSING_BRACE)
  const order = Buffer.from(`,"order":"${event.position + base}"`)
  return { ...event, metadata: Buffer.concat([metadata.subarray(0, end), order, metadata.subarray(end)]) }
}

/** The byte that ends a JSON object. */
const CLOSING_BRACE = 0x7d
