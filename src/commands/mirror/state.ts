import type { LogLine } from '../../../adapters/store/base/log-line.ts'
import { mirrorDifference } from '../../../adapters/store/mirror/mirror.ts'
import { lineAt } from '../../../adapters/store/mirror/mirror-line.ts'
import { pagesOf } from '../../../adapters/store/mirror/reading.ts'
import { MirrorDamage, type Segment, segmentsIn } from '../../../adapters/store/mirror/segments.ts'
import { endOf } from '../../../adapters/store/mirror/writer.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'

/**
 * Tells how far the mirror goes. Answers false when it is damaged or not one of this log; its lines are not read, which
 * `verify` does.
 */
export const mirrorStatus = async (books: Books, config: Config, out: Output): Promise<boolean> => {
  const dir = openDataDir(config).mirror
  const store = await books.store()
  const head = await store.head()
  const { segments, wrong } = await found(dir)
  const end = endOf(segments.map(({ note }) => note))
  const problem = wrong ?? (end && (await mirrorDifference(store, end)))
  const sum = (of: (segment: Segment) => number) => segments.reduce((total, segment) => total + of(segment), 0)
  const sealed = sum((segment) => (segment.sealed ? 1 : 0))
  const [events, bytes] = [sum(({ note }) => note.events), sum(({ note }) => note.bytes)]
  const position = end?.position ?? -1n
  const facts = { dir, on: config.logMirror, position, head, segments: segments.length, sealed, events, bytes }
  await out.tell(
    { ...facts, problem: problem ?? null },
    [
      `The mirror of the log, in ${dir}${config.logMirror ? '' : ' (LOG_MIRROR is off)'}`,
      `  goes to position ${position} of ${head}`,
      `  ${countText(events, 'event')}, ${countText(bytes, 'byte')}, ${countText(segments.length, 'segment')}, ${sealed} sealed`,
      `  ${said(end !== undefined, problem)}`,
    ].join('\n'),
  )
  return problem === undefined
}

const said = (begun: boolean, problem: string | undefined): string => {
  if (problem !== undefined) return `not used: ${problem}`
  return begun ? 'it fits together, and is of this log' : 'nothing is written yet'
}

const found = async (dir: string): Promise<{ segments: readonly Segment[]; wrong?: string }> => {
  try {
    return { segments: await segmentsIn(dir) }
  } catch (error) {
    if (error instanceof MirrorDamage) return { segments: [], wrong: error.message }
    throw error
  }
}

/**
 * Reads the whole mirror and compares it with its seals; with `log` also every line with the log itself. Throws
 * MirrorDamage, which names the first segment that is not what was written, or CommandFailure, which names the first
 * event that differs.
 */
export const verifyMirror = async (
  books: Pick<Books, 'place'>,
  config: Config,
  out: Output,
  { log = false }: { log?: boolean } = {},
): Promise<void> => {
  const segments = await segmentsIn(openDataDir(config).mirror)
  const end = segments.findLast(({ note }) => note.last)?.note.last?.position ?? -1n
  const original = log ? linesOf((await books.place()).bytes.readLines(-1n, end)) : undefined
  const bar = startBar(out, end)
  let events = 0
  try {
    for await (const page of pagesOf(segments, { after: -1n, make: lineAt, checked: true })) {
      if (original) for (const line of page) mustBeSame(line, (await original.next()).value ?? undefined)
      events += page.length
      bar.at(page.at(-1)?.position ?? 0n, 'mirror')
    }
  } finally {
    bar.stop()
  }
  await out.tell(
    { segments: segments.length, events, comparedWithLog: log },
    `${countText(segments.length, 'segment')} with ${countText(events, 'event')}: what was written${log ? ', and what the log holds' : ''}.`,
  )
}

async function* linesOf(pages: AsyncIterable<readonly LogLine[]>): AsyncGenerator<LogLine> {
  for await (const page of pages) yield* page
}

const mustBeSame = (mirrored: LogLine, original: LogLine | undefined): void => {
  if (mirrored.line === original?.line && mirrored.position === original.position) return
  const there = original ? `position ${original.position} there` : 'which ends before'
  throw new CommandFailure(
    `the mirror differs from the log at position ${mirrored.position} (${mirrored.type}; ${there})`,
  )
}
