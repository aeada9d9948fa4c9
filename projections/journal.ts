import type { Sql } from 'postgres'
import type { EventType } from '../domain/deciders.ts'
import { postedTypes, postingsOf } from '../domain/journal.ts'
import type { Recorded } from '../domain/ports.ts'
import { type Change, type Projection, put, type Table } from './projection.ts'

/** Every posting of the ledger, in order, for accountants and auditors. */

const postings = {
  name: 'postings',
  columns: {
    position: 'bigint',
    line: 'integer',
    account: 'text',
    asset: 'text',
    amount: 'numeric',
    event_type: 'text',
    at: 'text',
  },
  key: ['position', 'line'],
  indexes: ['account, asset'],
} as const satisfies Table

const posted = (event: Recorded): readonly Change[] =>
  postingsOf(event).map(({ account, asset, amount }, line) =>
    put(postings, {
      position: String(event.position),
      line,
      account,
      asset,
      amount,
      event_type: event.type,
      at: event.at,
    }),
  )

export const journalProjection: Projection = {
  name: 'journal',
  version: 3,
  tables: [postings],
  on: Object.fromEntries(postedTypes.map((type) => [type, posted])) as { [T in EventType]?: typeof posted },
}

export type BalanceRow = { account: string; asset: string; amount: string }

export const journalQueries = (sql: Sql) => ({
  /** The sum of every account in every asset; over all accounts each asset sums to zero. */
  trialBalance: (): Promise<BalanceRow[]> => sql<BalanceRow[]>`
    select account, asset, sum(amount)::text as amount from postings group by account, asset order by account, asset`,
})
