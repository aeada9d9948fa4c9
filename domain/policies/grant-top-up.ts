import { type BookedPayment, worthOfPayment } from '../flows/worth-of-payment.ts'
import type { Ledger } from '../ledger.ts'
import { PLATFORM } from '../platform.ts'
import type { Policy } from '../policy.ts'

/** A top-up raises the seller's credit by what arrives, each payment once, at the rate of its challenge (I-CRD-02). */
export const grantTopUp: Policy = {
  name: 'grant-top-up',
  on: {
    ChallengeSettled: ({ order, data }, { ledger }) => grant(ledger, order, data),
    ChallengeUnderpaid: ({ order, data }, { ledger }) => grant(ledger, order, data),
  },
}

const grant = async (ledger: Ledger, order: bigint, payment: BookedPayment): Promise<void> => {
  const { accountId, paymentRequest, test } = payment
  if (accountId !== PLATFORM || !paymentRequest || test) return
  const request = await ledger.paymentRequest.read(paymentRequest.requestId)
  if (request.status === 'none' || !request.topUp) return
  const worth = await worthOfPayment(ledger, payment)
  if (worth <= 0n) return
  await ledger.creditAccount.grant(request.topUp.accountId, {
    amount: String(worth),
    reason: 'top-up',
    ref: paymentRequest.requestId,
    source: 'grant-top-up',
    position: String(order),
  })
}
