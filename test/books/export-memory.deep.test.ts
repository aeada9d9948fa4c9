/** The books of a seller in each format, ever longer, in a process of little memory. */
import test from 'ava'
import { JOURNAL_FORMATS } from '../../adapters/journal-export/open.ts'
import { booksOf, LINES_A_SALE, VIEW } from '../../bench/book-rows.ts'
import { exportedBy, exporter } from '../../bench/exporting.ts'
import { ROOT } from '../../bench/stage.ts'
import { createDatabase } from '../support/postgres.ts'

/** Lines of the books; the first are what the others are held against. */
const LINES = [10_000, 50_000, 200_000]
/** Megabytes of old objects that the exporting process may have. */
const HEAP = '--max-old-space-size=64'
/** What garbage that nobody has collected yet may add to the memory of the shortest export. */
const MOST = 1.25

for (const format of JOURNAL_FORMATS)
  test.serial(`somebody's books as ${format} take the same memory, however long they are`, async (t) => {
    const peaks: number[] = []
    for (const lines of LINES) {
      const { url, drop } = await createDatabase()
      t.teardown(drop)
      await booksOf(url, lines / LINES_A_SALE)
      const rows = { url, lines, view: VIEW }
      const worker = exporter({ root: ROOT, closing: (stop) => t.teardown(stop) }, rows, HEAP)
      // The first export compiles and warms what all of them need.
      await exportedBy(worker, rows, format)
      peaks.push((await exportedBy(worker, rows, format)).peakMb)
    }
    const [least = 0] = peaks
    t.log(`${peaks.map(Math.round).join(', ')} MB`)
    for (const peak of peaks) t.true(peak < MOST * least, `${peaks.map(Math.round).join(', ')} MB`)
  })
