import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs'
import { knownHead } from '../../../adapters/audit/containment.ts'
import type { KnownHead } from '../../../adapters/audit/known-heads.ts'
import { type LineBooks, lineBooks } from '../../../adapters/audit/line-books.ts'
import { type LineReadings, lineReadings } from '../../../adapters/audit/line-readings.ts'
import { trustedKeys } from '../../../adapters/audit/trusted-keys.ts'
import { type LogVerification, verifier } from '../../../adapters/audit/verify.ts'
import type { LogLine, ParsedLine } from '../../../adapters/store/base/log-line.ts'
import { positionOf } from '../../../adapters/store/base/origin.ts'
import type { Books } from '../../books/books.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { JOURNAL } from '../../parts/witnessed.ts'
import { readSealWitness, sealWitnessesIn } from '../../settings/seal-witness.ts'
import { readTrustedHead, writeCheckpoint } from './checkpoint.ts'
import { tellVerified } from './report.ts'
import { linesByPiece } from './text-lines.ts'
import { limitsOf, type Tail, type TailLimits, tailOf, unsealedFault } from './unsealed.ts'

export type VerifyWish = {
  readonly key: readonly string[]
  /** The file of a checkpoint, or of the note of one, that the log has to contain. */
  readonly from?: string
  /** The file to write the newest head to. */
  readonly checkpoint?: string
  /** Most events that may stand at the end without a seal, and most seconds that they may span. */
  readonly maxUnsealed?: number | undefined
  readonly maxUnsealedSeconds?: number | undefined
  /** Whether nothing needs to be sealed yet. */
  readonly unsealedOk?: boolean
}

/** A log to be checked. */
type Source = {
  /** Its lines from the first event on. */
  readonly lines: AsyncIterable<readonly LogLine[]>
  /** Its last lines: those after a place in the ledger's order. Asked once the others were read, and only for few. */
  tail(after: bigint, count: number): Promise<readonly LogLine[]>
  readonly pins: readonly string[]
  /** Heads that it has to contain, the smallest first. */
  readonly known: Iterable<KnownHead>
}

/**
 * Checks the log against its seals, from the first event on. The log has to contain every head that this installation
 * has witnessed, and that of the checkpoint that was brought along. Answers whether everything fits.
 */
export const verifyLog = async (
  books: Books,
  out: Output,
  wish: VerifyWish & { witness: string },
): Promise<boolean> => {
  // The journal of heads is read before the log, so that it has no head that was sealed after the log was read.
  const witness = readSealWitness(wish.witness)
  const own = witness?.publicKeys ?? []
  const checkpoint = wish.from === undefined ? undefined : readTrustedHead(wish.from, wish.key, own)
  const store = await books.store()
  const head = await store.head()
  const bar = startBar(out, head)
  try {
    return await verifyLines(out, wish, {
      lines: watched(books.lines(-1n, head), bar.at),
      tail: async (after) => {
        const pages = await Array.fromAsync(books.lines(await positionOf(store, after), head))
        return pages.flat().filter(({ order }) => order > after)
      },
      pins: checkpoint?.keys ?? (wish.key.length > 0 ? wish.key : own),
      known: merged(witnessedHeads(wish.witness, witness?.head.size ?? 0), checkpoint?.known),
    })
  } finally {
    bar.stop()
  }
}

/** The same for an exported log, with nothing but keys and checkpoints. */
export const verifyFile = (out: Output, wish: VerifyWish & { file: string }): Promise<boolean> => {
  const checkpoint = wish.from === undefined ? undefined : readTrustedHead(wish.from, wish.key)
  return verifyLines(out, wish, {
    lines: linesIn(wish.file),
    tail: async (_, count) => lastLinesIn(wish.file, count),
    pins: checkpoint?.keys ?? wish.key,
    known: merged([], checkpoint?.known),
  })
}

const verifyLines = async (out: Output, wish: VerifyWish, { lines, tail, pins, known }: Source): Promise<boolean> => {
  const keys = trustedKeys(pins)
  const sums = lineBooks()
  const readings = lineReadings()
  const heads = counting(known)
  const verified = await look(verifier(keys, { known: heads.all }), { sums, readings }, lines)
  const limits = limitsOf(wish, pins.length > 0)
  const unsealed = await tailAfter(verified, limits, tail)
  const unbalanced = verified.wrong ? [] : sums.unbalanced()
  const fault = verified.wrong ? undefined : unsealedFault(verified, unsealed, limits)
  const whole = !verified.wrong && !fault && unbalanced.length === 0
  if (verified.edge && whole && wish.checkpoint !== undefined)
    writeCheckpoint(wish.checkpoint, { edge: verified.edge, keys: keys.list().map(({ publicKey }) => publicKey) })
  await tellVerified(out, { verified, keys, unbalanced, unsealed, fault, heads: heads.count(), readings, wish })
  return whole
}

