import { toDecimal } from '../../../domain/kernel/money.ts'
import { PLATFORM } from '../../../domain/kernel/platform.ts'
import { Refusal } from '../../../domain/kernel/refusal.ts'
import { sentenceOf } from '../../../domain/kernel/refusals/refusal-words.ts'
import { matchForPlatform } from '../../../domain/use-cases/selling/settling/match-transfer.ts'
import { type SettlementRow, settlementQueries } from '../../../projections/selling/settlement-queries.ts'
import { settlementsProjection } from '../../../projections/selling/settlements.ts'
import type { Books } from '../../books/books.ts'
import { openOperatorLedger } from '../../books/operator-ledger.ts'
import { readModel } from '../../books/read-model.ts'
import { CommandFailure } from '../../console/failures.ts'
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

/**
 * Says what a payment to the platform pays. The service tells the seller and the buyer, at once or when it runs again.
 * Fails when there is no such payment or challenge, or when one of them is settled already.
 */
export const matchOdd = async (
  books: Books,
  out: Output,
  { transfer: transferId, challenge: challengeId }: { transfer: string; challenge: string },
): Promise<void> => {
  const ledger = await openOperatorLedger(books)
  const status = await matchForPlatform({ ledger }, { transferId, challengeId }).catch((error: unknown) => {
    throw error instanceof Refusal ? new CommandFailure(WHY[error.code] ?? sentenceOf(error)) : error
  })
  await out.tell({ transfer: transferId, challenge_id: challengeId, status }, `${challengeId}: ${SAID[status]}`)
}

const SAID = {
  settled: 'settled',
  underpaid: 'a part of its price; the rest is still to be paid',
  doubled: 'paid by another payment meanwhile; this one stays set aside',
} as const

const WHY: Readonly<Record<string, string>> = {
  'transfer-not-found': 'no such payment was set aside for the platform: daybook payments odd lists them',
  'challenge-not-found': 'there is no such challenge',
}
