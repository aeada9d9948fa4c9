import { type Change, plus, type Table, upsert } from './projection.ts'

/** What a seller has earned, by whichever way it was paid. */

export const earnings = {
  name: 'earnings',
  columns: { account_id: 'text', settlements_count: 'integer', total_usd: 'numeric' },
  key: ['account_id'],
} as const satisfies Table

/** Test sales are no earnings (I-EARN-01). */
export const earned = (sale: { accountId: string; usd: string; test: boolean }): readonly Change[] =>
  sale.test
    ? []
    : [
        upsert(earnings, { account_id: sale.accountId, settlements_count: 0, total_usd: '0' }, (row) => ({
          settlements_count: Number(row.settlements_count) + 1,
          total_usd: plus(row.total_usd, sale.usd),
        })),
      ]
