import type { AccountRef } from '../../../domain/balance/transfer-terms.ts'
import { FIAT_DECIMALS, toDecimal } from '../../../domain/kernel/money.ts'
import { grantCredit } from '../../../domain/use-cases/balance/credit.ts'
import type { Books } from '../../books/books.ts'
import { openOperator } from '../../books/operator-use-cases.ts'
import type { Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'

export type Credit = { to: AccountRef; usd: bigint; description?: string; id?: string }

/** Gives credit from nowhere, once for each id. */
export const credit = async (
  books: Books,
  config: Config,
  out: Output,
  { to, usd, description = 'Credit from Daybook', id }: Credit,
): Promise<void> => {
  const { flow } = await openOperator(books, config)
  const grant = id ?? flow.world.id('grant')
  const { ledgerRef, duplicate } = await grantCredit(flow, { to, amount: usd, id: grant, note: description })
  const amount = toDecimal(usd, FIAT_DECIMALS)
  const text = duplicate ? 'was given before' : 'is given'
  await out.tell(
    { id: grant, to, usd: amount, ledger_ref: ledgerRef, duplicate },
    `${amount} USD ${text} (${ledgerRef})`,
  )
}
