import { toDecimal } from '../../../domain/kernel/money.ts'
import { PLATFORM } from '../../../domain/kernel/platform.ts'
import {
  type SettlementRow,
  settlementQueries,
  settlementsProjection,
} from '../../../projections/selling/settlements.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { columns, type Output } from '../../console/output.ts'

const SHOWN = 100

/** Lists money that came to the platform and sold nothing, the newest first. */
export const listOdd = async (books: Books, out: Output, { limit = SHOWN }: { limit?: number }): Promise<void> => {
  const sql = await readModel(books, out, settlementsProjection)
  const rows = await settlementQueries(sql).odd(PLATFORM, limit)
  await out.tell(
    rows.map(told),
    columns([
      ['Payment', 'Came', 'Why', 'At', 'May be meant for'],
      ...rows.map((row) => [row.transferId, cameIn(row), row.status, row.at, meantFor(row).join(' ')]),
    ]),
  )
}

const told = (row: SettlementRow) => ({
  transfer: row.transferId,
  asset: row.asset,
  asset_amount: toDecimal(BigInt(row.paid), row.decimals),
  status: row.status,
  payer: row.payer,
  at: row.at,
  candidates: meantFor(row),
})

const cameIn = ({ paid, decimals, asset }: SettlementRow): string => `${toDecimal(BigInt(paid), decimals)} ${asset}`

const meantFor = ({ challengeId, candidates }: SettlementRow): readonly string[] =>
  challengeId === null ? (candidates ?? []) : [challengeId]
