import type { Sql } from 'postgres'
import type { NewsKind } from '../../domain/account/news.ts'
import { type Projection, put, type Table, upsert } from '../engine/projection.ts'

/** Of which sellers news waits for its hour: a row for each account and kind. */

const news = {
  name: 'news',
  columns: { account_id: 'text', kind: 'text', waits: 'boolean', scheduled_at: 'text' },
  key: ['account_id', 'kind'],
  indexes: ['waits, scheduled_at'],
} as const satisfies Table

export const newsProjection: Projection = {
  name: 'news',
  version: 1,
  tables: [news],
  on: {
    NewsNoted: ({ data: { accountId, kind } }) =>
      upsert(news, { account_id: accountId, kind, waits: true, scheduled_at: '' }, () => ({ waits: true })),
    NewsLetterScheduled: ({ data: { accountId, kind, scheduledAt } }) =>
      put(news, { account_id: accountId, kind, waits: false, scheduled_at: scheduledAt }),
  },
}

export const newsQueries = (sql: Sql) => ({
  dueNews: (before: string, limit: number): Promise<{ accountId: string; kind: NewsKind }[]> => sql<
    { accountId: string; kind: NewsKind }[]
  >`
    select account_id as "accountId", kind from news where waits and scheduled_at <= ${before}
    order by scheduled_at, account_id, kind limit ${limit}`,
})
