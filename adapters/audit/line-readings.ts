/** Which events of a log the ledger does not read, as the lines of the log tell it. */
import { FOREIGN, type RecordedEvent } from '../../domain/kernel/recorded-event.ts'
import { ledgerRules } from '../../domain/write-side/readable.ts'
import type { LogLine, ParsedLine } from '../store/base/log-line.ts'
import { recordedEvent } from '../store/base/recorded.ts'

/** An event that cannot be read. `aside` is what an operator said who has set it aside; null while nobody has. */
export type UnreadLine = {
  /** Its index in the log, from 0. */
  readonly index: number
  readonly id: string
  readonly stream: string
  readonly revision: string
  readonly type: string
  readonly fault: string
  readonly aside: { readonly by: string; readonly reason: string } | null
}

export type LineReadings = {
  /** Answers the next event of the log as the ledger reads it. */
  add(line: LogLine): RecordedEvent
  /** Says that the event that was added last cannot be read after all. */
  stop(event: RecordedEvent, fault: string): void
  /** Number of events of other programs. */
  foreign(): number
  /** The first events that cannot be read, and how many there are. */
  unread(): { readonly count: number; readonly named: readonly UnreadLine[] }
}

/** Unreadable events that are named. */
const NAMED_MAX = 100

export const lineReadings = (): LineReadings => {
  const named: UnreadLine[] = []
  const aside = new Map<string, UnreadLine['aside']>()
  let [index, foreign, count] = [-1, 0, 0]
  const stop = ({ id, stream, revision, type }: RecordedEvent, fault: string) => {
    count++
    if (named.length < NAMED_MAX)
      named.push({ index, id, stream, revision: String(revision), type, fault, aside: null })
  }
  return {
    stop,
    add(line) {
      const event = recordedIn(line)
      index++
      if (event.type === FOREIGN) foreign++
      if (event.unreadable !== undefined) stop(event, event.unreadable)
      else if (event.type === 'EventQuarantined') {
        const { event: id, by, reason } = event.data as { event: string; by: string; reason: string }
        aside.set(id, { by, reason })
      }
      return event
    },
    foreign: () => foreign,
    unread: () => ({ count, named: named.map((each) => ({ ...each, aside: aside.get(each.id) ?? null })) }),
  }
}

/** The event in a line as the ledger reads it, by the rules alone: what was set aside later reads as it stands. */
export const recordedIn = ({ line, position, order, type, parsed }: LogLine): RecordedEvent => {
  const { id, stream, revision, metadata, data } = partsOf(line, parsed)
  const raw = { id, stream, revision: BigInt(revision), position, type, metadata, data }
  return recordedEvent(raw, order - position, ledgerRules)
}

type Shape = {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly metadata: unknown
  readonly data: unknown
}

/** A line that was changed may be no event at all; whether it was is told by the seals. */
const partsOf = (line: string, parsed: ParsedLine | undefined): Shape => {
  try {
    const found = parsed ?? (JSON.parse(line) as ParsedLine)
    const { id = '', stream = '', metadata, data } = found
    const revision = Number.isSafeInteger(found.revision) ? (found.revision as number) : 0
    return { id: String(id), stream: String(stream), revision, metadata, data }
  } catch {
    return { id: '', stream: '', revision: 0, metadata: undefined, data: undefined }
  }
}
