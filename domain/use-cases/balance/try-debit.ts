import { allowing, remainingCap } from '../../balance/standing-order.ts'
import { Refusal, refuse } from '../../kernel/refusal.ts'
import type { UseCaseContext } from '../context.ts'
import { mandateNow } from './mandate.ts'

/**
 * What a debit would come to if it were made now, with a key that was not used yet; nothing is written. Answers what
 * would be left of the lifetime cap, and refuses as `debitMandate` does.
 */
export const tryDebit = async (
  flow: UseCaseContext,
  { clientId, mandateId, amount }: { clientId: string; mandateId: string; amount: bigint },
): Promise<{ remainingCap: bigint }> => {
  const { mandate, order, state } = await mandateNow(flow, mandateId)
  if (mandate.clientId !== clientId) return refuse('mandate-not-found')
  if (mandate.mode === 'scheduled') return refuse('mandate-mode-mismatch', 'its schedule debits it')
  if (!order) throw new Refusal('mandate-not-active', `it is ${state}`, undefined, undefined, { state })
  allowing(order, amount, null, flow.world.now().toISOString())
  const { balance } = await flow.ledger.userBalance.read(mandate.sub)
  if (balance < amount) return refuse('insufficient-balance')
  return { remainingCap: BigInt(remainingCap(order)) - amount }
}
