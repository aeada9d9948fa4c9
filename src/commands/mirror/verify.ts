import type { LogLine } from '../../../adapters/store/base/log-line.ts'
import { lineAt } from '../../../adapters/store/mirror/mirror-line.ts'
import { pagesOf } from '../../../adapters/store/mirror/reading.ts'
import { segmentsIn } from '../../../adapters/store/mirror/segments.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import { CommandFailure } from '../../console/failures.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'

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
