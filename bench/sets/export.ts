import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { JOURNAL_FORMATS } from '../../adapters/journal-export/open.ts'
import { journalCopies } from '../../projections/money/journal-copies.ts'
import type { Contestant } from '../comparison.ts'
import { debianProgram, sayLeftOut } from '../debian.ts'
import { type ExportedRows, exportedBy, exporter, exporting, flat, nameOf } from '../exporting.ts'
import { journalOf, LINES_A_SALE } from '../journal-rows.ts'
import { copyBy, selectOf } from '../psql-copy.ts'
import type { BenchSet, Stage } from '../stage.ts'

/** The journal in each format, beside psql writing the same CSV, and the memory that it takes at two sizes. */

const FEW_SALES = 5_000
/** Sales of the larger journal. */
const SALES = { small: 40_000, full: 1_000_000 } as const
const PSQL = 'psql \\copy of the same select'
const PLAIN = 'psql \\copy of the bare table'

export const exported: BenchSet = {
  name: 'export',
  title: 'The journal for accountants',
  versioned: Object.values(SALES).flatMap((sales) => JOURNAL_FORMATS.map((format) => nameOf(linesOf(sales), format))),
  async run(stage) {
    const sales = stage.pick(SALES.small, SALES.full)
    const [few, many] = [await journal(stage, FEW_SALES), await journal(stage, sales)]
    const psql = stage.peers ? debianProgram('psql') : undefined
    if (stage.peers && !psql) sayLeftOut('psql', PSQL)
    await stage.compare({
      title:
        'Postings of the journal to a file; peak MB is resident memory of the process that exports, with 8 MB semi-spaces',
      unit: 'lines',
      contestants: [
        ...JOURNAL_FORMATS.flatMap((format) => [exporting(stage, many, format), exporting(stage, few, format)]),
        ...(psql ? await psqlCopies(stage, psql, many) : []),
      ],
      goals: [
        ...(psql ? [{ subject: nameOf(many.lines, 'csv'), reference: PSQL, atLeast: 0.4 }] : []),
        ...JOURNAL_FORMATS.map((format) => flat(nameOf(many.lines, format), nameOf(few.lines, format))),
      ],
    })
  },
}

const journal = async (stage: Stage, sales: number): Promise<ExportedRows> => {
  const { url } = await stage.database()
  await journalOf(url, sales)
  return { url, lines: linesOf(sales) }
}

function linesOf(sales: number): number {
  return sales * LINES_A_SALE
}

/** The contestants of psql, after a check that both sides write the same bytes. */
const psqlCopies = async (stage: Stage, psql: string, journal: ExportedRows): Promise<readonly Contestant[]> => {
  const same = copyBy(psql, journal.url, stage.dir, await selectOf((sql) => journalCopies(sql, {}).csv()[0]?.()))
  const plain = copyBy(psql, journal.url, stage.dir, '(select * from postings order by position, line)')
  const file = `${stage.dir}/psql.csv`
  await same(file)
  const { sha256 } = await exportedBy(exporter(stage, journal), journal, 'csv')
  if (sha256 !== (await digestOf(file))) throw new Error('psql and the export write different CSV')
  const contestant = (name: string, copy: typeof same): Contestant => ({
    name,
    round: async () => ({ rate: journal.lines / ((await copy('/dev/null')) / 1000) }),
  })
  return [contestant(PSQL, same), contestant(PLAIN, plain)]
}

const digestOf = async (file: string): Promise<string> => {
  const sum = createHash('sha256')
  for await (const chunk of createReadStream(file)) sum.update(chunk)
  return sum.digest('hex')
}
