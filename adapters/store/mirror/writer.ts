/**
 * Writes the mirror. The note beside a segment says how much of it is durable; bytes behind that are of a batch that a
 * crash cut off, and are cut away at the next start. So nothing is written twice and nothing is left out, at whatever
 * byte the crash came.
 */
import type { LogLine } from '../base/log-line.ts'
import { type Disk, disk } from './disk.ts'
import { type LogPosition, type MirroredLog, NO_SEGMENT, type SegmentNote } from './note.ts'
import { beginSegment, type OpenSegment, resumeSegment } from './open-segment.ts'
import { segmentsIn } from './segments.ts'

export type Bounds = {
  /** A segment is full with so many bytes, or so many events. */
  readonly segmentBytes: number
  readonly segmentEvents: number
  /** Bytes that are made durable together: about what a crash may cost, which is then read again from the store. */
  readonly batchBytes: number
}

/** A segment is hashed as a whole when it is resumed, which takes about a tenth of a second at this size. */
export const BOUNDS: Bounds = { segmentBytes: 67_108_864, segmentEvents: 100_000, batchBytes: 8_388_608 }

export type Writer = {
  /** The last event that is written, and its log; undefined in an empty mirror. */
  end(): End | undefined
  /**
   * Writes lines that follow the last. A full batch is durable at once, the rest after `flush`. After an error only
   * `close` is of use.
   */
  append(identity: MirroredLog, lines: readonly LogLine[]): Promise<void>
  flush(): Promise<void>
  close(): Promise<void>
}

export type End = MirroredLog & LogPosition & { readonly id: string; readonly before: bigint }

/**
 * Opens the mirror in a directory, or makes it. Throws MirrorDamage when what is durable is not what was written. One
 * writer at a time.
 */
export const openWriter = async (dir: string, bounds: Bounds = BOUNDS, on: Disk = disk): Promise<Writer> => {
  await on.directory(dir)
  const segments = await segmentsIn(dir)
  let end = endOf(segments.map(({ note }) => note))
  let previous = segments.findLast(({ sealed }) => sealed)?.noteHash ?? NO_SEGMENT
  const newest = segments.at(-1)
  let open = newest && !newest.sealed ? await resumeSegment(on, dir, newest) : undefined

  const flush = async () => {
    await open?.save()
    if (!open || room(open, bounds) > 0) return
    previous = await open.seal()
    open = undefined
  }
  // A crash may have come before the note was renamed to a seal.
  await flush()
  return {
    end: () => end,
    append: async (identity, lines) => {
      mustRise(end, lines)
      for (let rest = lines; rest[0]; ) {
        const { order, position } = rest[0]
        const empty = { ...identity, first: { order, position }, before: end?.position ?? -1n, previous }
        open ??= await beginSegment(on, dir, empty)
        const piece = rest.slice(0, Math.max(1, fitting(rest, open, bounds)))
        await open.put(piece)
        end = endOf([open.note()]) ?? end
        if (room(open, bounds) <= 0 || open.unsaved() >= bounds.batchBytes) await flush()
        rest = rest.slice(piece.length)
      }
    },
    flush,
    close: async () => {
      await open?.close()
      open = undefined
    },
  }
}

/** The last event of the newest segment that holds any. */
export const endOf = (notes: readonly SegmentNote[]): End | undefined => {
  const { log, origin, last, before } = notes.findLast((note) => note.last) ?? {}
  return last && log !== undefined && origin !== undefined && before !== undefined
    ? { log, origin, before, ...last }
    : undefined
}

/** Events that a segment has room for; none once it is full by either measure. */
const room = (segment: OpenSegment, { segmentBytes, segmentEvents }: Bounds): number => {
  const { bytes, events } = segment.note()
  return bytes >= segmentBytes ? 0 : segmentEvents - events
}

/** The number of lines that still go into the segment. */
const fitting = (lines: readonly LogLine[], segment: OpenSegment, bounds: Bounds): number => {
  let bytes = segment.note().bytes
  const full = lines.findIndex(({ line }) => {
    bytes += line.length
    return bytes >= bounds.segmentBytes
  })
  return Math.min(room(segment, bounds), full === -1 ? lines.length : full + 1)
}

const mustRise = (end: End | undefined, lines: readonly LogLine[]): void => {
  let before: LogPosition | undefined = end
  for (const line of lines) {
    if (before && (line.position <= before.position || line.order <= before.order))
      throw new Error(`the log has ${line.order} at ${line.position} after ${before.order} at ${before.position}`)
    before = line
  }
}
