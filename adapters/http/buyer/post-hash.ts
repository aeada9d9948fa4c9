import { Refusal, type RefusalCode, refuse } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { verifyPayment } from '../../../domain/use-cases/selling/settling/verify-payment.ts'
import type { SaleItem } from './doors.ts'
import { followedChallenge } from './progress.ts'

/** The outcomes of a posted hash that did not pay; the page says them in plain words. */
export const SAID = ['unknown', 'other', 'taken', 'down'] as const
export type Said = (typeof SAID)[number]

/**
 * Looks a hash up as `POST /v1/verify` does. Undefined when the page of the challenge shows by itself what came of it.
 */
export const postHash = async (
  flow: UseCaseContext,
  sold: SaleItem,
  challengeId: string,
  hash: string,
): Promise<Said | undefined> => {
  const known = await followedChallenge(flow, challengeId)
  if (!known || !sold.isOwn(known.set)) return refuse('challenge-not-found')
  if (hash === '') return 'other'
  try {
    const verdict = await verifyPayment(flow, challengeId, hash)
    return verdict.outcome === 'pending' && verdict.confirmations === 0 ? 'unknown' : undefined
  } catch (error) {
    if (!(error instanceof Refusal) || !(error.code in saidOf)) throw error
    return saidOf[error.code] ?? undefined
  }
}

/** What is said of each refusal; null when the page of the challenge shows it. */
const saidOf: { readonly [C in RefusalCode]?: Said | null } = {
  'payment-not-matching': 'other',
  'transfer-taken': 'taken',
  unavailable: 'down',
  busy: 'down',
  'invalid-request': 'other',
  'challenge-expired': null,
  'already-paid': null,
}
