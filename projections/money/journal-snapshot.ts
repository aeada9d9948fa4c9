import type { ISql, Sql } from 'postgres'
import { checkpointOf, SERVING } from '../engine/schema.ts'
import { journalProjection } from './journal.ts'
import { atOneMoment, type BooksEnd, cutAt, type Range } from './journal-cut.ts'
import { type BalanceRow, sumOf } from './journal-sums.ts'

/** The nearest books before a moment that need no single posting: a replay goes on from them. */
export type Snapshot = {
  /** The position of the log that the journal has come to. */
  readonly reached: bigint
  /** The last place of the ledger's own order that may be in the balances. */
  readonly until: bigint
  readonly balances: readonly BalanceRow[]
  /** Number of postings in the balances. */
  readonly postings: bigint
  /**
   * Places of the ledger's own order of which only some postings belong to the books; none of them is in the balances.
   */
  readonly left: readonly Range[]
}

/** The snapshot for a moment; undefined when there is no journal, or one of another version. */
export const journalSnapshot = async (sql: Sql, end: BooksEnd): Promise<Snapshot | undefined> => {
  const [found] = await sql<{ present: boolean }[]>`
    select to_regclass(${`${SERVING}.checkpoints`}) is not null as present`
  if (!found?.present || !(await journalAt(sql))) return undefined
  return atOneMoment(sql, async (tx) => {
    const checkpoint = await journalAt(tx)
    if (!checkpoint) return undefined
    const cut = await cutAt(tx, end)
    const { until, postings, partly: left } = cut
    const balances = await sumOf(tx, cut, undefined)
    return { reached: checkpoint.position, until, balances, postings, left }
  })
}

const journalAt = async (sql: ISql) => {
  const checkpoint = await checkpointOf(sql, SERVING, journalProjection.name)
  return checkpoint?.version === journalProjection.version ? checkpoint : undefined
}
