import type { World } from '../../kernel/ports.ts'
import { isClosed } from '../../selling/challenge-state.ts'
import { challengeParts } from '../../selling/challenge-terms.ts'
import type { Ledger } from '../../write-side/ledger.ts'
import { mayBePaid } from './attempts.ts'

/** Payments made in the last moment are seen a little later; nothing is given up before. */
const GRACE_MS = 60_000
/** Requests and transactions, of each kind, that one run takes; the next run takes the rest. */
const AT_ONCE_MAX = 500

export type DueQueries = {
  expiredRequests(before: string, limit: number): Promise<readonly string[]>
  expiredTransactions(before: string, limit: number): Promise<readonly { id: string; challengeId: string }[]>
  /** Challenges of a request, the newest first. */
  challengesOfRequest(requestId: string): Promise<readonly string[]>
  /** Payments by card of a request whose outcome nobody knows, those with the most time left first. */
  cardPagesOfRequest(requestId: string): Promise<readonly string[]>
}

export type ExpiryCounts = { readonly requests: number; readonly transactions: number }

/**
 * Gives up what nobody paid in time: payment requests (J-PRQ-03), and payments of resources that were seen and taken
 * back by the chain. What still waits for confirmations is left open. Repeating it changes nothing. Answers how
 * many were given up.
 */
export const expireDue = async (ledger: Ledger, world: World, due: DueQueries): Promise<ExpiryCounts> => {
  const expired = { requests: 0, transactions: 0 }
  const now = world.now()
  const before = new Date(now.getTime() - GRACE_MS).toISOString()
  for (const requestId of await due.expiredRequests(before, AT_ONCE_MAX))
    if (
      !(await anyWaits(ledger, await due.challengesOfRequest(requestId))) &&
      !(await anyPays(ledger, await due.cardPagesOfRequest(requestId), now))
    )
      expired.requests += (await ledger.paymentRequest.expire(requestId, {})).events.length
  for (const { id, challengeId } of await due.expiredTransactions(before, AT_ONCE_MAX))
    if (!(await anyWaits(ledger, [challengeId])))
      expired.transactions += (await ledger.transaction.reject(id, { reason: 'expired' })).events.length
  return expired
}

/** Whether somebody may be paying by card. */
const anyPays = async (ledger: Ledger, ids: readonly string[], now: Date): Promise<boolean> => {
  for (const id of ids) {
    const payment = await ledger.cardPayment.read(id)
    if (payment.status !== 'none' && mayBePaid(payment, now.toISOString())) return true
  }
  return false
}

/** Whether a payment of one of these challenges was seen and is not booked yet. */
const anyWaits = async (ledger: Ledger, challengeIds: readonly string[]): Promise<boolean> => {
  for (const challengeId of challengeIds) {
    const set = await ledger.challenge.read(challengeParts(challengeId)?.setId ?? '')
    if (set.status === 'open' && Object.keys(set.detected).some((asset) => !isClosed(set, asset))) return true
  }
  return false
}
