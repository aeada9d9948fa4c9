import { chargedFor } from '../../../domain/card/minor-units.ts'
import { cardModeOf, modeFor } from '../../../domain/flows/card/processor.ts'
import type { Flow } from '../../../domain/flows/flow.ts'
import type { Sold } from './doors.ts'

/** Whether a visitor is offered to pay by card: the seller takes cards for such money, and the processor can count the price. */
export const offersCard = async (flow: Flow, sold: Sold, wanted: bigint | undefined): Promise<boolean> => {
  const amount = sold.amount ?? (wanted === undefined ? undefined : String(wanted))
  if (!sold.card || sold.status !== 'open' || amount === undefined || sold.assetAmount !== null) return false
  const mode = await cardModeOf(flow.ledger, sold.accountId)
  return mode === modeFor(sold.test) && chargedFor(amount, sold.currency) !== undefined
}
