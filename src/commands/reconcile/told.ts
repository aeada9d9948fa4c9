import { toDecimal, type Units } from '../../../domain/kernel/money.ts'
import type { ReconciledLine } from '../../../domain/reading/reconciliation/line.ts'
import type { Tally, TallyRow } from '../../../domain/reading/reconciliation/tally.ts'
import { columns } from '../../console/output.ts'

/** How the lines of a reconciliation are told: to programs with units and decimals, to people in columns. */

export const toldLine = (line: ReconciledLine) => {
  const { amounts, decimals, ...rest } = line
  const exact = (units: Units | null) => (units === null ? null : { units, amount: toDecimal(BigInt(units), decimals) })
  return {
    ...rest,
    amounts: {
      transactions: exact(amounts.transactions),
      journal: exact(amounts.journal),
      chain: exact(amounts.chain),
    },
  }
}

/** A page of lines; the headings stand above the first. */
export const linesText = (lines: readonly ReconciledLine[], isFirst: boolean): string => {
  const table = columns([HEADINGS, ...lines.map(cells)], [4, 5, 6])
  return isFirst ? table : table.slice(table.indexOf('\n') + 1)
}

const HEADINGS = [
  'Time',
  'Kind',
  'Status',
  'Asset',
  'Transactions',
  'Journal',
  'Chain',
  'Transaction',
  'Challenge',
  'Network',
  'Hash',
  'By hand',
]

const cells = (line: ReconciledLine): string[] => {
  const { at, asset, decimals, amounts, transactionId, challengeId, network, hash } = line
  const coin = (units: Units | null) => (units === null ? '–' : toDecimal(BigInt(units), decimals))
  return [
    at,
    kindText(line),
    statusText(line),
    asset,
    coin(amounts.transactions),
    coin(amounts.journal),
    coin(amounts.chain),
    transactionId ?? '–',
    challengeId ?? '–',
    network ?? '–',
    hash ?? '–',
    [...line.edited, ...(line.matched ? ['matched'] : [])].join(','),
  ]
}

/** What a payment settles is told only where it is no whole sale: `payment (late)`. */
const kindText = ({ kind, settlementStatus }: ReconciledLine): string =>
  settlementStatus === null || settlementStatus === 'settled' ? kind : `${kind} (${settlementStatus})`

/** The status, or each difference with where it is. */
const statusText = ({ status, differences }: ReconciledLine): string =>
  differences.length === 0 ? status : differences.map(({ where, what }) => `${what} (${where})`).join(', ')

/** The sums; a chain that was not asked, or did not answer, has said no amount, which is another thing than zero. */
export const summaryText = ({ rows }: Tally, isAsked: boolean): string =>
  rows.length === 0
    ? ''
    : columns(
        [
          ['Asset', 'Status', 'Lines', 'Transactions', 'Journal', 'Chain'],
          ...rows.map(({ asset, decimals, status, count, transactions, journal, chain }) => [
            asset || '–',
            status,
            String(count),
            ...[transactions, journal].map((units) => toDecimal(BigInt(units), decimals)),
            isAsked && !SILENT.has(status) ? toDecimal(BigInt(chain), decimals) : '–',
          ]),
        ],
        [2, 3, 4, 5],
      )

const SILENT: ReadonlySet<TallyRow['status']> = new Set(['chain not asked', 'chain does not answer'])
