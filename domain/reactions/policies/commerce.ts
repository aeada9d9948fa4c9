import { idOf } from '../../kernel/decider.ts'
import { FIAT_DECIMALS, toDecimal, type Units } from '../../kernel/money.ts'
import type { World } from '../../kernel/ports.ts'
import type { RequestRef } from '../../selling/challenge-events.ts'
import { giveUpSession, placeOrder, withdrawCanceled } from '../../use-cases/commerce/pay-session.ts'
import type { EventData } from '../../write-side/deciders.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { type Policy, policy } from '../subscriber/policy.ts'

/**
 * What becomes of a checkout session when its payment settles, fails, or does not come (T-SES-03, T-SES-04, N-06), and
 * of its order when the seller gives the money back.
 */
export const placeOrders: Policy = policy({
  name: 'place-orders',
  // An order tells by the event's place which payments it has heard of, and numbers what it hears; a session is its
  // seller's, and not all events name it.
  keys: {
    ChallengeSettled: sellerOf,
    CardPaymentSettled: sellerOf,
    PaymentReversed: sellerOf,
    AuthorizationFailed: ({ data }) => [data.accountId],
    PaymentRequestExpired: ({ data }) => [data.accountId],
    PaymentRequestWithdrawn: ({ data }) => [data.accountId],
    CheckoutSessionCanceled: ({ data }) => [data.accountId],
    PaymentRequestOpened: ({ data }) => (data.checkoutSession === undefined ? [] : [data.accountId]),
    RefundRecorded: ({ data }) => [data.accountId],
    RefundVoided: ({ data }) => [data.accountId],
    RefundFailed: ({ data }) => [data.accountId],
  },
  on: {
    ChallengeSettled: async ({ order, data: { paymentRequest, challengeId, settledAt } }, { ledger }) => {
      await place(ledger, paymentRequest, challengeId)
      await notePayment(ledger, paymentRequest, { stands: true, occurredAt: settledAt, position: String(order) })
    },
    CardPaymentSettled: async ({ order, stream, data: { paymentRequest, settledAt } }, { ledger }) => {
      await place(ledger, paymentRequest, idOf(stream))
      await notePayment(ledger, paymentRequest, { stands: true, occurredAt: settledAt, position: String(order) })
    },
    // The goods may be given already, so the order stays, and says that it is not paid.
    PaymentReversed: async ({ order, data: { paymentRequest, unsettled, reversedAt } }, { ledger }) => {
      if (!unsettled) return
      await notePayment(ledger, paymentRequest, { stands: false, occurredAt: reversedAt, position: String(order) })
    },
    AuthorizationFailed: async ({ stream }, { ledger, world }) => {
      const authorizationId = idOf(stream)
      const authorization = await ledger.authorization.read(authorizationId)
      const requestId = authorization.status === 'none' ? undefined : authorization.requestId
      const sessionId = requestId && (await sessionOf(ledger, requestId))
      if (!sessionId || requestId === undefined) return
      await ledger.checkoutSession.failPayment(sessionId, { authorizationId })
      // The session's time was up meanwhile, and only this payment was waited for.
      const { status } = await ledger.paymentRequest.read(requestId)
      if (status === 'expired') await giveUpSession({ ledger, world }, sessionId, 'expired')
    },
    PaymentRequestExpired: async ({ stream }, known) => {
      const sessionId = await sessionOf(known.ledger, idOf(stream))
      if (sessionId !== undefined) await giveUpSession(known, sessionId, 'expired')
    },
    // The seller deleted the transaction, so that nobody pays it. A canceled session is withdrawn, too, and that
    // changes nothing.
    PaymentRequestWithdrawn: async ({ stream }, known) => {
      const sessionId = await sessionOf(known.ledger, idOf(stream))
      if (sessionId !== undefined) await giveUpSession(known, sessionId, 'withdrawn')
    },
    // The process that canceled the session, or asked for its payment, may have died before it withdrew the request.
    CheckoutSessionCanceled: ({ stream }, { ledger }) => withdrawCanceled(ledger, idOf(stream)),
    PaymentRequestOpened: async ({ data: { checkoutSession } }, { ledger }) => {
      if (checkoutSession !== undefined) await withdrawCanceled(ledger, checkoutSession)
    },
    RefundRecorded: ({ stream, data }, { ledger }) => adjust(ledger, idOf(stream), data.refundedAt),
    RefundVoided: ({ stream, data }, { ledger }) => adjust(ledger, idOf(stream), data.voidedAt),
    RefundFailed: ({ stream, data }, { ledger }) => adjust(ledger, idOf(stream), data.failedAt),
  },
})

