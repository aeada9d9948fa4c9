/** The exports of the journal, or of somebody's books, written to a file. Argument: the database's URL. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { type JournalFormatName, openJournalExport } from '../../adapters/journal-export/open.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import type { View } from '../../domain/reading/books/entry.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { answering } from '../answering.ts'
import { forgetPeak, peakMb } from '../memory.ts'

export type ExportQuestion = {
  readonly format: JournalFormatName
  readonly file: string
  /** Whose books; the common journal unless given. */
  readonly view?: View | undefined
}
export type Exported = { readonly lines: number; readonly ms: number; readonly peakMb: number; readonly sha256: string }

const STATEMENT_MS = 600_000

const sql = connect(process.argv[2] ?? '', { schema: SERVING, max: 1, statementMs: STATEMENT_MS })

await answering<ExportQuestion>(
  async ({ format, file, view }): Promise<Exported> => {
    forgetPeak(process.pid)
    let read = 0n
    const start = performance.now()
    const sum = createHash('sha256')
    const content = openJournalExport(sql, format, { view }, { onLines: (lines) => (read = lines) })
    content.on('data', (piece) => sum.update(piece))
    await pipeline(content, createWriteStream(file))
    const ms = performance.now() - start
    return { lines: Number(read), ms, peakMb: peakMb(process.pid), sha256: sum.digest('hex') }
  },
  () => sql.end({ timeout: 1 }),
)
