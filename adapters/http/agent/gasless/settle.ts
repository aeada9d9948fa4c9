import { type Authorization, authorizationId } from '../../../../domain/selling/authorization-terms.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import {
  callerName,
  type NamedPayment,
  payerName,
  paymentNamed,
} from '../../../../domain/use-cases/gasless/named-payment.ts'
import { takeAuthorization } from '../../../../domain/use-cases/gasless/take-authorization.ts'
import type { Sale } from '../../../../domain/use-cases/selling/challenges/keep-challenge.ts'
import { awaitSettlement } from '../../../../domain/use-cases/selling/settling/await-settlement.ts'
import type { SignedPayment } from '../../../x402/header.ts'
import { type PaymentRefusal, paymentRefusals } from '../../../x402/reasons.ts'
import { signedOn } from './signed.ts'

/** What became of a signed payment. `pending`: nobody knows yet, which is never a reason to pay again. */
export type SignedPaymentOutcome =
  | { readonly status: 'settled'; readonly id: string; readonly transaction: string; readonly payer: string }
  | { readonly status: 'pending'; readonly transaction: string | undefined }
  | { readonly status: 'refused'; readonly reason: PaymentRefusal }

/**
 * Takes a signed payment of a sale, and waits a little for it to settle (J-DOOR-05, J-GAS-06). The same payment has one
 * outcome, however often and from wherever it is sent; so have all payments of a resource under one name of their payer
 * (`payment-identifier`) or of their caller. Refuses as `takeAuthorization` does, and then nothing was taken.
 */
export const settleSigned = async (
  flow: UseCaseContext,
  sale: Sale,
  payment: SignedPayment,
  /** The challenge, and the name of the caller, that were given beside the payment. */
  { challenge, caller }: { challenge?: string | undefined; caller?: string | undefined } = {},
): Promise<SignedPaymentOutcome> => {
  const signed = signedOn(flow, payment)
  if (signed.fault) return { status: 'refused', reason: signed.fault }
  const { authorization } = signed
  const challengeId = payment.accepted?.challengeId ?? challenge
  const exactly = payment.version === 2
  const byCaller = sale.resId === null || caller === undefined ? [] : [callerName(flow, sale.resId, caller)]
  const names = [...byCaller, ...ownNames(flow, sale, payment, authorization)]
  // Who cannot show the payer's signature is told nothing of what the payer has named. What a contract has signed is
  // found out when the payment is taken.
  const shown = signed.isOwnKey ? names : byCaller
  const taken =
    (await firstNamed(flow, shown, authorizationId(authorization))) ??
    (await takeAuthorization(flow, sale, { authorization, challengeId, exactly, names }))
  if (taken.fault) return { status: 'refused', reason: taken.fault }
  const { status, tx, reason } = await awaitSettlement(flow, taken.id, taken.authorization)
  const { from: payer } = taken.authorization.authorization
  if (status === 'settled' && tx !== undefined) return { status, id: taken.id, transaction: tx, payer }
  if (status === 'failed') return { status: 'refused', reason: refusalNamed(reason) }
  return { status: 'pending', transaction: flow.relayers.get(authorization.network)?.sentIn(taken.id) }
}

/** The name that its payer gave to a payment. What is sold elsewhere, or by a request, is paid once anyway. */
const ownNames = (
  flow: UseCaseContext,
  { resId }: Sale,
  { paymentIdentifier }: SignedPayment,
  authorization: Authorization,
): readonly string[] =>
  resId === null || paymentIdentifier === undefined ? [] : [payerName(flow, resId, authorization, paymentIdentifier)]

/** The payment that has one of the names already; undefined when none has, or it is the one of this id. */
const firstNamed = async (
  flow: UseCaseContext,
  names: readonly string[],
  id: string,
): Promise<NamedPayment | undefined> => {
  for (const name of names) {
    const found = await paymentNamed(flow, name, id)
    if (found) return found
  }
  return undefined
}

const refusalNamed = (reason: string | undefined): PaymentRefusal =>
  paymentRefusals.find((each) => each === reason) ?? 'settle-error'
