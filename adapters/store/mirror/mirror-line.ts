/**
 * A line of the mirror: `{"position":"<where the store keeps the event>","event":<its LogLine>}`. The line of the event
 * stands in it as it is, so that whoever hashes it only cuts it out.
 */
import type { RecordedEvent } from '../../../domain/kernel/ports.ts'
import type { EventReading } from '../base/event-reading.ts'
import type { LogLine } from '../base/log-line.ts'
import type { RawEvent } from '../base/recorded.ts'
import { MirrorDamage } from './segments.ts'

export const mirrorLine = ({ position, line }: LogLine): string => `${OPENING}${position}${MIDDLE}${line}}\n`

/** The position in a line that starts at `start`. Throws MirrorDamage when no line does. */
export const positionAt = (text: string, start: number): bigint =>
  BigInt(text.slice(start + OPENING.length, middleOf(text, start)))

/** The event of the line from `start` to `end`, which is its line feed. Throws MirrorDamage when there is none. */
export const lineAt = (text: string, start: number, end: number, position: bigint): LogLine => {
  const from = text.indexOf(MIDDLE, start) + MIDDLE.length
  const orderEnd = text.indexOf('"', from + ORDER.length)
  // Inside a text of JSON every quote has a backslash before it, so these are found nowhere but at their places.
  const id = text.indexOf(REVISION, orderEnd)
  const typeStart = text.indexOf(TYPE, id) + TYPE.length
  const typeEnd = text.indexOf(CONTENT_TYPE, typeStart)
  const order = text.slice(from + ORDER.length, orderEnd)
  const whole = text.startsWith(ORDER, from) && NUMBER.test(order) && id > 0 && typeStart > id && typeEnd > 0
  if (!whole || typeEnd > end || text.charCodeAt(end - 1) !== BRACE) throw noLine(text, start)
  return {
    position,
    order: BigInt(order),
    type: JSON.parse(`"${text.slice(typeStart, typeEnd)}"`),
    line: text.slice(from, end - 1),
  }
}

/** The same event as the store gives it, whose reading is told. Throws MirrorDamage. */
export const eventAt = (
  reading: Pick<EventReading, 'event'>,
  ...[text, start, end, position]: [text: string, start: number, end: number, position: bigint]
): RecordedEvent => {
  const { event } = parsed(text, start, end)
  const raw: RawEvent = {
    id: event.id,
    stream: event.stream,
    revision: BigInt(event.revision),
    position,
    type: event.type,
    data: payload(event.data, event.bytes[1]),
    metadata: payload(event.metadata, event.bytes[0]),
  }
  return reading.event(raw, BigInt(event.order) - position)
}

/** The id in the line of an event. */
export const idOf = ({ line }: LogLine): string => (JSON.parse(line) as Shape['event']).id

type Shape = {
  readonly event: {
    readonly order: string
    readonly stream: string
    readonly revision: number
    readonly id: string
    readonly type: string
    readonly bytes: readonly [number, number]
    readonly metadata: unknown
    readonly data: unknown
  }
}

const OPENING = '{"position":"'
const MIDDLE = '","event":'
const ORDER = '{"order":"'
const REVISION = '","revision":'
const TYPE = '","type":"'
const CONTENT_TYPE = '","contentType":'
const BRACE = '}'.charCodeAt(0)
const NUMBER = /^\d{1,19}$/

const middleOf = (text: string, start: number): number => {
  const middle = text.indexOf('"', start + OPENING.length)
  const whole = text.startsWith(OPENING, start) && text.startsWith(MIDDLE, middle)
  if (!whole || !NUMBER.test(text.slice(start + OPENING.length, middle))) throw noLine(text, start)
  return middle
}

const parsed = (text: string, start: number, end: number): Shape => {
  try {
    return JSON.parse(text.slice(start, end))
  } catch {
    throw noLine(text, start)
  }
}

/** The bytes of a part that the line had to show as text in base64. JSON that is a text itself has another length. */
const payload = (part: unknown, length: number): unknown => {
  if (typeof part !== 'string') return part
  const bytes = Buffer.from(part, 'base64')
  return bytes.length === length ? bytes : part
}

const SHOWN_CHARACTERS = 60
const noLine = (text: string, start: number): MirrorDamage =>
  new MirrorDamage(`the mirror holds what is no event: ${JSON.stringify(text.slice(start, start + SHOWN_CHARACTERS))}`)
