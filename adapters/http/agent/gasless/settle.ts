import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { takeAuthorization } from '../../../../domain/use-cases/gasless/take-authorization.ts'
import type { Sale } from '../../../../domain/use-cases/selling/challenges/keep-challenge.ts'
import { awaitSettlement } from '../../../../domain/use-cases/selling/settling/await-settlement.ts'
import type { SignedPayment } from '../../../x402/header.ts'
import { type PaymentRefusal, paymentRefusals } from '../../../x402/reasons.ts'
import { signedOn } from './signed.ts'

/** What became of a signed payment. `pending`: nobody knows yet, which is never a reason to pay again. */
export type SignedPaymentOutcome =
  | { readonly status: 'settled'; readonly id: string; readonly transaction: string }
  | { readonly status: 'pending'; readonly transaction: string | undefined }
  | { readonly status: 'refused'; readonly reason: PaymentRefusal }

/**
 * Takes a signed payment of a sale, and waits a little for it to settle (J-DOOR-05, J-GAS-06). The same payment has one
 * outcome, however often and from wherever it is sent. Refuses as `takeAuthorization` does, and then nothing was taken.
 */
export const settleSigned = async (
  flow: UseCaseContext,
  sale: Sale,
  payment: SignedPayment,
  /** The challenge that was named beside the payment. */
  named?: string,
): Promise<SignedPaymentOutcome> => {
  const signed = signedOn(flow, payment)
  if (signed.fault) return { status: 'refused', reason: signed.fault }
  const { authorization } = signed
  const challengeId = payment.accepted?.challengeId ?? named
  const exactly = payment.version === 2
  const taken = await takeAuthorization(flow, sale, { authorization, challengeId, exactly })
  if (taken.fault) return { status: 'refused', reason: taken.fault }
  const { status, tx, reason } = await awaitSettlement(flow, taken.id, taken.authorization)
  if (status === 'settled' && tx !== undefined) return { status, id: taken.id, transaction: tx }
  if (status === 'failed') return { status: 'refused', reason: refusalNamed(reason) }
  return { status: 'pending', transaction: flow.relayers.get(authorization.network)?.sentIn(taken.id) }
}

const refusalNamed = (reason: string | undefined): PaymentRefusal =>
  paymentRefusals.find((each) => each === reason) ?? 'settle-error'
