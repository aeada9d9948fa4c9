import { type JournalFormatName, openJournalExport } from '../../../adapters/journal-export/open.ts'
import { journalProjection } from '../../../projections/journal.ts'
import type { Books } from '../../books.ts'
import { BadSetting } from '../../setting-kinds.ts'
import type { Output } from '../output.ts'
import { type Bar, startBar } from '../progress.ts'
import { readModel } from '../read-model.ts'
import { counted } from '../replaying.ts'
import { destinationOf } from './destination.ts'
import { mustBeKnown } from './must-be-known.ts'

export type JournalOptions = { account?: string; from?: Date; to?: Date; out?: string }

/** Streams the journal, of one account holder or of all, for accountants and their programs. */
export const exportJournal = async (
  books: Books,
  out: Output,
  format: JournalFormatName,
  { account, from, to, out: file }: JournalOptions,
): Promise<void> => {
  if (from && to && to < from) throw new BadSetting('--to is before --from')
  const destination = await destinationOf(books, out, file)
  const sql = await readModel(books, out, journalProjection)
  if (account) await mustBeKnown(sql, account)
  const selection = { owner: account, from, to }
  if (!destination.file) {
    await destination.take(openJournalExport(sql, format, selection))
    return
  }
  let counts = { lines: 0n, entries: 0n }
  let bar: Bar | undefined
  const content = openJournalExport(sql, format, selection, {
    onCounts(counted) {
      counts = counted
      bar = startBar(out, counted.lines)
    },
    onLines: (lines) => bar?.at(lines, 'lines'),
  })
  try {
    const written = await destination.take(content)
    const { lines, entries } = counts
    await out.tell(
      { ...written, format, entries: Number(entries), lines: Number(lines) },
      `Wrote ${written?.file}, ${written?.bytes} bytes: ${counted(Number(lines), 'line')} of ${entries} entries. SHA-256 ${written?.sha256}`,
    )
  } finally {
    bar?.stop()
  }
}
