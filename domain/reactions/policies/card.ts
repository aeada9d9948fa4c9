import { worthOfCharged } from '../../card/minor-units.ts'
import type { DisputeOutcome } from '../../card/ports.ts'
import { idOf } from '../../kernel/decider.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import type { World } from '../../kernel/ports.ts'
import { isRefusal, refuse } from '../../kernel/refusal.ts'
import { finishCardPayment } from '../../use-cases/card/settle.ts'
import { cardTransactionOf, completeCardTransaction } from '../../use-cases/card/transaction.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/** Books money that the processor has on the sale that it was paid for, also when the process died between the two. */
export const finishCardPayments: Policy = policy({
  name: 'finish-card-payments',
  // Of two payments of one request the request takes the one that comes first, whoever asks it.
  keys: ({ stream }) => [stream],
  on: {
    CardPaymentReported: ({ stream }, { ledger }) => finishCardPayment(ledger, idOf(stream)),
  },
})

/**
 * What follows from a payment by card: the transaction completes, and what was given back or is disputed stands on it
 * (N-68).
 */
export const followCardPayments: Policy = policy({
  name: 'follow-card-payments',
  // A payment has one transaction, which has to be complete before money is given back of it, or disputed.
  keys: ({ stream }) => [stream],
  on: {
    CardPaymentSettled: ({ stream, data }, parts) => completeCardTransaction(parts, idOf(stream), data),
    CardRefunded: async ({ stream, data: { by } }, parts) => {
      const found = await givenBackOf(parts, idOf(stream))
      if (!found) return
      const { transactionId, refunded, whole } = found
      const { transaction } = parts.ledger
      if (!whole) return refunded === null ? undefined : transaction.refundPart(transactionId, { refunded, by })
      await transaction.refund(transactionId, { by }).catch((error: unknown) => {
        // The seller has noted before that it was given back, or has deleted the transaction.
        if (!isRefusal(error, 'state-forbids', 'transaction-not-found')) throw error
      })
    },
    CardRefundFailed: async ({ stream }, parts) => {
      const found = await givenBackOf(parts, idOf(stream))
      if (found && !found.whole) await parts.ledger.transaction.unrefund(found.transactionId, found)
    },
    CardPaymentDisputed: ({ stream, data: { disputeId } }, parts) =>
      noteDispute(parts, idOf(stream), { disputeId, status: 'open' }),
    CardDisputeClosed: ({ stream, data: { disputeId, outcome } }, parts) =>
      noteDispute(parts, idOf(stream), { disputeId, status: outcome }),
  },
})

type Parts = { readonly ledger: Ledger; readonly world: World }

/**
 * The sum that is given back by now, not at the time of the event: a policy may come to an event twice, and a refund
 * may have failed in between.
 */
const givenBackOf = async (parts: Parts, id: string) => {
  const found = await soldBy(parts, id)
  if (!found) return undefined
  const { charged, refunded, currency } = found.payment
  const worth = BigInt(worthOfCharged(refunded, currency) ?? refuse('internal'))
  return {
    transactionId: found.transactionId,
    refunded: worth === 0n ? null : toDecimal(worth, FIAT_DECIMALS),
    whole: refunded === charged,
  }
}

const noteDispute = async (
  parts: Parts,
  id: string,
  dispute: { disputeId: string; status: 'open' | DisputeOutcome },
): Promise<void> => {
  const found = await soldBy(parts, id)
  if (found) await parts.ledger.transaction.dispute(found.transactionId, dispute)
}

/**
 * The sale of a payment by card; undefined for money that bought nothing. Its settlement comes earlier in the log, and
 * so does its transaction.
 */
const soldBy = async (parts: Parts, id: string) => {
  const payment = await parts.ledger.cardPayment.read(id)
  const transactionId = payment.status === 'none' ? undefined : await cardTransactionOf(parts, id, payment)
  return payment.status === 'none' || transactionId === undefined ? undefined : { payment, transactionId }
}
