import type { JournalFormatName } from '../adapters/journal-export/open.ts'
import type { View } from '../domain/reading/books/entry.ts'
import type { Contestant, Goal } from './comparison.ts'
import type { Stage } from './stage.ts'
import type { Exported, ExportQuestion } from './subjects/journal-export.ts'
import { startWorker, type Worker } from './worker.ts'

/** Exports of a journal, or of somebody's books, each by a process of its own. */

/** Tables with so many lines; `view` where they are somebody's books. */
export type ExportedRows = { readonly url: string; readonly lines: number; readonly view?: View }

const ROUND_MS = 600_000
/**
 * V8 gives the garbage of a busy process ever more room, up to three times 32 MB; with this bound memory grows only by
 * what the export holds.
 */
const NODE_OPTIONS = ['--max-semi-space-size=8']

export const nameOf = (lines: number, format: JournalFormatName): string =>
  `${format}, ${lines.toLocaleString('en-US')} lines`

/** The memory of an export stays the same, however many lines it has. */
export const flat = (subject: string, reference: string): Goal => ({
  subject,
  reference,
  figure: 'peakMb',
  atMost: 1.2,
})

/** Exports in a process of its own, so that its memory is that of this export alone. */
export const exporting = (stage: Stage, rows: ExportedRows, format: JournalFormatName): Contestant => {
  const worker = exporter(stage, rows)
  return {
    name: nameOf(rows.lines, format),
    round: async () => {
      const { ms, peakMb } = await exportedBy(worker, rows, format)
      return { rate: rows.lines / (ms / 1000), peakMb }
    },
  }
}

export const exporter = (stage: Pick<Stage, 'root' | 'closing'>, { url }: ExportedRows, ...options: string[]) => {
  const worker = startWorker('subjects/journal-export.ts', [url], [...NODE_OPTIONS, ...options], stage.root)
  stage.closing(() => worker.stop())
  return worker
}

/** Rejects when lines are missing. */
export const exportedBy = async (
  worker: Worker,
  { lines, view }: ExportedRows,
  format: JournalFormatName,
): Promise<Exported> => {
  const question: ExportQuestion = { format, view, file: '/dev/null' }
  const done = await worker.ask<Exported>(question, ROUND_MS)
  // The header line of the CSV counts as well.
  if (done.lines < lines) throw new Error(`${done.lines} of ${lines} lines came`)
  return done
}
