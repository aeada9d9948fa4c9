import type { Sql } from 'postgres'
import { type Projection, patch, plus, type Table, upsert } from '../engine/projection.ts'

/** The caller ledger: who has paid for a resource, how often and how much. */

const callers = {
  name: 'callers',
  columns: {
    res_id: 'text',
    caller: 'text',
    account_id: 'text',
    spend: 'numeric',
    payments: 'integer',
    last_at: 'text',
  },
  key: ['res_id', 'caller'],
  indexes: ['res_id, last_at desc'],
} as const satisfies Table

export const callersProjection: Projection = {
  name: 'callers',
  version: 2,
  tables: [callers],
  on: {
    // Not every chain says who has paid: a Bitcoin transaction has no sender.
    ChallengeSettled: ({ data: { resId, accountId, amount, transfer, settledAt } }) =>
      resId === null || transfer.from === ''
        ? []
        : upsert(
            callers,
            {
              res_id: resId,
              caller: transfer.from,
              account_id: accountId,
              spend: '0',
              payments: 0,
              last_at: settledAt,
            },
            ({ spend, payments }) => ({
              spend: plus(spend, amount),
              payments: Number(payments) + 1,
              last_at: settledAt,
            }),
          ),
    PaymentReversed: ({ data: { resId, amount, unsettled } }) =>
      resId === null || !unsettled || unsettled.payer === ''
        ? []
        : patch(callers, [resId, unsettled.payer], ({ spend, payments }) => ({
            spend: plus(spend, -BigInt(amount)),
            payments: Number(payments) - 1,
          })),
  },
}

/** `spend` is in millionths of the resource's currency. */
export type CallerRow = { caller: string; spend: string; payments: number }

export const callerQueries = (sql: Sql) => ({
  /** The payers of a resource; whoever paid last comes first. */
  callers: (resId: string, limit: number, offset: number): Promise<CallerRow[]> => sql<CallerRow[]>`
    select caller, spend::text, payments from callers where res_id = ${resId}
    order by last_at desc, caller limit ${limit} offset ${offset}`,
})
