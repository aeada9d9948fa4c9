import { toDecimal } from '../../../domain/kernel/money.ts'
import { decimalsOf } from '../../../domain/reading/journal.ts'
import { columns } from '../../console/output.ts'

/** How balances and movements are told: whole units for programs, decimals for people. */

type Row = { readonly account: string; readonly asset: string; readonly amount: string }

export const decimalOf = (asset: string, units: string | bigint): string => toDecimal(BigInt(units), decimalsOf(asset))

/** What is said of a moment that is later than now. */
export const TO_COME = 'which is still to come: this is what is known now'

/** Rows of whole units, with their decimals, and the sum of each asset, which is zero over all accounts. */
export const balanceTable = (found: readonly Row[]) => {
  const rows = found.map(({ account, asset, amount }) => ({
    account,
    asset,
    amount: decimalOf(asset, amount),
    units: BigInt(amount),
  }))
  const sums = new Map<string, bigint>()
  for (const { asset, units } of rows) sums.set(asset, (sums.get(asset) ?? 0n) + units)
  const wrong = [...sums].filter(([, units]) => units !== 0n)
  return {
    rows,
    sums: [...sums].map(([asset, units]) => ({ asset, amount: decimalOf(asset, units), units })),
    holds: wrong.length === 0,
    verdict:
      wrong.length === 0
        ? 'Every asset sums to zero.'
        : `NOT BALANCED: ${wrong.map(([asset, units]) => `${asset} sums to ${decimalOf(asset, units)}`).join(', ')}.`,
    table: (title = 'Amount') =>
      columns([['Account', 'Asset', title], ...rows.map((row) => [row.account, row.asset, row.amount])], [2]),
  }
}