const look = async (
  verify: ReturnType<typeof verifier>,
  { sums, readings }: { readonly sums: LineBooks; readonly readings: LineReadings },
  pages: AsyncIterable<readonly LogLine[]>,
): Promise<LogVerification> => {
  reading: for await (const page of pages)
    for (const line of page) {
      if (verify.add(line)) break reading
      const event = readings.add(line)
      const fault = sums.add(event)
      if (fault !== undefined) readings.stop(event, fault)
    }
  return verify.end()
}

/** The events at the end without a seal; when they are more than allowed, only their number is told. */
const tailAfter = async (
  { end, edge, wrong }: LogVerification,
  limits: TailLimits,
  tail: Source['tail'],
): Promise<Tail> => {
  const events = end - (edge?.head.size ?? 0)
  if (wrong || events === 0 || events > limits.maxUnsealed) return { events, seconds: undefined }
  return tailOf(await tail(edge ? BigInt(edge.head.order) : -1n, events))
}

/**
 * The heads of the journal as it is when the check begins; heads that are signed meanwhile may cover what was not read.
 */
function* witnessedHeads(file: string, largest: number): Generator<KnownHead> {
  for (const witness of sealWitnessesIn(file)) if (witness.head.size <= largest) yield knownHead(witness, JOURNAL)
}

/** The heads with one more at its place among them. */
function* merged(heads: Iterable<KnownHead>, one: KnownHead | undefined): Generator<KnownHead> {
  let left = one
  for (const head of heads) {
    if (left && left.size <= head.size) {
      yield left
      left = undefined
    }
    yield head
  }
  if (left) yield left
}

const counting = (heads: Iterable<KnownHead>) => {
  let count = 0
  function* all() {
    for (const head of heads) {
      count++
      yield head
    }
  }
  return { all: all(), count: () => count }
}

async function* watched(pages: AsyncIterable<readonly LogLine[]>, at: (done: bigint, what: string) => void) {
  for await (const page of pages) {
    yield page
    at(page.at(-1)?.position ?? 0n, 'verify')
  }
}

/** An exported log: a file of lines. */

/** Lines that are handed on at once; few, because what is alive costs the garbage collector most. */
const LINES_PAGE = 100
/** Bytes that are read at once. */
const READ_BYTES = 262_144

/** The lines of a file, in pages. Rejects with CommandFailure at a line that is no event of a log. */
export async function* linesIn(file: string): AsyncGenerator<readonly LogLine[]> {
  let page: LogLine[] = []
  let number = 0
  for await (const lines of linesByPiece(createReadStream(file, { highWaterMark: READ_BYTES })))
    for (const line of lines) {
      page.push(lineFrom(line.endsWith('\r') ? line.slice(0, -1) : line, ++number, file))
      if (page.length < LINES_PAGE) continue
      yield page
      page = []
    }
  yield page
}

const PIECE_BYTES = 1_048_576

/** The last `count` lines, without reading what is before them. */
export const lastLinesIn = (file: string, count: number): readonly LogLine[] => {
  const opened = openSync(file, 'r')
  try {
    const pieces: Buffer[] = []
    let lines = 0
    // One line feed more than lines: that before the first of them. The last line may end with one or not.
    for (let at = fstatSync(opened).size; at > 0 && lines <= count + 1; ) {
      const piece = Buffer.alloc(Math.min(at, PIECE_BYTES))
      at -= piece.length
      readSync(opened, piece, 0, piece.length, at)
      pieces.unshift(piece)
      lines += piece.reduce((sum, byte) => (byte === LINE_FEED ? sum + 1 : sum), 0)
    }
    const text = Buffer.concat(pieces).toString('utf8').split(/\r?\n/)
    if (text.at(-1) === '') text.pop()
    const wanted = text.slice(-count)
    return wanted.map((line, at) => lineFrom(line, at, file))
  } finally {
    closeSync(opened)
  }
}

const LINE_FEED = 0x0a

const lineFrom = (line: string, number: number, file: string): LogLine => {
  try {
    const parsed = JSON.parse(line) as ParsedLine & { order: string; type: string }
    const order = BigInt(parsed.order)
    return { position: order, order, type: parsed.type, line, parsed }
  } catch {
    throw new CommandFailure(`line ${number} of ${file} is not an event of a log`)
  }
}
