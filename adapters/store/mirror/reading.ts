/** Reading the segments of a mirror in big pieces, from any place on. */
import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { PAGE_EVENTS } from '../base/limits.ts'
import { positionAt } from './mirror-line.ts'
import { MirrorDamage, type Segment } from './segments.ts'

/**
 * Makes something of the line of `text` between two places, the second being its line feed; its position is known by
 * then.
 */
type Make<T> = (text: string, start: number, end: number, position: bigint) => T

type ReadingPlan<T> = {
  /** The position after which lines are read. */
  readonly after: bigint
  readonly make: Make<T>
  /**
   * Every segment is hashed before anything of it is given, and MirrorDamage thrown when it is not what its note says.
   */
  readonly checked?: boolean
}

/**
 * Pages of what the segments hold, of at most PAGE_EVENTS lines, and of fewer where one piece of a file ends. Throws
 * MirrorDamage when positions do not rise or a line is none.
 */
export async function* pagesOf<T>(segments: readonly Segment[], reading: ReadingPlan<T>): AsyncGenerator<readonly T[]> {
  let at = reading.after
  for (const segment of segments) {
    const { last, bytes } = segment.note
    if (!last || last.position <= at) continue
    const file = await open(segment.file)
    try {
      if (reading.checked) await hashOf(file, segment)
      for await (const text of textOf(file, await startIn(file, segment, at), bytes)) {
        const pages = cut(text, at, reading.make)
        for (const page of pages) {
          if (page.items.length > 0) yield page.items
          at = page.at
          await turn()
        }
      }
      if (at !== last.position)
        throw new MirrorDamage(`segment ${segment.name} of the mirror ends at ${at}, not at ${last.position}`)
    } finally {
      await file.close()
    }
  }
}

/** The hash of the noted bytes of a segment, to go on with. Throws MirrorDamage when it is another than was noted. */
export const hashOf = async (file: FileHandle, { name, note: { bytes, sha256 } }: Segment): Promise<Hash> => {
  const hash = createHash('sha256')
  for await (const piece of piecesOf(file, 0, bytes, Buffer.allocUnsafe(PIECE_BYTES))) hash.update(piece)
  if (hash.copy().digest('hex') !== sha256)
    throw new MirrorDamage(`segment ${name} of the mirror is not what was written: its SHA-256 is another`)
  return hash
}

/** Bytes of a file that are read at once; lines that are longer get the room they need. */
const PIECE_BYTES = 1_048_576
/**
 * Bytes that become one text, of whole lines. A text of 128 KiB and more is a large object to the garbage collector,
 * which then comes by more often and leaves more behind: with a megabyte, reading took half as long again.
 */
const TEXT_BYTES = 65_536
/** A place is searched by halves until it is this near, and then line by line. */
const NEAR_BYTES = 262_144
/** Bytes that are read at first to see where the next line begins. */
const GLANCE_BYTES = 4_096
const LINE_FEED = 0x0a

type Page<T> = { readonly items: readonly T[]; readonly at: bigint }

function* cut<T>(text: string, after: bigint, make: Make<T>): Generator<Page<T>> {
  let at = after
  let items: T[] = []
  let skipping = true
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const position = positionAt(text, start)
    if (position > at) {
      skipping = false
      items.push(make(text, start, end, position))
      at = position
    } else if (!skipping) throw new MirrorDamage(`the mirror has position ${position} after ${at}`)
    start = end + 1
    if (items.length === PAGE_EVENTS) {
      yield { items, at }
      items = []
    }
  }
  yield { items, at }
}

/** Whole lines from one place of a file, where a line begins, to another. */
async function* textOf(file: FileHandle, from: number, to: number): AsyncGenerator<string> {
  let room = Buffer.allocUnsafe(PIECE_BYTES)
  let rest = 0
  for (let at = from; at < to; ) {
    if (rest === room.length) room = Buffer.concat([room], 2 * room.length)
    const read = await fill(file, room, rest, at, to)
    at += read
    const whole = room.lastIndexOf(LINE_FEED, rest + read - 1) + 1
    for (let start = 0, end = 0; start < whole; start = end) {
      end = textEnd(room, start, whole)
      yield room.toString('utf8', start, end)
    }
    room.copyWithin(0, whole, rest + read)
    rest += read - whole
  }
  if (rest > 0) throw new MirrorDamage('the last line of a segment of the mirror has no end')
}

/** The end of the lines that make one text: at least one line. */
const textEnd = (room: Buffer, start: number, whole: number): number => {
  if (whole - start <= TEXT_BYTES) return whole
  const last = room.lastIndexOf(LINE_FEED, start + TEXT_BYTES - 1)
  return (last >= start ? last : room.indexOf(LINE_FEED, start + TEXT_BYTES)) + 1
}

async function* piecesOf(file: FileHandle, from: number, to: number, room: Buffer): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const read = await fill(file, room, 0, at, to)
    yield room.subarray(0, read)
    at += read
  }
}

const fill = async (file: FileHandle, room: Buffer, offset: number, at: number, to: number): Promise<number> => {
  const { bytesRead } = await file.read(room, offset, Math.min(room.length - offset, to - at), at)
  if (bytesRead === 0) throw new MirrorDamage('a segment of the mirror has become shorter')
  return bytesRead
}

/** The beginning of a line that is not behind the first one after a position, and is near it. */
const startIn = async (file: FileHandle, { note }: Segment, after: bigint): Promise<number> => {
  if (after < note.first.position) return 0
  let [low, high] = [0, note.bytes]
  while (high - low > NEAR_BYTES) {
    const middle = Math.floor((low + high) / 2)
    const next = await lineAfter(file, middle, high)
    if (next && next.position <= after) low = next.start
    else high = middle
  }
  return low
}

/** The first line that begins after a place and before another. */
const lineAfter = async (file: FileHandle, place: number, before: number) => {
  for (let size = GLANCE_BYTES; ; size *= 2) {
    const room = Buffer.allocUnsafe(Math.min(size, before - place))
    for (let read = 0; read < room.length; ) read += await fill(file, room, read, place + read, before)
    const feed = room.indexOf(LINE_FEED)
    const text = feed === -1 ? '' : room.toString('latin1', feed + 1, feed + 1 + HEAD_BYTES)
    if (text.length === HEAD_BYTES) return { start: place + feed + 1, position: positionAt(text, 0) }
    if (room.length === before - place) return undefined
  }
}

/** Bytes at the beginning of a line that are sure to hold its position; no line is shorter. */
const HEAD_BYTES = 64
