/**
 * Appending to EventStoreDB so that an unknown outcome never becomes a double or a lost event: the same ids at the same revision are
 * sent again until the store says what became of them.
 */
import {
  type AppendResult,
  type JSONType,
  jsonEvent,
  NO_STREAM,
  WrongExpectedVersionError,
} from '@eventstore/db-client'
import { type Appended, type NewEvent, OutcomeUnknown, WrongRevision } from '../../../domain/ports.ts'
import { encoded } from '../recorded.ts'
import type { Connection, StoreLog } from './connection.ts'
import { lanes } from './lanes.ts'
import { isDefinite, pause, RETRY_MAX_MS, RETRY_MIN_MS, within } from './patience.ts'
import { isPosition, type Reads } from './reads.ts'

export type Append = (stream: string, expected: bigint, events: readonly NewEvent[]) => Promise<Appended>

type Write = { readonly stream: string; readonly expected: bigint; readonly events: readonly NewEvent[] }

/** Appends to one stream go out one after the other, in call order; those to different streams side by side. */
export const openAppends = (connection: Connection, reads: Reads, log: StoreLog): Append => {
  const inTurn = lanes(APPENDS_IN_FLIGHT, APPENDS_WAITING)
  return async (stream, expected, events) => {
    encoded(stream, events)
    const end = performance.now() + APPEND_LIMIT_MS
    return inTurn(stream, () => appendUntilKnown(connection, reads, log, { stream, expected, events }, end))
  }
}

/** Appends on the wire at once; a server allows about 100 calls on a connection, and reads and subscriptions need some of them. */
const APPENDS_IN_FLIGHT = 64
/** Appends that wait for their turn; above it calls are refused at once. */
const APPENDS_WAITING = 10_000
/** One try of an append. */
const APPEND_TIMEOUT_MS = 5_000
/** An append with all its tries and the wait for its turn. */
const APPEND_LIMIT_MS = 20_000
const APPEND_TRIES = 20
/** Our own clock is the second net under the deadline that the client is given. */
const TIMEOUT_GRACE_MS = 500

const appendUntilKnown = async (
  connection: Connection,
  reads: Reads,
  log: StoreLog,
  write: Write,
  end: number,
): Promise<Appended> => {
  let unknown: unknown
  for (let attempt = 1; attempt <= APPEND_TRIES && performance.now() < end && !connection.closing.aborted; attempt++) {
    if (attempt > 1) await pause(attempt - 1, RETRY_MIN_MS, RETRY_MAX_MS, connection.closing)
    try {
      return await place(reads, write, await send(connection, write, end))
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return settleConflict(reads, write, error, unknown !== undefined)
      if (isDefinite(error) && unknown === undefined) throw error
      unknown = error
      log('the outcome of an append is unknown, it is sent again', {
        stream: write.stream,
        attempt,
        error: String(error),
      })
      if (isDefinite(error)) break
    }
  }
  throw new OutcomeUnknown(`the store did not say what became of an append to ${write.stream}`, { cause: unknown })
}

const send = (
  { client, credentials }: Connection,
  { stream, expected, events }: Write,
  end: number,
): Promise<AppendResult> => {
  const deadline = Math.max(1, Math.min(APPEND_TIMEOUT_MS, Math.ceil(end - performance.now())))
  // Event data is plain JSON by the rules of the house, which the type `object` cannot say.
  const list = events.map(({ id, type, data, meta }) => jsonEvent({ id, type, data: data as JSONType, metadata: meta }))
  const expectedRevision = expected < 0n ? NO_STREAM : expected
  const call = client.appendToStream(stream, list, { expectedRevision, credentials, deadline })
  return within(deadline + TIMEOUT_GRACE_MS, `an append to ${stream}`, call)
}

/** A repeat may be answered without its position; the event itself knows it. */
const place = async (reads: Reads, { stream, expected, events }: Write, result: AppendResult): Promise<Appended> => {
  const revision = expected + BigInt(events.length)
  const position = result.position?.commit
  if (position !== undefined && isPosition(position)) return { revision, position }
  const [last] = await reads.stream(stream, revision, 1)
  if (last?.id !== events.at(-1)?.id) throw new Error(`the store confirmed an append to ${stream} that is not there`)
  return { revision, position: last?.position ?? -1n }
}

/** A conflict after an unknown outcome may be our own earlier try: what sits in the stream says whose it is. */
const settleConflict = async (
  reads: Reads,
  write: Write,
  error: WrongExpectedVersionError,
  unsure: boolean,
): Promise<Appended> => {
  const { stream, expected, events } = write
  const conflict = new WrongRevision(`${stream} is at revision ${error.actualVersion}, not at ${expected}`, {
    cause: error,
  })
  if (!unsure) throw conflict
  const found = await reads.stream(stream, expected + 1n, events.length).catch((cause: unknown) => {
    throw new OutcomeUnknown(`the store did not say what became of an append to ${stream}`, { cause })
  })
  const last = found.at(-1)
  if (!last || found.length < events.length || found.some((event, i) => event.id !== events[i]?.id)) throw conflict
  return { revision: last.revision, position: last.position }
}
