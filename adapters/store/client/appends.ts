/**
 * Appending to EventStoreDB so that an unknown outcome never becomes a double or a lost event: the same ids at the same
 * revision are sent again until the store says what became of them.
 */
import { StreamCut } from '../../../domain/audit/stream-cut.ts'
import { type AppendPlace, type NewEvent, OutcomeUnknown, WrongRevision } from '../../../domain/kernel/ports.ts'
import { type CutStreams, WritingStopped } from '../base/cut-streams.ts'
import { encodedEvents } from '../base/recorded.ts'
import { type AppendAnswer, openAppendCalls } from './append-calls.ts'
import type { Connection, StoreLog } from './connection.ts'
import { isDefinite, pause, RETRY_MAX_MS, RETRY_MIN_MS, TooBusy } from './patience.ts'
import { isPosition, type Reads } from './reads.ts'
import { slots } from './slots.ts'
import type { TimeLimits } from './time-limits.ts'

type Append = (stream: string, expected: bigint, events: readonly NewEvent[]) => Promise<AppendPlace>

type Write = { readonly stream: string; readonly expected: bigint; readonly events: readonly NewEvent[] }

/** Appends to one stream go out one after the other, in call order; those to different streams side by side. */
export const openAppends = (
  connection: Connection,
  reads: Reads,
  cuts: CutStreams,
  limits: TimeLimits,
  log: StoreLog,
): Append => {
  const inTurn = lanes(APPENDS_IN_FLIGHT, APPENDS_WAITING, 'appends')
  const send = openAppendCalls(connection)
  const landmarks = openLandmarks(reads, cuts)
  return async (stream, expected, events) => {
    const end = performance.now() + limits.appendMs
    const write = { stream, expected, events }
    const append = { stream, expected, events: encodedEvents(stream, events) }
    const attempt = async () => {
      // This is asked before each try: a cut of the stream may be heard of while the append waits for its turn.
      cuts.mustTakeAppends(stream)
      return send(append, Math.max(1, Math.min(limits.appendTryMs, end - performance.now())))
    }
    const store = { connection, reads, cuts, log }
    const before = landmarks.newest()
    const appended = await inTurn(stream, () => appendUntilKnown(store, write, attempt, end))
    await landmarks.confirmed(stream, { position: appended.position, id: events.at(-1)?.id ?? '' }, before)
    cuts.reached(stream, appended.revision)
    return appended
  }
}

/** Appends on the wire at once: what is held here for a server that does not read, and sent again when a call ends. */
const APPENDS_IN_FLIGHT = 64
/** Appends that wait for their turn; above it calls are refused at once. */
const APPENDS_WAITING = 10_000
const APPEND_TRIES = 20

type Store = {
  readonly connection: Connection
  readonly reads: Reads
  readonly cuts: CutStreams
  readonly log: StoreLog
}

const appendUntilKnown = async (
  store: Store,
  write: Write,
  send: () => Promise<AppendAnswer>,
  end: number,
): Promise<AppendPlace> => {
  const { connection, cuts, log } = store
  let unknown: unknown
  for (let attempt = 1; attempt <= APPEND_TRIES && performance.now() < end; attempt++) {
    if (attempt > 1) await pause(attempt - 1, RETRY_MIN_MS, RETRY_MAX_MS, connection.closing)
    if (connection.closing.aborted) break
    let answer: AppendAnswer
    try {
      answer = await send()
      if (answer.kind === 'appended') return await place(store, write, answer)
    } catch (error) {
      if (error instanceof StreamCut || error instanceof WritingStopped) throw error
      if (isDefinite(error) && unknown === undefined) throw error
      unknown = error
      log('the outcome of an append is unknown, it is sent again', {
        stream: write.stream,
        attempt,
        error: String(error),
      })
      if (isDefinite(error)) break
      continue
    }
    if (answer.kind === 'deleted') throw cuts.found(write.stream, 'tombstoned', 'was deleted on the server for good')
    return settleConflict(store, write, answer.revision, unknown !== undefined)
  }
  throw new OutcomeUnknown(`the store did not say what became of an append to ${write.stream}`, { cause: unknown })
}

type Appended = AppendAnswer & { readonly kind: 'appended' }