/** What pays no request places no order. */
function sellerOf({ data }: { data: { readonly accountId: string; readonly paymentRequest?: RequestRef } }) {
  return data.paymentRequest ? [data.accountId] : []
}

/** Places the order of a payment that was made in a checkout session; any other payment has none. */
const place = async (ledger: Ledger, paid: RequestRef | undefined, challengeId: string): Promise<void> => {
  const sessionId = paid && (await sessionOf(ledger, paid.requestId))
  if (paid && sessionId !== undefined) await placeOrder(ledger, sessionId, { ...paid, challengeId })
}

const notePayment = async (
  ledger: Ledger,
  paid: RequestRef | undefined,
  told: { stands: boolean; occurredAt: string; position: string },
): Promise<void> => {
  const sessionId = paid && (await sessionOf(ledger, paid.requestId))
  if (sessionId !== undefined) await ledger.checkoutSession.notePayment(sessionId, told)
}

/**
 * Adjusts an order to what its transaction says by now: a policy may come to an event twice, and a refund may have
 * failed in between.
 */
const adjust = async (ledger: Ledger, transactionId: string, occurredAt: string): Promise<void> => {
  const transaction = await ledger.transaction.read(transactionId)
  if (transaction.status === 'none' || transaction.requestId === undefined) return
  const sessionId = await sessionOf(ledger, transaction.requestId)
  const type = transaction.refundedAt === undefined ? 'refund-failed' : 'refund'
  if (sessionId !== undefined) await ledger.checkoutSession.adjust(sessionId, { type, occurredAt })
}

const sessionOf = async (ledger: Ledger, requestId: string): Promise<string | undefined> => {
  const request = await ledger.paymentRequest.read(requestId)
  return request.status === 'none' ? undefined : request.checkoutSession
}

/**
 * An app is told of every payment that users made to it, and of every top-up that has settled on its word: one receipt
 * each, under an id made from the ledger reference (A-RCP-02, A-RCP-03, A-RCP-06, I-RCP-01). What is posted is written
 * down here, to the letter.
 */
export const issueReceipts: Policy = policy({
  name: 'issue-receipts',
  // Each receipt has a stream of its own, and is issued once.
  keys: () => [],
  on: {
    BalanceSent: async ({ data }, context) => {
      if (data.kind === 'intent' || data.kind === 'standing-order') await issue(context, data, debit(data))
    },
    TopUpSettled: ({ data }, context) => issue(context, data, topUp(data)),
  },
})

type Context = { ledger: Ledger; world: World }
type Facts = Readonly<Record<string, string | number | null>>

const issue = async (
  { ledger, world }: Context,
  { ledgerRef, clientId }: { ledgerRef: string; clientId: string | null },
  { event, ...facts }: Facts,
): Promise<void> => {
  if (clientId === null) return
  const eventId = world.digest(`receipt|${ledgerRef}`).slice(0, 32)
  const app = await ledger.clientApp.recent(clientId)
  const url = app.status === 'none' ? null : app.backchannelUrl
  if (url === null) {
    await ledger.notification.skip(eventId, { clientId })
    return
  }
  const payload = JSON.stringify({ event, event_id: eventId, ...facts })
  await ledger.notification.schedule(eventId, { clientId, url, kind: 'receipt', payload })
}

/** The facts of a debit. A debit of a standing order says which order it is, and was made for no intent. */
const debit = (data: EventData<'BalanceSent'>): Facts => ({
  event: 'svc.balance.debit',
  intent_id: data.intentId ?? null,
  ...money(data),
  ...(data.kind === 'standing-order' && { source: 'standing-order', mandate_id: data.mandateId ?? null }),
})

const topUp = (data: EventData<'TopUpSettled'>): Facts => ({
  event: 'svc.balance.topup',
  topup_id: data.topUpId,
  ...money(data),
  state: data.short ? 'underpaid' : 'completed',
  completed_at: data.short ? null : data.settledAt,
})

const money = ({
  clientId,
  total,
  ledgerRef,
}: {
  clientId: string | null
  total: Units
  ledgerRef: string
}): Facts => ({
  client_id: clientId,
  amount: Number(toDecimal(BigInt(total), FIAT_DECIMALS)),
  currency: 'USD',
  ledger_ref: ledgerRef,
})
