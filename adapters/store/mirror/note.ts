/**
 * The note beside a segment of the mirror: it says how far the segment is durable, what it holds and what came before
 * it. While the segment grows the note is written anew with each batch; once the segment is full the note is renamed
 * and becomes its seal. Hashes chain the segments together.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

/** The log that a mirror is of. */
export type MirroredLog = {
  /** Id of the first event. */
  readonly log: string
  /** The id that tells it from its own copies, whose positions are others (`origin()`). */
  readonly origin: string
}

export type LogPosition = { readonly order: bigint; readonly position: bigint }

export type SegmentNote = MirroredLog & {
  readonly first: LogPosition
  /** Undefined while the segment is empty. */
  readonly last?: (LogPosition & { readonly id: string }) | undefined
  /**
   * Position of the event before the last, in whichever segment: reading on from there, the store has to give the last.
   * -1n before the first.
   */
  readonly before: bigint
  readonly events: number
  /** Bytes of the file that are durable; those behind them do not count. */
  readonly bytes: number
  /** SHA-256 of those bytes, hex. */
  readonly sha256: string
  /** SHA-256 of the whole seal of the segment before this, and so of that segment and of all before it. */
  readonly previous: string
}

/** The hash that stands for the segment before the first. */
export const NO_SEGMENT = '0'.repeat(64)

export const writeNote = ({
  log,
  origin,
  first,
  last,
  before,
  events,
  bytes,
  sha256,
  previous,
}: SegmentNote): string => {
  const places = { first: written(first), last: last && { ...written(last), id: last.id }, before: String(before) }
  return `${JSON.stringify({ log, origin, ...places, events, bytes, sha256, previous })}\n`
}

/** The hash by which the next segment's note names this one. */
export const sealHash = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Undefined when the text is no note. */
export const readNote = (text: string): SegmentNote | undefined => {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

const written = ({ order, position }: LogPosition) => ({ order: String(order), position: String(position) })

const number = z
  .string()
  .regex(/^(-1|\d{1,19})$/)
  .transform(BigInt)
const count = z.number().int().nonnegative()
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const place = { order: number, position: number }

const shape = z.strictObject({
  log: z.string(),
  origin: z.string(),
  first: z.strictObject(place),
  last: z.strictObject({ ...place, id: z.string() }).optional(),
  before: number,
  events: count,
  bytes: count,
  sha256: hash,
  previous: hash,
})
