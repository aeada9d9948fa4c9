import { type Change, plus, type Table, upsert } from '../engine/projection.ts'

/** The earnings of each seller, on every rail, and how many of its tests have settled. */

export const earnings = {
  name: 'earnings',
  columns: { account_id: 'text', settlements_count: 'integer', test_count: 'integer', total_usd: 'numeric' },
  key: ['account_id'],
} as const satisfies Table

type Sale = { readonly accountId: string; readonly usd: string; readonly test: boolean }

/** The changes for a sale; test sales are no earnings (I-EARN-01). */
export const earnedChanges = (sale: Sale): readonly Change[] => changed(sale, 1, BigInt(sale.usd))

/** The changes for a sale whose payment was taken back. */
export const unearnedChanges = (sale: Sale): readonly Change[] => changed(sale, -1, -BigInt(sale.usd))

/**
 * The changes for a refund: what was given back is not earned, and yet it was a sale. `times` is -1 for its undoing.
 */
export const refundedChanges = (refund: Sale, times = 1n): readonly Change[] =>
  changed(refund, 0, -BigInt(refund.usd) * times)

/** The same for a refund in a coin; one whose amount nobody recorded changes nothing. */
export const refundedInCoin = (
  { accountId, coin }: { readonly accountId: string; readonly coin?: Omit<Sale, 'accountId'> },
  times = 1n,
): readonly Change[] => (coin ? refundedChanges({ accountId, usd: coin.usd, test: coin.test }, times) : [])

const changed = ({ accountId, test }: Sale, count: number, usd: bigint): readonly Change[] => [
  upsert(earnings, { account_id: accountId, settlements_count: 0, test_count: 0, total_usd: '0' }, (row) =>
    test
      ? { test_count: Number(row.test_count) + count }
      : { settlements_count: Number(row.settlements_count) + count, total_usd: plus(row.total_usd, usd) },
  ),
]
