import { mirrorDifference } from '../../../adapters/store/mirror/mirror.ts'
import { MirrorDamage, type Segment, segmentsIn } from '../../../adapters/store/mirror/segments.ts'
import { endOf } from '../../../adapters/store/mirror/writer.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { openDataDir } from '../../settings/data-dir.ts'

/**
 * Tells how far the mirror goes. Answers false when it is damaged or not one of this log; nothing of it is read, see
 * `verify`.
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
