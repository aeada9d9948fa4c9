import type { CancelReason, MandateEvidence, SessionCall, SessionEvents, SessionTerms } from './session-events.ts'

/** The state of a checkout session, and the commands on it. */

type Data<T extends keyof SessionEvents> = SessionEvents[T]

export type SessionCommands = {
  create: Omit<Data<'CheckoutSessionCreated'>, 'createdAt'>
  /** `looked`: the number of changes when the session was read, for an update that says only a part anew. */
  update: SessionTerms & { call?: SessionCall; looked?: number }
  /** `terms`: the number of changes when the session was read. */
  ready: Pick<Data<'CheckoutSessionReadied'>, 'requestId' | 'call'> & { terms: number; mandate: MandateEvidence | null }
  /** `over`: an authorization that has failed, and so blocks no other. */
  takePayment: { authorizationId: string; over: string | null; call?: SessionCall }
  failPayment: { authorizationId: string }
  complete: Pick<Data<'CheckoutSessionCompleted'>, 'orderId' | 'transactionId' | 'challengeId'>
  cancel: { reason: CancelReason; call?: SessionCall }
  fulfill: Omit<Data<'OrderFulfilled'>, 'orderId' | 'number'>
  /** Adjusts the order by its whole total: nothing tells of a partial refund. */
  adjust: { type: 'refund' | 'refund-failed'; occurredAt: string }
  /** Notes whether the payment of the order is in its chain. Only an event later than the last noted one counts. */
  notePayment: { stands: boolean; occurredAt: string; position: string }
}

export type Session = Data<'CheckoutSessionCreated'> & {
  status: 'incomplete' | 'ready_for_complete' | 'completed' | 'canceled'
  /** When its terms or its status changed last; what is signed about it is signed by the key of that time. */
  touchedAt: string
  /** The payment request that pays it, once it is readied. */
  requestId?: string
  readiedAt?: string
  mandate: MandateEvidence | null
  /** The authorization that is being carried out, and since when. */
  payment: { readonly authorizationId: string; readonly takenAt: string } | null
  /** Number of signed payments that were begun so far. */
  payments: number
  /** Whether it was canceled because nobody seemed to have paid in time. */
  hasExpired: boolean
  /** Number of changes so far. */
  changes: number
  /** Number of events so far. */
  version: number
  /**
   * Calls that came with an Idempotency-Key, keyed by the id made from that: the digest of each, and the version that
   * it made.
   */
  calls: Readonly<Record<string, { readonly request: string; readonly version: number }>>
  order: Order | null
}
export type SessionState = { status: 'none' } | Session

export type Order = {
  readonly id: string
  readonly transactionId: string
  readonly placedAt: string
  /** The number of delivered pieces of each line, keyed by its id. */
  readonly fulfilled: Readonly<Record<string, number>>
  readonly refunded: boolean
  /**
   * The time since which its payment is not in its chain any more, and the place in the ledger's order of the last news
   * on that.
   */
  readonly reversedAt: string | undefined
  readonly toldThrough: bigint
  /** Entries of its history so far; they are numbered from 1. */
  readonly entries: number
}

/**
 * The status at a time: an unpaid session is canceled once `expiresAt` has passed, even before the event is written,
 * but a payment that is on its way is waited for.
 */
export const statusAt = (
  { status, expiresAt, payment }: Pick<Session, 'status' | 'expiresAt' | 'payment'>,
  now: string,
): Session['status'] => (isUnpaid(status) && payment === null && now > expiresAt ? 'canceled' : status)

const isUnpaid = (status: Session['status']): boolean => status === 'incomplete' || status === 'ready_for_complete'
