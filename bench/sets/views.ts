import { JOURNAL_FORMATS } from '../../adapters/journal-export/open.ts'
import { booksOf, LINES_A_SALE, VIEW } from '../book-rows.ts'
import { type ExportedRows, exporting, flat, nameOf } from '../exporting.ts'
import type { BenchSet, Stage } from '../stage.ts'

/** The books of a seller in each format, whose lines say more than those of the journal, at two sizes. */

const FEW_SALES = 4_000
/** Sales of the larger books. */
const SALES = { small: 32_000, full: 400_000 } as const

export const views: BenchSet = {
  name: 'views',
  title: 'The books of a seller for accountants',
  versioned: Object.values(SALES).flatMap((sales) => JOURNAL_FORMATS.map((format) => nameOf(linesOf(sales), format))),
  async run(stage) {
    const [few, many] = [await books(stage, FEW_SALES), await books(stage, stage.pick(SALES.small, SALES.full))]
    await stage.compare({
      title:
        'Postings of a view to a file; peak MB is resident memory of the process that exports, with 8 MB semi-spaces',
      unit: 'lines',
      contestants: JOURNAL_FORMATS.flatMap((format) => [exporting(stage, many, format), exporting(stage, few, format)]),
      goals: JOURNAL_FORMATS.map((format) => flat(nameOf(many.lines, format), nameOf(few.lines, format))),
    })
  },
}

const books = async (stage: Stage, sales: number): Promise<ExportedRows> => {
  const { url } = await stage.database()
  await booksOf(url, sales)
  return { url, lines: linesOf(sales), view: VIEW }
}

function linesOf(sales: number): number {
  return sales * LINES_A_SALE
}
