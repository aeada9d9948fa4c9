import { PLATFORM } from '../../kernel/platform.ts'
import {
  type BookedPayment,
  type WorthyPayment,
  worthOfPayment,
} from '../../use-cases/selling/settling/worth-of-payment.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import type { Policy } from '../subscriber/policy.ts'

/** A top-up raises the seller's credit by what arrives, each payment once, at the rate of its challenge (I-CRD-02). */
export const grantTopUp: Policy = {
  name: 'grant-top-up',
  on: {
    ChallengeSettled: ({ order, data }, { ledger }) => grant(ledger, order, data),
    ChallengeUnderpaid: ({ order, data }, { ledger }) => grant(ledger, order, data),
    // What the credit does not cover any more is owed (N-24).
    PaymentReversed: async ({ order, data }, { ledger }) => {
      const bought = await boughtWith(ledger, data)
      if (!bought) return
      await ledger.creditAccount.charge(bought.accountId, {
        amount: String(bought.worth),
        reason: 'top-up-reversed',
        ref: bought.requestId,
        source: 'grant-top-up',
        position: String(order),
      })
    },
  },
}

const grant = async (ledger: Ledger, order: bigint, payment: BookedPayment): Promise<void> => {
  const bought = await boughtWith(ledger, payment)
  if (!bought) return
  await ledger.creditAccount.grant(bought.accountId, {
    amount: String(bought.worth),
    reason: 'top-up',
    ref: bought.requestId,
    source: 'grant-top-up',
    position: String(order),
  })
}

/** Whose credit a payment buys, and how much; undefined where it buys none. */
const boughtWith = async (ledger: Ledger, payment: WorthyPayment) => {
  const { accountId, paymentRequest, test } = payment
  if (accountId !== PLATFORM || !paymentRequest || test) return undefined
  const { requestId } = paymentRequest
  const request = await ledger.paymentRequest.read(requestId)
  if (request.status === 'none' || !request.topUp) return undefined
  const worth = await worthOfPayment(ledger, payment)
  return worth > 0n ? { accountId: request.topUp.accountId, worth, requestId } : undefined
}
