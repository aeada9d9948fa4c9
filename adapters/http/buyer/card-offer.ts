import { takesCard } from '../../../domain/use-cases/card/processor.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { SaleItem } from './doors.ts'

/** Whether a visitor is offered to pay by card. */
export const offersCard = async (
  flow: UseCaseContext,
  sold: SaleItem,
  wanted: bigint | undefined,
): Promise<boolean> => {
  const amount = sold.amount ?? (wanted === undefined ? undefined : String(wanted))
  if (!sold.card || sold.status !== 'open' || amount === undefined || sold.assetAmount !== null) return false
  return takesCard(flow.ledger, sold.accountId, { ...sold, amount })
}
