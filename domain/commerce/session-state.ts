import type { Call, MandateEvidence, SessionEvents, SessionTerms } from './session-events.ts'

/** What a checkout session is folded to, and what may be asked of it. */

type Data<T extends keyof SessionEvents> = SessionEvents[T]

export type SessionCommands = {
  create: Omit<Data<'CheckoutSessionCreated'>, 'createdAt'>
  update: SessionTerms & { call?: Call }
  /** `terms`: how often it had been changed when it was looked at. */
  ready: Pick<Data<'CheckoutSessionReadied'>, 'requestId' | 'call'> & { terms: number; mandate: MandateEvidence | null }
  /** `over`: an authorization that has failed, and so is in nobody's way. */
  takePayment: { authorizationId: string; over: string | null }
  failPayment: { authorizationId: string }
  complete: Omit<Data<'CheckoutSessionCompleted'>, 'accountId' | 'completedAt'>
  cancel: { reason: 'asked' | 'expired'; call?: Call }
  fulfill: Omit<Data<'OrderFulfilled'>, 'orderId' | 'number'>
  adjust: Pick<Data<'OrderAdjusted'>, 'type' | 'amount' | 'occurredAt'>
}

export type Session = Data<'CheckoutSessionCreated'> & {
  status: 'incomplete' | 'ready_for_complete' | 'completed' | 'canceled'
  /** The payment request that pays it, from when it was readied. */
  requestId?: string
  mandate: MandateEvidence | null
  /** The authorization that is being carried out. */
  payment: string | null
  /** Changes so far. */
  changes: number
  /** Digests of the calls that came with an Idempotency-Key, by the id that the key makes. */
  calls: Readonly<Record<string, string>>
  order: Order | null
  canceledAt?: string
}
export type SessionState = { status: 'none' } | Session

export type Order = {
  readonly id: string
  readonly transactionId: string
  readonly placedAt: string
  /** How many of each line were delivered. */
  readonly fulfilled: Readonly<Record<string, number>>
  readonly refunded: boolean
  /** Entries of its history so far; they are numbered from 1. */
  readonly entries: number
}

/** Its time is up at the second it says, whether that was written down yet or not; a payment that is on its way is waited for. */
export const statusAt = (
  { status, expiresAt, payment }: Pick<Session, 'status' | 'expiresAt' | 'payment'>,
  now: string,
): Session['status'] => (isUnpaid(status) && payment === null && now > expiresAt ? 'canceled' : status)

const isUnpaid = (status: Session['status']): boolean => status === 'incomplete' || status === 'ready_for_complete'
