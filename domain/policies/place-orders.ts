import { giveUpSession, placeOrder, withdrawCanceled } from '../flows/commerce/pay-session.ts'
import type { Ledger } from '../ledger.ts'
import { idOf, type Policy } from '../policy.ts'

/**
 * What becomes of a checkout session when its payment settles, fails, or does not come (T-SES-03, T-SES-04, N-06), and of its order when
 * the seller gives the money back.
 */
export const placeOrders: Policy = {
  name: 'place-orders',
  on: {
    ChallengeSettled: async ({ data: { paymentRequest, challengeId } }, { ledger }) => {
      const sessionId = paymentRequest && (await sessionOf(ledger, paymentRequest.requestId))
      if (paymentRequest && sessionId !== undefined)
        await placeOrder(ledger, sessionId, { ...paymentRequest, challengeId })
    },
    CardPaymentSettled: async ({ stream, data: { paymentRequest } }, { ledger }) => {
      const sessionId = paymentRequest && (await sessionOf(ledger, paymentRequest.requestId))
      if (paymentRequest && sessionId !== undefined)
        await placeOrder(ledger, sessionId, { ...paymentRequest, challengeId: idOf(stream) })
    },
    AuthorizationFailed: async ({ stream }, { ledger, world }) => {
      const authorizationId = idOf(stream)
      const authorization = await ledger.authorization.read(authorizationId)
      const requestId = authorization.status === 'none' ? undefined : authorization.requestId
      const sessionId = requestId && (await sessionOf(ledger, requestId))
      if (!sessionId || requestId === undefined) return
      await ledger.checkoutSession.failPayment(sessionId, { authorizationId })
      // Its time was up meanwhile: only this payment was waited for.
      const { status } = await ledger.paymentRequest.read(requestId)
      if (status === 'expired') await giveUpSession({ ledger, world }, sessionId, 'expired')
    },
    PaymentRequestExpired: async ({ stream }, known) => {
      const sessionId = await sessionOf(known.ledger, idOf(stream))
      if (sessionId !== undefined) await giveUpSession(known, sessionId, 'expired')
    },
    // Its seller deleted the transaction, so that nobody pays it; what was canceled is withdrawn, too, and that changes nothing.
    PaymentRequestWithdrawn: async ({ stream }, known) => {
      const sessionId = await sessionOf(known.ledger, idOf(stream))
      if (sessionId !== undefined) await giveUpSession(known, sessionId, 'withdrawn')
    },
    // Whoever canceled, or minted, may have died before it was withdrawn.
    CheckoutSessionCanceled: ({ stream }, { ledger }) => withdrawCanceled(ledger, idOf(stream)),
    PaymentRequestOpened: async ({ data: { checkoutSession } }, { ledger }) => {
      if (checkoutSession !== undefined) await withdrawCanceled(ledger, checkoutSession)
    },
    RefundRecorded: async ({ stream, data: { refundedAt } }, { ledger }) => {
      const transaction = await ledger.transaction.read(idOf(stream))
      const requestId = transaction.status === 'none' ? undefined : transaction.requestId
      const sessionId = requestId && (await sessionOf(ledger, requestId))
      if (sessionId) await ledger.checkoutSession.adjust(sessionId, { type: 'refund', occurredAt: refundedAt })
    },
  },
}

const sessionOf = async (ledger: Ledger, requestId: string): Promise<string | undefined> => {
  const request = await ledger.paymentRequest.read(requestId)
  return request.status === 'none' ? undefined : request.checkoutSession
}
