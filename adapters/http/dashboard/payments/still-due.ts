import { challengeParts } from '../../../../domain/selling/challenge-terms.ts'
import { isGone } from '../../../../domain/selling/transactions/transaction.ts'
import { challengesOf, paymentSoFar } from '../../../../domain/use-cases/selling/settling/payment-so-far.ts'
import type { StillDue } from '../../pages/dashboard/payments/payment.ts'
import type { MemberRequest } from '../of-dashboard.ts'

/** What came for a payment that is not complete, what is missing, and which money may be meant for it. */

/** Payments that a member may choose from, the newest of those that settle nothing. */
const CANDIDATES_MAX = 20

/** Undefined for a transaction for which no coin was asked. */
export const stillDue = async (
  { flow: { ledger }, queries, actor }: MemberRequest,
  transactionId: string,
): Promise<StillDue | undefined> => {
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction)) return undefined
  const [sum, ids] = await Promise.all([paymentSoFar(ledger, transaction, queries), challengesOf(transaction, queries)])
  if (sum === undefined) return undefined
  const { asset, paid, missing, decimals } = sum
  // Addresses belong to the account: what came there may be for any store.
  if (transaction.test || actor.actor.storeScope !== undefined)
    return { asset, paid, missing, decimals, candidates: [] }
  const assets = [...new Set(ids.flatMap((id) => challengeParts(id)?.asset ?? []))]
  const odd = assets.length === 0 ? [] : await queries.oddIn(actor.accountId, assets, CANDIDATES_MAX)
  const candidates = odd.map((row) => {
    const named = row.challengeId === null ? (row.candidates ?? []) : [row.challengeId]
    return { ...row, isLikely: named.some((id) => ids.includes(id)) }
  })
  return { asset, paid, missing, decimals, candidates: candidates.toSorted((a, b) => +b.isLikely - +a.isLikely) }
}
