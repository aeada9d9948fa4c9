import { cardTransactionOf, completeCardTransaction } from '../flows/card/transaction.ts'
import type { Ledger } from '../ledger.ts'
import { FIAT_DECIMALS, toDecimal } from '../money.ts'
import { idOf, type Policy } from '../policy.ts'
import type { World } from '../ports.ts'
import { isRefusal } from '../refusal.ts'

/**
 * What follows from a payment by card: the transaction completes, and what was given back or is disputed stands on it (N-68).
 */
export const followCardPayments: Policy = {
  name: 'follow-card-payments',
  on: {
    CardPaymentSettled: ({ stream, data }, parts) => completeCardTransaction(parts, idOf(stream), data),
    CardRefunded: async ({ stream, data: { total, whole, by } }, parts) => {
      const transactionId = await transactionOf(parts, idOf(stream))
      if (transactionId === undefined) return
      const { transaction } = parts.ledger
      if (!whole) await transaction.refundPart(transactionId, { refunded: toDecimal(BigInt(total), FIAT_DECIMALS), by })
      else
        await transaction.refund(transactionId, { by }).catch((error: unknown) => {
          // Its seller had said before that it was given back, or has deleted it.
          if (!isRefusal(error, 'state-forbids', 'transaction-not-found')) throw error
        })
    },
    CardPaymentDisputed: async ({ stream, data: { disputeId } }, parts) => {
      const transactionId = await transactionOf(parts, idOf(stream))
      if (transactionId !== undefined)
        await parts.ledger.transaction.dispute(transactionId, { disputeId, status: 'open' })
    },
    CardDisputeClosed: async ({ stream, data: { disputeId, outcome } }, parts) => {
      const transactionId = await transactionOf(parts, idOf(stream))
      if (transactionId !== undefined)
        await parts.ledger.transaction.dispute(transactionId, { disputeId, status: outcome })
    },
  },
}

/** Undefined for money that bought nothing. Its settlement is before it in the log, and so is its transaction. */
const transactionOf = async (parts: { ledger: Ledger; world: World }, id: string): Promise<string | undefined> => {
  const payment = await parts.ledger.cardPayment.read(id)
  return payment.status === 'none' ? undefined : cardTransactionOf(parts, id, payment)
}
