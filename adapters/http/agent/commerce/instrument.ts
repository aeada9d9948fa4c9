import { z } from 'zod'
import { inStore } from '../../../../domain/kernel/in-store.ts'
import { isRefusal, refuse } from '../../../../domain/kernel/refusal.ts'
import { authorizationId } from '../../../../domain/selling/authorization-terms.ts'
import { deadPayment, isPaymentOf } from '../../../../domain/use-cases/commerce/dead-payment.ts'
import { type PayableSession, placeOrder } from '../../../../domain/use-cases/commerce/pay-session.ts'
import { CALL } from '../../../../domain/use-cases/commerce/sessions.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { Once } from '../../../../domain/use-cases/once.ts'
import type { Sale } from '../../../../domain/use-cases/selling/challenges/keep-challenge.ts'
import { readPayment, type SignedPayment } from '../../../x402/header.ts'
import { wordFor } from '../../../x402/reasons.ts'
import { settleSigned } from '../gasless/settle.ts'
import { signedOn } from '../gasless/signed.ts'
import { HANDLERS } from './ucp.ts'

/**
 * A payment that comes with the completion of a session: a signed payment of x402 as the credential of an instrument,
 * under a handler of our own name, because no standard has one yet.
 */

const INSTRUMENTS_MAX = 10

export const Payment = z.looseObject({
  instruments: z
    .array(
      z.looseObject({
        handler_id: z.string().max(100),
        selected: z.boolean().optional(),
        credential: z.looseObject({ type: z.string().max(100), payload: z.looseObject({}).optional() }).optional(),
      }),
    )
    .max(INSTRUMENTS_MAX)
    .optional(),
})

/** What pays: a signed payment, or a card, which only its holder types in. */
export type PaymentMeans = { readonly signed: SignedPayment } | { readonly signed: undefined; readonly card: true }

/**
 * The instrument that was chosen; undefined without one. Refuses `invalid-request` for what cannot be read or taken,
 * and for two.
 */
export const paymentIn = (
  sent: z.output<typeof Payment> | undefined,
  takesCards: boolean,
): PaymentMeans | undefined => {
  const all = sent?.instruments ?? []
  const chosen = all.length === 1 ? all : all.filter(({ selected }) => selected === true)
  if (all.length === 0) return undefined
  const [instrument] = chosen
  if (!instrument || chosen.length > 1)
    return refuse('invalid-request', 'payment.instruments: has to have one that is selected')
  if (takesCards && instrument.handler_id === HANDLERS.card.instrument) return { signed: undefined, card: true }
  return { signed: signedIn(instrument) }
}

type Instrument = NonNullable<z.output<typeof Payment>['instruments']>[number]

const signedIn = (instrument: Instrument): SignedPayment => {
  if (instrument.handler_id !== HANDLERS.x402.instrument)
    return refuse(
      'invalid-request',
      `payment.instruments: only ${HANDLERS.x402.instrument} is paid with the completion; leave others out, and pay as the answer says`,
    )
  const read = readPayment(instrument.credential?.payload)
  if (read.kind === 'malformed')
    return refuse('invalid-request', 'payment.instruments: the credential has to be an x402 payment')
  return read.kind === 'payment'
    ? read.payment
    : refuse(
        'invalid-request',
        `payment.instruments: the x402 payment is refused as ${wordFor(read.version, read.reason)}; sign one of the terms that were answered`,
      )
}

/**
 * Settles a signed payment, one at a time for a session; the same payment has one outcome, however often it is sent.
 * Answers why it was not taken, or undefined: then it has settled, or is on its way.
 */
export const paySigned = async (
  flow: UseCaseContext,
  once: Once,
  { sessionId, readied }: { readonly sessionId: string; readonly readied: PayableSession },
  payment: SignedPayment,
): Promise<string | undefined> => {
  const signed = signedOn(flow, payment)
  if (signed.fault) return wordFor(payment.version, signed.fault)
  // Nobody is asked to sign for a test, and money that is sent all the same would be no money in the seller's books.
  if (readied.session.test) return wordFor(payment.version, 'requirements')
  const id = authorizationId(signed.authorization)
  const call = once.call(CALL)
  const over = await deadPayment(flow, readied.session)
  await flow.ledger.checkoutSession.takePayment(sessionId, { authorizationId: id, over, ...(call && { call }) })
  const outcome = await settleSigned(flow, saleOf(readied), payment).catch(async (error: unknown) => {
    await release(flow, sessionId, readied, id)
    throw error
  })
  if (outcome.status === 'refused') {
    await release(flow, sessionId, readied, id)
    return wordFor(payment.version, outcome.reason)
  }
  if (outcome.status === 'settled') await place(flow, sessionId, readied, id)
  return undefined
}

/**
 * Lets the session take another payment, unless this one was taken for it: then only the chain knows what becomes of
 * it.
 */
const release = async (
  { ledger }: UseCaseContext,
  sessionId: string,
  { request }: PayableSession,
  authorizationId: string,
) => {
  const authorization = await ledger.authorization.read(authorizationId)
  if (!isPaymentOf(authorization, request.requestId))
    await ledger.checkoutSession.failPayment(sessionId, { authorizationId })
}

const place = async (
  { ledger }: UseCaseContext,
  sessionId: string,
  { request }: PayableSession,
  id: string,
): Promise<void> => {
  const authorization = await ledger.authorization.read(id)
  if (authorization.status === 'none' || !isPaymentOf(authorization, request.requestId)) return
  try {
    await placeOrder(ledger, sessionId, { ...request, challengeId: authorization.challengeId })
  } catch (error) {
    // Another payment of it was first; this one is set aside as a double, and told as such.
    if (!isRefusal(error, 'already-paid')) throw error
  }
}

const saleOf = ({ session, minted, request }: PayableSession): Sale => {
  const { accountId, storeId, currency } = session
  const { entries, amount } = minted
  return {
    accountId,
    ...inStore(storeId),
    resId: null,
    paymentRequest: request,
    amount,
    currency,
    acceptedAssets: entries.map(({ asset }) => asset),
    webhookUrl: null,
    cap: null,
  }
}
