import type { Units } from '../../kernel/money.ts'
import { isDifference, type ReconcileStatus } from './compare.ts'
import type { ReconciledLine } from './line.ts'

/** The sums of a reconciliation: a row for each coin and status, however many lines there are. */

export type TallyRow = {
  readonly asset: string
  readonly decimals: number
  readonly status: ReconcileStatus
  readonly count: number
  /** The sum of what each says, in the coin's smallest unit. */
  readonly transactions: Units
  readonly journal: Units
  readonly chain: Units
}

export type Tally = {
  readonly rows: readonly TallyRow[]
  readonly lines: number
  readonly differences: number
  readonly byHand: number
  /** Lines whose chain was to be asked, and was not, or did not answer. */
  readonly unasked: number
  readonly unanswered: number
}

/** What is paid out counts below zero, so that a sum is what is left. */
const signOf = ({ kind }: ReconciledLine): bigint => (kind === 'refund' ? -1n : 1n)

export const createTally = () => {
  const rows = new Map<string, { readonly of: Pick<TallyRow, 'asset' | 'decimals' | 'status'> } & Counts>()
  let byHand = 0
  return {
    add(line: ReconciledLine): void {
      const { asset, decimals, status, amounts } = line
      const key = `${asset} ${decimals} ${status}`
      const row = rows.get(key) ?? { of: { asset, decimals, status }, ...nothing() }
      rows.set(key, row)
      row.count++
      for (const who of ['transactions', 'journal', 'chain'] as const)
        row[who] += signOf(line) * BigInt(amounts[who] ?? 0)
      if (line.edited.length > 0 || line.matched) byHand++
    },
    found(): Tally {
      const all = [...rows.values()].map(({ of, count, transactions, journal, chain }) => ({
        ...of,
        count,
        transactions: String(transactions),
        journal: String(journal),
        chain: String(chain),
      }))
      const counted = (test: (status: ReconcileStatus) => boolean) =>
        all.filter(({ status }) => test(status)).reduce((sum, { count }) => sum + count, 0)
      return {
        rows: all.sort((a, b) => (`${a.asset} ${a.status}` < `${b.asset} ${b.status}` ? -1 : 1)),
        lines: counted(() => true),
        differences: counted(isDifference),
        byHand,
        unasked: counted((status) => status === 'chain not asked'),
        unanswered: counted((status) => status === 'chain does not answer'),
      }
    },
  }
}

type Counts = { count: number; transactions: bigint; journal: bigint; chain: bigint }

const nothing = (): Counts => ({ count: 0, transactions: 0n, journal: 0n, chain: 0n })
