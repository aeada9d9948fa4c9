import { type JournalFormatName, openJournalExport } from '../../../adapters/journal-export/open.ts'
import { journalProjection } from '../../../projections/money/journal.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { type Bar, startBar } from '../../console/progress.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { type DestinationWish, destinationOf } from './destination.ts'
import { mustBeKnown } from './must-be-known.ts'
import { takeTied, tiedReport, tiedText } from './tied-file.ts'

export type JournalOptions = DestinationWish & { account?: string; from?: Date; to?: Date }

/** Streams the journal, of one account holder or of all, for accountants and their programs. */
export const exportJournal = async (
  books: Books,
  out: Output,
  format: JournalFormatName,
  { account, from, to, ...wish }: JournalOptions,
): Promise<void> => {
  if (from && to && to < from) throw new BadSetting('--to is before --from')
  const destination = await destinationOf(books, out, wish)
  const sql = await readModel(books, out, journalProjection)
  if (account) await mustBeKnown(sql, account)
  const selection = { owner: account, from, to }
  let reached: bigint | undefined
  const onReached = (order: bigint | undefined) => (reached = order)
  const facts = async () => ({
    export: format,
    account: account ?? null,
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    position: reached === undefined ? null : String(reached),
  })
  if (!destination.file) {
    await takeTied(books, destination, openJournalExport(sql, format, selection, { onReached }), facts)
    return
  }
  let counts = { lines: 0n, entries: 0n }
  let bar: Bar | undefined
  const content = openJournalExport(sql, format, selection, {
    onReached,
    onCounts(counted) {
      counts = counted
      bar = startBar(out, counted.lines)
    },
    onLines: (lines) => bar?.at(lines, 'lines'),
  })
  try {
    const written = await takeTied(books, destination, content, facts)
    if (!written) return
    const { lines, entries } = counts
    const { file: name, bytes, sha256 } = written
    await out.tell(
      { ...tiedReport(written), format, entries: Number(entries), lines: Number(lines) },
      [
        `Wrote ${name}, ${bytes} bytes: ${countText(Number(lines), 'line')} of ${entries} entries. SHA-256 ${sha256}`,
        tiedText(written),
      ].join('\n'),
    )
  } finally {
    bar?.stop()
  }
}
