import { isRefusal, Refusal, refuse } from '../../kernel/refusal.ts'
import type { Transaction } from '../../selling/transactions/transaction.ts'
import type { UseCaseContext } from '../context.ts'
import { connectedFor } from './processor.ts'

/** What the caller is told of a refund whose outcome is not known. */
const UNKNOWN =
  'The card processor did not say whether it has given the money back. Ask again in a moment: it is given back once.'

/**
 * Gives back through the processor what is left of a payment by card (N-68, Q-30). The processor knows a repeat by what
 * was given back and refused before. So a refund whose outcome is not known may be asked for again and gives the money
 * back once, while a refused one is asked for under a new key, because the processor would repeat its refusal for a
 * day. Refuses `state-forbids`, and `unavailable` when nobody knows what became of it.
 */
export const refundCard = async (
  flow: UseCaseContext,
  { accountId, test, refundedAt, status }: Transaction,
  id: string,
  by: string,
): Promise<void> => {
  const { ledger } = flow
  if (status !== 'C') return refuse('state-forbids', 'only a completed payment can be refunded')
  if (refundedAt !== undefined) return refuse('state-forbids', 'this payment was refunded before')
  const payment = await ledger.cardPayment.read(id)
  if (payment.status !== 'settled' || payment.paymentId === undefined)
    return refuse('state-forbids', 'only a completed payment can be refunded')
  const { secretKey } = await connectedFor(flow, { accountId, test })
  const { charged, paymentId } = payment
  await giveBackRest(flow, { secretKey, id, paymentId, charged })
  await ledger.cardPayment.refund(id, { total: charged, by })
}

type RefundableCharge = {
  readonly secretKey: string
  readonly id: string
  readonly paymentId: string
  readonly charged: string
}

/**
 * Gives back the rest. It asks once more when a part was given back at the processor without a notice to us, so that
 * the rest is less than what was asked for.
 */
const giveBackRest = async (flow: UseCaseContext, given: RefundableCharge, mayAskAgain = true): Promise<void> => {
  const { ledger, cards, world } = flow
  const { secretKey, id, paymentId, charged } = given
  const payment = await ledger.cardPayment.read(id)
  if (payment.status === 'none' || payment.refunded === charged) return
  const { accountId, refunded, refundTries: tries } = payment
  try {
    await cards.refund(secretKey, {
      reference: id,
      paymentId,
      charged: String(BigInt(charged) - BigInt(refunded)),
      idempotencyKey: `card-refund:${world.digest(accountId).slice(0, 32)}:${id}:${refunded}:${tries}`,
    })
  } catch (error) {
    if (isRefusal(error, 'unavailable')) throw new Refusal('unavailable', UNKNOWN, error)
    if (!isRefusal(error, 'state-forbids')) throw error
    await ledger.cardPayment.refuseRefund(id, { tries })
    if (!mayAskAgain) throw error
    // The refusal is passed on, also when nobody can say what was given back.
    const total = await cards.refundedOf(secretKey, paymentId).catch(() => refunded)
    const { events } = await ledger.cardPayment.refund(id, { total, by: 'processor' })
    if (events.length === 0) throw error
    await giveBackRest(flow, given, false)
  }
}
