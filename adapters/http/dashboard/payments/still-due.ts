import { challengeParts } from '../../../../domain/selling/challenge-terms.ts'
import { isGone } from '../../../../domain/selling/transactions/transaction.ts'
import { challengesOf, paymentSoFar } from '../../../../domain/use-cases/selling/settling/payment-so-far.ts'
import { ODD_LOOKED_AT_MAX } from '../../../../projections/selling/settlement-queries.ts'
import type { TransactionRow } from '../../../../projections/selling/transactions/transaction-queries.ts'
import type { StillDue } from '../../pages/dashboard/payments/payment.ts'
import type { MemberRequest } from '../of-dashboard.ts'

/** What came for a payment that is not complete, what is missing, and which money may be meant for it. */

/** Payments that a member may choose from: of the newest that settle nothing those first that are likely meant. */
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
  const odd = assets.length === 0 ? [] : await queries.oddIn(actor.accountId, assets, ODD_LOOKED_AT_MAX)
  const candidates = odd.map((row) => {
    const named = row.challengeId === null ? (row.candidates ?? []) : [row.challengeId]
    return { ...row, isLikely: named.some((id) => ids.includes(id)) }
  })
  const likelyFirst = candidates.toSorted((a, b) => +b.isLikely - +a.isLikely)
  return { asset, paid, missing, decimals, candidates: likelyFirst.slice(0, CANDIDATES_MAX) }
}

/**
 * The payments of a list for which money came that may be meant for them, where this member may say so. It is money
 * that `stillDue` calls likely.
 */
export const maybePaid = async (
  { queries, actor: { accountId, actor } }: Pick<MemberRequest, 'queries' | 'actor'>,
  rows: readonly TransactionRow[],
): Promise<ReadonlySet<string>> => {
  if (actor.storeScope !== undefined || !actor.can('transactions.edit')) return new Set()
  const waiting = rows.filter(({ status, test }) => status !== 'C' && !test)
  return await queries.maybePaid(
    accountId,
    waiting.map(({ id }) => id),
  )
}
