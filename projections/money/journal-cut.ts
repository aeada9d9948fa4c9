import type { ISql, Sql } from 'postgres'
import { COARSE, FINE } from './journal.ts'
import { COMMON, type JournalTables } from './journal-tables.ts'

/** The blocks of the journal, and the places between them, that make up the books of a past moment. */

/**
 * Where the books end: with the postings whose time is at or before `at` (ISO 8601 UTC), with those whose place in the
 * ledger's own order is at or before `order`, or with those for which both hold. Without either, the books end now.
 */
export type BooksEnd = { readonly at?: string | undefined; readonly order?: bigint | undefined }

/** Numbers of blocks, or places of the ledger's own order; both ends are included. */
export type Range = { readonly from: bigint; readonly to: bigint }

export type JournalCut = {
  /** Blocks that belong to the books as a whole. */
  readonly whole: readonly (Range & { readonly level: number })[]
  /** The last place of those blocks, -1n when there are none. */
  readonly until: bigint
  /** Number of postings in those blocks. */
  readonly postings: bigint
  /** Places of blocks of which only some postings belong to the books: each has to be looked at. */
  readonly partly: readonly Range[]
}

/**
 * Cuts the journal at an end. A block whose newest posting is not too late is taken whole, one whose oldest posting is
 * too late not at all; so it is exact however the clocks of several processes differed, and few blocks are left
 * between.
 */
export const cutAt = async (sql: ISql, end: BooksEnd, tables: JournalTables = COMMON): Promise<JournalCut> => {
  const wide = await blocksAt(sql, tables, COARSE, end)
  const open = runsOf(wide.filter(({ whole }) => !whole)).map(finer)
  const fine = open.length === 0 ? [] : await blocksAt(sql, tables, FINE, end, open)
  const taken = [...wide, ...fine].filter(({ whole }) => whole)
  return {
    whole: [wide, fine].flatMap((blocks, at) =>
      runsOf(blocks.filter(({ whole }) => whole)).map((run) => ({ level: at === 0 ? COARSE : FINE, ...run })),
    ),
    until: taken.reduce((last, { until }) => (until > last ? until : last), -1n),
    postings: taken.reduce((sum, { postings }) => sum + postings, 0n),
    partly: runsOf(fine.filter(({ whole }) => !whole))
      .map((run) => placesOf(run, FINE))
      .map(({ from, to }) => ({ from, to: end.order !== undefined && end.order < to ? end.order : to })),
  }
}

/** The places between which all postings with a time from `from` to `to` lie; undefined when there are none. */
export const placesBetween = async (
  sql: ISql,
  { from = '', to }: { from?: string | undefined; to?: string | undefined },
): Promise<Range | undefined> => {
  const early = to === undefined ? sql`true` : sql`min_at <= ${to}`
  const [row] = await sql<{ first: string | null; last: string | null }[]>`
    select
      (select min(block) from journal_blocks where level = ${FINE} and max_at >= ${from} and block >= (
        select min(block) << ${WIDER}::int from journal_blocks where level = ${COARSE} and max_at >= ${from})) as first,
      (select max(block) from journal_blocks where level = ${FINE} and ${early} and block < (
        select (max(block) + 1) << ${WIDER}::int from journal_blocks where level = ${COARSE} and ${early})) as last`
  if (!row || row.first === null || row.last === null || BigInt(row.first) > BigInt(row.last)) return undefined
  return placesOf({ from: BigInt(row.first), to: BigInt(row.last) }, FINE)
}

/** Number of blocks of the finer level in a coarse one, as a power of two. */
const WIDER = COARSE - FINE

type Block = { readonly block: bigint; readonly until: bigint; readonly postings: bigint; readonly whole: boolean }

/**
 * The blocks of a level that belong to the books wholly or in part, in order; of the finer level only those inside
 * coarse ones.
 */
const blocksAt = async (
  sql: ISql,
  tables: JournalTables,
  level: number,
  end: BooksEnd,
  inside = EVERYWHERE,
): Promise<Block[]> => {
  const early = end.at === undefined ? sql`` : sql`and min_at <= ${end.at}`
  const before = end.order === undefined ? sql`` : sql`and block <= ${String(end.order >> BigInt(level))}`
  const rows = []
  for (const { from, to } of inside)
    rows.push(
      ...(await sql<{ block: string; max_at: string; postings: string }[]>`
        select block, max_at, postings from ${sql(tables.blocks)}
        where level = ${level} and block between ${String(from)} and ${String(to)}
        ${early} ${before} order by block`),
    )
  return rows.map((row) => {
    const block = BigInt(row.block)
    const until = placesOf({ from: block, to: block }, level).to
    const whole = (end.at === undefined || row.max_at <= end.at) && (end.order === undefined || until <= end.order)
    return { block, until, postings: BigInt(row.postings), whole }
  })
}

/** A range of all blocks of any level: an order has 63 bits, so that there are far fewer blocks. */
const EVERYWHERE: readonly Range[] = [{ from: 0n, to: 2n ** 40n }]

const placesOf = (blocks: Range, level: number): Range => parts(blocks, BigInt(level))
const finer = (blocks: Range): Range => parts(blocks, BigInt(WIDER))
const parts = ({ from, to }: Range, bits: bigint): Range => ({ from: from << bits, to: ((to + 1n) << bits) - 1n })

/** Ranges of blocks, with neighbouring blocks in one range. */
const runsOf = (blocks: readonly { readonly block: bigint }[]): Range[] => {
  const runs: Range[] = []
  for (const { block } of blocks) {
    const last = runs.at(-1)
    if (last && last.to === block - 1n) runs[runs.length - 1] = { from: last.from, to: block }
    else runs.push({ from: block, to: block })
  }
  return runs
}

/**
 * Asks the journal several things of one moment, whatever is booked meanwhile. The tables are held in the order in
 * which a rebuilt journal takes their place, before the moment is chosen, so that neither waits for what the other
 * holds.
 */
export const atOneMoment = <T>(
  sql: Sql,
  ask: (tx: ISql) => Promise<T>,
  { postings, sums, blocks }: JournalTables = COMMON,
): Promise<T> =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`lock table ${tx(postings)}, ${tx(sums)}, ${tx(blocks)} in access share mode`
    return ask(tx)
  }) as Promise<T>
