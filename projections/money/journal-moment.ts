import type { ISql, Sql } from 'postgres'

/**
 * Asks the journal several things of one moment, whatever is booked meanwhile. The tables are held in the order in
 * which a rebuilt journal takes their place, before the moment is chosen, so that neither waits for what the other
 * holds.
 */
export const atOneMoment = <T>(sql: Sql, ask: (tx: ISql) => Promise<T>): Promise<T> =>
  sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`lock table postings, journal_sums, journal_blocks in access share mode`
    return ask(tx)
  }) as Promise<T>
