import type { Session } from '../../commerce/session-state.ts'
import type { AuthorizationState } from '../../gasless/authorization.ts'
import type { UseCaseContext } from '../context.ts'

/** A signed payment of a session that came to nothing. */

/**
 * Seconds after which a payment that was begun and never taken is in nobody's way: whoever began it has been answered
 * long ago.
 */
const BEGUN_MAX_S = 120

/**
 * The id of the signed payment that nothing will come of: it failed, or pays something else, or the process that was to
 * take it died; null while it may still come.
 */
export const deadPayment = async (
  { ledger, world }: Pick<UseCaseContext, 'ledger' | 'world'>,
  { payment, requestId }: Pick<Session, 'payment' | 'requestId'>,
): Promise<string | null> => {
  if (payment === null) return null
  const { authorizationId } = payment
  const authorization = await ledger.authorization.read(authorizationId)
  const age = world.now().getTime() - Date.parse(payment.takenAt)
  const isDead = authorization.status === 'none' ? age > BEGUN_MAX_S * 1_000 : !isPaymentOf(authorization, requestId)
  return isDead ? authorizationId : null
}

/** Whether an authorization pays this request, or has. */
export const isPaymentOf = (authorization: AuthorizationState, requestId: string | undefined): boolean =>
  authorization.status !== 'none' && authorization.status !== 'failed' && authorization.requestId === requestId

/** Fails the dead payment of a session, so that it is in nobody's way any more. */
export const endDeadPayment = async (
  parts: Pick<UseCaseContext, 'ledger' | 'world'>,
  sessionId: string,
  session: Session,
): Promise<void> => {
  const authorizationId = await deadPayment(parts, session)
  if (authorizationId !== null) await parts.ledger.checkoutSession.failPayment(sessionId, { authorizationId })
}
