import { callerId, isAtLimit } from '../../../../domain/gasless/caller.ts'
import type { Authorization } from '../../../../domain/selling/authorization-terms.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import {
  signedAndCovered,
  takenBefore,
  termsOfTaking,
} from '../../../../domain/use-cases/gasless/take-authorization.ts'
import type { Sale } from '../../../../domain/use-cases/selling/challenges/keep-challenge.ts'
import type { SignedPayment } from '../../../x402/header.ts'
import type { PaymentRefusal } from '../../../x402/reasons.ts'
import type { Requirements } from '../../../x402/requirements.ts'
import { signedOn } from './signed.ts'

/** Whether a signed payment would be taken, without taking it. */

/** What is asked besides the books: only its signature (J-GAS-05), or its chain too. */
export type Depth = 'signature' | 'chain'

/**
 * Why it would not be; undefined when it would. Refuses `unavailable` when a rate is missing, or the chain does not
 * answer.
 */
export const refusalOf = async (
  flow: UseCaseContext,
  sale: Sale,
  { payment, requirements }: { payment: SignedPayment; requirements: Requirements },
  depth: Depth,
): Promise<PaymentRefusal | undefined> => {
  const signed = signedOn(flow, payment)
  if (signed.fault) return signed.fault
  const { authorization, isOwnKey } = signed
  // Only its chain knows what a wallet that is a contract has signed.
  if (!isOwnKey && depth === 'signature') return 'signature'
  const challengeId = payment.accepted?.challengeId ?? requirements.challengeId
  const terms = await termsOfTaking(flow, sale, { authorization, challengeId, exactly: payment.version === 2 })
  if (terms.fault) return terms.fault
  const known = await takenFor(flow, sale, authorization)
  if (known) return known.refusal
  if (await isCapped(flow, sale, authorization)) return 'max-per-caller'
  return depth === 'chain' ? (await signedAndCovered(terms, authorization)).fault : undefined
}

/** The cap; what counts is decided when the payment is taken. */
const isCapped = async (
  { ledger, world }: UseCaseContext,
  { resId, cap }: Sale,
  { from }: Authorization,
): Promise<boolean> =>
  resId !== null &&
  cap !== null &&
  isAtLimit(await ledger.caller.recent(callerId(resId, from)), cap, world.now().toISOString())

/** One that was taken before has its outcome already; undefined for one that was not. */
const takenFor = async (
  flow: UseCaseContext,
  sale: Sale,
  authorization: Authorization,
): Promise<{ refusal: PaymentRefusal | undefined } | undefined> => {
  const taken = await takenBefore(flow, sale, authorization)
  if (!taken || taken.fault) return taken && { refusal: taken.fault }
  const { redeemed, status } = taken.authorization
  return { refusal: redeemed ? 'duplicate' : status === 'failed' ? 'reverted' : undefined }
}
