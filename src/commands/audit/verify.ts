import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { type LineBooks, lineBooks } from '../../../adapters/audit/line-books.ts'
import { type TrustedKeys, trustedKeys } from '../../../adapters/audit/trusted-keys.ts'
import { type Verified, type VerifyOptions, verifier } from '../../../adapters/audit/verify.ts'
import { wordsFor } from '../../../adapters/audit/wrong.ts'
import type { LogLine } from '../../../adapters/store/log-line.ts'
import { positionOf } from '../../../adapters/store/origin.ts'
import type { Books } from '../../books.ts'
import { readSealWitness } from '../../seal-witness.ts'
import { Failed } from '../failures.ts'
import type { Output } from '../output.ts'
import { startBar } from '../progress.ts'
import { counted } from '../replaying.ts'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'

export type VerifyWish = {
  readonly key: readonly string[]
  /** Files of a checkpoint to begin with, and to write the newest one to. */
  readonly from?: string
  readonly checkpoint?: string
}

/**
 * Checks the log against its seals, from the first event or a checkpoint on. Beside keys and checkpoint that were brought along, the newest head
 * that this installation has seen must be in it. Answers whether everything fits.
 */
export const verifyLog = async (
  books: Books,
  out: Output,
  wish: VerifyWish & { witness: string },
): Promise<boolean> => {
  // Before the log: what is sealed meanwhile must not be missed in what was read.
  const witness = readSealWitness(wish.witness)
  const start = wish.from === undefined ? undefined : readCheckpoint(wish.from, wish.key)
  const pins = start?.keys ?? (wish.key.length > 0 ? wish.key : (witness?.publicKeys ?? []))
  const store = await books.store()
  const head = await store.head()
  const bar = startBar(out, head)
  const after = start ? await positionOf(store, BigInt(start.edge.head.order)) : -1n
  const options = { start: start?.edge, known: witness ? [witness.head] : [] }
  try {
    return await verifyLines(out, wish, pins, options, watched(books.lines(after, head), bar.at))
  } finally {
    bar.stop()
  }
}

/** The same of an exported log, with nothing but keys and checkpoints. */
export const verifyFile = (out: Output, wish: VerifyWish & { file: string }): Promise<boolean> => {
  const start = wish.from === undefined ? undefined : readCheckpoint(wish.from, wish.key)
  return verifyLines(out, wish, start?.keys ?? wish.key, { start: start?.edge }, linesIn(wish.file))
}

const verifyLines = async (
  out: Output,
  wish: VerifyWish,
  pins: readonly string[],
  options: VerifyOptions,
  pages: AsyncIterable<readonly LogLine[]>,
): Promise<boolean> => {
  const keys = trustedKeys(pins)
  const sums = lineBooks()
  const verified = await look(verifier(keys, options), sums, options, pages)
  const { edge, wrong } = verified
  if (edge && !wrong && wish.checkpoint !== undefined)
    writeCheckpoint(wish.checkpoint, { edge, keys: keys.list().map(({ publicKey }) => publicKey) })
  const unbalanced = wrong ? [] : sums.unbalanced()
  await tell(out, { verified, keys, unbalanced, wish })
  return wrong === undefined && unbalanced.length === 0
}

const look = async (
  verify: ReturnType<typeof verifier>,
  sums: LineBooks,
  { start }: VerifyOptions,
  pages: AsyncIterable<readonly LogLine[]>,
): Promise<Verified> => {
  const begins = start ? BigInt(start.head.order) : -1n
  reading: for await (const page of pages)
    for (const line of page) {
      if (line.order <= begins && start) continue
      if (verify.add(line)) break reading
      sums.add(line)
    }
  return verify.end()
}

type Told = { verified: Verified; keys: TrustedKeys; unbalanced: readonly string[]; wish: VerifyWish }

const tell = async (out: Output, { verified, keys, unbalanced, wish }: Told) => {
  const { end, seals, edge, wrong } = verified
  const sealed = edge?.head.size ?? 0
  const place =
    wrong && (wrong.order === undefined ? `event ${wrong.index}` : `event ${wrong.index}, position ${wrong.order}`)
  const words = wrong && wordsFor(wrong)
  await out.tell(
    {
      whole: !wrong && unbalanced.length === 0,
      ...{ events: end, sealed, unsealed: end - sealed, seals, head: edge?.head ?? null },
      keys: keys.list(),
      wrong: wrong ? { ...wrong, words } : null,
      ...{ balanced: wrong ? null : unbalanced.length === 0, unbalanced, checkpoint: wish.checkpoint ?? null },
    },
    [
      ...(wrong ? [`NOT WHOLE: ${place}: ${words}.`] : ['The log is what was sealed.']),
      wrong
        ? `${counted(sealed, 'event')} before it are proved by ${counted(seals, 'seal')}.`
        : `${counted(end, 'event')}, ${sealed} under ${counted(seals, 'seal')}, ${end - sealed} not sealed yet.`,
      ...(edge
        ? [`Head ${edge.head.size}  ${edge.head.root}  sealed ${edge.head.sealedAt} by ${edge.head.keyId}`]
        : []),
      ...keys.list().map((key) => `Key ${key.keyId}  ${key.publicKey}${key.pinned ? '' : '  (taken from the log)'}`),
      ...(wrong
        ? []
        : [unbalanced.length > 0 ? `NOT BALANCED: ${unbalanced.join(', ')}.` : 'Every asset sums to zero.']),
    ].join('\n'),
  )
}

async function* watched(pages: AsyncIterable<readonly LogLine[]>, at: (done: bigint, what: string) => void) {
  for await (const page of pages) {
    yield page
    at(page.at(-1)?.position ?? 0n, 'verify')
  }
}

const LINES_PAGE = 1_000

async function* linesIn(file: string): AsyncGenerator<readonly LogLine[]> {
  let page: LogLine[] = []
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    page.push(lineFrom(line, ++number, file))
    if (page.length < LINES_PAGE) continue
    yield page
    page = []
  }
  yield page
}

const lineFrom = (line: string, number: number, file: string): LogLine => {
  try {
    const { order, type } = JSON.parse(line) as { order: string; type: string }
    return { position: BigInt(order), order: BigInt(order), type, line }
  } catch {
    throw new Failed(`line ${number} of ${file} is not an event of a log`)
  }
}
