import type { CancelReason, MandateEvidence, SessionCall, SessionEvents, SessionTerms } from './session-events.ts'

/** What a checkout session is folded to, and what may be asked of it. */

type Data<T extends keyof SessionEvents> = SessionEvents[T]

export type SessionCommands = {
  create: Omit<Data<'CheckoutSessionCreated'>, 'createdAt'>
  /** `looked`: how often it had been changed when it was looked at, where only a part of it is said anew. */
  update: SessionTerms & { call?: SessionCall; looked?: number }
  /** `terms`: how often it had been changed when it was looked at. */
  ready: Pick<Data<'CheckoutSessionReadied'>, 'requestId' | 'call'> & { terms: number; mandate: MandateEvidence | null }
  /** `over`: an authorization that has failed, and so is in nobody's way. */
  takePayment: { authorizationId: string; over: string | null; call?: SessionCall }
  failPayment: { authorizationId: string }
  complete: Pick<Data<'CheckoutSessionCompleted'>, 'orderId' | 'transactionId' | 'challengeId'>
  cancel: { reason: CancelReason; call?: SessionCall }
  fulfill: Omit<Data<'OrderFulfilled'>, 'orderId' | 'number'>
  /** All of it: nothing tells of a part. */
  adjust: { type: 'refund' | 'refund-failed'; occurredAt: string }
  /** Whether what has paid the order is in its chain: only what is later than what was told before counts. */
  notePayment: { stands: boolean; occurredAt: string; position: string }
}

export type Session = Data<'CheckoutSessionCreated'> & {
  status: 'incomplete' | 'ready_for_complete' | 'completed' | 'canceled'
  /** When its terms or its status changed last: what is signed of it is signed as of then. */
  touchedAt: string
  /** The payment request that pays it, from when it was readied. */
  requestId?: string
  readiedAt?: string
  mandate: MandateEvidence | null
  /** The authorization that is being carried out, and since when. */
  payment: { readonly authorizationId: string; readonly takenAt: string } | null
  /** Signed payments that were begun so far. */
  payments: number
  /** Nobody paid in time, or so it seemed. */
  hasExpired: boolean
  /** Changes so far. */
  changes: number
  /** Events so far. */
  version: number
  /**
   * Calls that came with an Idempotency-Key, by the id that the key makes: the digest of each, and which version it
   * made.
   */
  calls: Readonly<Record<string, { readonly request: string; readonly version: number }>>
  order: Order | null
}
export type SessionState = { status: 'none' } | Session

export type Order = {
  readonly id: string
  readonly transactionId: string
  readonly placedAt: string
  /** How many of each line were delivered. */
  readonly fulfilled: Readonly<Record<string, number>>
  readonly refunded: boolean
  /** Since when its payment is not in its chain any more, and what was told of that last. */
  readonly reversedAt: string | undefined
  readonly toldThrough: bigint
  /** Entries of its history so far; they are numbered from 1. */
  readonly entries: number
}

/**
 * Its time is up at the second it says, whether that was written down yet or not; a payment that is on its way is
 * waited for.
 */
export const statusAt = (
  { status, expiresAt, payment }: Pick<Session, 'status' | 'expiresAt' | 'payment'>,
  now: string,
): Session['status'] => (isUnpaid(status) && payment === null && now > expiresAt ? 'canceled' : status)

const isUnpaid = (status: Session['status']): boolean => status === 'incomplete' || status === 'ready_for_complete'