/** The place of an append. A repeat may be answered without its position; the event itself knows it. */
const place = async (
  { reads, cuts }: Store,
  write: Write,
  { revision: landed, position }: Appended,
): Promise<AppendPlace> => {
  const { stream, events } = write
  const revision = mustLand(cuts, write, landed)
  if (position !== undefined && isPosition(position)) return { revision, position }
  const [last] = await reads.stream(stream, revision, 1)
  if (last?.id !== events.at(-1)?.id) throw new Error(`the store confirmed an append to ${stream} that is not there`)
  return { revision, position: last?.position ?? -1n }
}

/**
 * The revision that the append has to end at. A server may take it elsewhere, as it does where a stream was deleted:
 * then the events were decided on a state that is not so. Throws StreamCut then, and this process appends nothing any
 * more.
 */
const mustLand = (cuts: CutStreams, { stream, expected, events }: Write, landed: bigint): bigint => {
  const revision = expected + BigInt(events.length)
  if (landed !== revision)
    throw cuts.found(stream, 'misplaced', `took an append that ends at revision ${revision} at revision ${landed}`)
  return revision
}

/** A conflict after an unknown outcome may be our own earlier try: the events in the stream say whose it is. */
const settleConflict = async (
  { reads, cuts }: Store,
  write: Write,
  actual: bigint | undefined,
  unsure: boolean,
): Promise<AppendPlace> => {
  const { stream, expected, events } = write
  // A read has to show the stream up to the end that the server told.
  if (actual !== undefined) cuts.reached(stream, actual)
  const conflict = new WrongRevision(`${stream} is at revision ${actual ?? -1n}, not at ${expected}`)
  if (!unsure) throw conflict
  const found = await reads.stream(stream, expected + 1n, events.length).catch((cause: unknown) => {
    throw new OutcomeUnknown(`the store did not say what became of an append to ${stream}`, { cause })
  })
  const last = found.at(-1)
  if (!last || found.length < events.length || found.some((event, i) => event.id !== events[i]?.id)) throw conflict
  return { revision: mustLand(cuts, write, last.revision), position: last.position }
}

/** The newest event that the server has confirmed to this process. */
type Landmark = { readonly position: bigint; readonly id: string }

/**
 * Notices a log that was put back from a backup under this process: positions of a log only rise, so an append that is
 * confirmed at a position below the newest event shows that this event may be gone. The event is then looked for.
 */
type Landmarks = {
  /** The landmark so far; it has to be asked for before an append is sent. */
  newest(): Landmark | undefined
  /**
   * Takes the position of a confirmed append. Throws StreamCut when the log lacks what it had before, and nothing is
   * appended any more; throws OutcomeUnknown when nobody can tell.
   */
  confirmed(stream: string, appended: Landmark, before: Landmark | undefined): Promise<void>
}

const openLandmarks = (reads: Reads, cuts: CutStreams): Landmarks => {
  let newest: Landmark | undefined
  return {
    newest: () => newest,
    async confirmed(stream, appended, before) {
      if (appended.position > (newest?.position ?? -1n)) newest = appended
      if (!before || appended.position > before.position) return
      // A repeat is confirmed where its events have been all the time.
      const there = await reads.at(before.position).catch((cause: unknown) => {
        throw new OutcomeUnknown(`the store did not say whether it has the event at ${before.position}`, { cause })
      })
      if (there?.id === before.id) return
      const how = `took an append at position ${appended.position}, and has lost the event at ${before.position}`
      throw cuts.found(stream, 'misplaced', how)
    },
  }
}

type LaneRunner = <T>(lane: string, work: () => Promise<T>) => Promise<T>

/**
 * Work in lanes: one at a time within a lane, in the order of the calls; different lanes side by side, up to a bound.
 * `atOnce` pieces of work run together over all lanes, `waiting` more may wait; beyond that a call rejects and
 * nothing was done.
 */
const lanes = (atOnce: number, waiting: number, what: string): LaneRunner => {
  const tails = new Map<string, Promise<unknown>>()
  // Work that waits for a slot is counted below already, together with work that waits for its lane.
  const slot = slots(atOnce, Number.POSITIVE_INFINITY, what)
  let taken = 0
  return async (lane, work) => {
    if (taken >= atOnce + waiting) throw new TooBusy(`more than ${waiting} ${what} wait for the store`)
    taken++
    const before = tails.get(lane)
    const turn = before ? before.then(() => slot(work)) : slot(work)
    const tail = turn.then(
      () => undefined,
      () => undefined,
    )
    tails.set(lane, tail)
    try {
      return await turn
    } finally {
      taken--
      if (tails.get(lane) === tail) tails.delete(lane)
    }
  }
}
