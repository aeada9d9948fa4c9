import { coinUnits, toDecimal, type Units } from '../../../kernel/money.ts'
import { isFinal, isRefusal, refuse } from '../../../kernel/refusal.ts'
import { transferId } from '../../../selling/challenge-terms.ts'
import { isLookedFor, isSent } from '../../../selling/transactions/coin-refund.ts'
import { isGone, type Transaction } from '../../../selling/transactions/transaction.ts'
import type { EventData } from '../../../write-side/deciders.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import type { UseCaseContext } from '../../context.ts'
import type { RefundLook } from './confirmed-look.ts'
import { lookForRefund } from './look-for-refund.ts'
import { type PaidInCoin, paidInCoin } from './paid-coin.ts'

/** What a seller says of a refund. `amount` is in the coin, as a decimal. */
export type RefundRequest = {
  readonly transactionId: string
  readonly by: string
  readonly amount?: string | undefined
  readonly hash?: string | undefined
}

/** What is recorded of a refund, and what its chain shows. */
export type RefundResult = {
  /** Whether a chain has confirmed all that is recorded. */
  readonly sent: boolean
  /** What this call records, or what its chain transaction carries, where either was asked. */
  readonly amount?: string
  readonly hash?: string
  /** Set while the chain transaction is looked for. */
  readonly pending?: { readonly confirmations: number; readonly required: number }
}

/**
 * Records that a payment in a coin, or one that was completed by hand, was given back (N-68, Q-30). A hash is looked up
 * on the chain of the payment; while it lacks confirmations the clock looks again, and so does whoever calls again.
 * Refuses as `lookForRefund` and the transaction's `refund` do.
 */
export const refundPayment = async (
  flow: UseCaseContext,
  transaction: Transaction,
  { transactionId, by, amount, hash }: RefundRequest,
): Promise<RefundResult> => {
  const { ledger } = flow
  const paid = await paidInCoin(ledger, transaction)
  if (paid === undefined) {
    if (amount !== undefined || hash !== undefined)
      return refuse('state-forbids', 'no coin came for this payment: its refund is recorded as a whole, without a hash')
    await ledger.transaction.refund(transactionId, { by })
    return { sent: false }
  }
  const { coin, entry } = paid
  const named = { code: entry.asset, decimals: coin.decimals }
  const units = amount === undefined ? undefined : String(coinUnits(amount, named, 'amount'))
  if (hash === undefined) {
    await ledger.transaction.refund(transactionId, { by, coin, ...(units && { amount: units }) })
    return { sent: false, ...(units !== undefined && { amount: toDecimal(BigInt(units), coin.decimals) }) }
  }
  return refundBy(flow, transaction, paid, { transactionId, by, units, hash })
}

type HashRequest = { transactionId: string; by: string; units: Units | undefined; hash: string }

const refundBy = async (
  flow: UseCaseContext,
  transaction: Transaction,
  paid: PaidInCoin,
  { transactionId, by, units, hash }: HashRequest,
): Promise<RefundResult> => {
  if (isGone(transaction)) return refuse('transaction-not-found')
  const { ledger } = flow
  const { coin } = paid
  const { accountId } = transaction
  const look = await lookForRefund(flow, paid, { accountId, transactionId, hash, amount: units })
  const carried = look.transfer && { amount: toDecimal(BigInt(look.transfer.amount), coin.decimals) }
  if (look.outcome === 'pending') {
    const { confirmations, required } = look
    await ledger.transaction.refund(transactionId, { by, coin, hash, ...amountOf(transaction, paid, look, units) })
    return { sent: false, hash, ...carried, pending: { confirmations, required } }
  }
  // Only a payment that may be refunded at all takes a transfer for good.
  await mayBeRefunded(ledger, transactionId)
  const { transfer, voices } = look
  const counted = voices !== undefined && { voices }
  const claim = { accountId, transactionId, coin, transfer, hash, by, ...counted }
  const { state: claimed } = await ledger.refundTransfer.claim(transferId(transfer), claim)
  const { state } = await noteRefund(ledger, { ...claim, again: claimed.reversed })
  const sent = state.status !== 'none' && state.coinRefund !== undefined && isSent(state.coinRefund)
  return { sent, hash: transfer.tx, ...carried }
}

/** What a hash that waits records: what the seller said, else what the transfer carries as far as it is left. */
const amountOf = (
  { coinRefund }: Transaction,
  { coin }: PaidInCoin,
  { transfer }: RefundLook,
  units: Units | undefined,
): { amount?: Units } => {
  if (units !== undefined) return { amount: units }
  const rest = BigInt(coin.received) - BigInt(coinRefund?.recorded ?? 0)
  return transfer && BigInt(transfer.amount) < rest ? { amount: transfer.amount } : {}
}

const mayBeRefunded = async (ledger: Ledger, transactionId: string): Promise<void> => {
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction)) return refuse('transaction-not-found')
  if (transaction.status !== 'C') return refuse('state-forbids', 'only a completed payment can be refunded')
}

/** Notes on the transaction what its refund's transfer was claimed for. Quiet when repeated. */
export const noteRefund = (
  ledger: Ledger,
  { transactionId, coin, transfer, hash, by, again = 0 }: EventData<'RefundTransferClaimed'>,
) => ledger.transaction.send(transactionId, { coin, transfer, hash, by, again })

/** A chain transaction that a seller named as a refund, and that is not confirmed, or that its chain has lost. */
type SoughtRefund = {
  readonly transactionId: string
  readonly hash: string
  /** When its seller named it; null for one that its chain has lost. */
  readonly namedAt: string | null
}

export type SoughtRefunds = {
  /** Those that were named, or that chains have lost after `since`, in the order of their ids after `after`. */
  soughtRefunds(since: string, after: string, limit: number): Promise<readonly SoughtRefund[]>
}

/**
 * Milliseconds for which a hash is looked for that no chain knows. A last look, which its chain has to answer, then
 * ends it, and its seller may name it again.
 */
const SOUGHT_MS = 7 * 24 * 3_600_000
const AT_ONCE_MAX = 200

/**
 * Looks again for refunds that wait for their chains (N-68). A chain that does not answer costs the others nothing; a
 * transaction that turns out to be no refund, or that nobody has found in time, is looked for no longer. Answers where
 * the next round goes on.
 */
export const lookForRefunds = async (
  flow: UseCaseContext,
  queries: SoughtRefunds,
  after: string,
  failed: (error: unknown, transactionId: string) => void,
): Promise<string> => {
  const since = new Date(flow.world.now().getTime() - SOUGHT_MS).toISOString()
  const due = await queries.soughtRefunds(since, after, AT_ONCE_MAX)
  for (const { transactionId, hash, namedAt } of due)
    await lookAgain(flow, { transactionId, hash, isLast: namedAt !== null && namedAt <= since }).catch(
      (error: unknown) => {
        if (!isRefusal(error, 'unavailable')) failed(error, transactionId)
      },
    )
  return due.length === AT_ONCE_MAX ? (due.at(-1)?.transactionId ?? '') : ''
}

type Look = { readonly transactionId: string; readonly hash: string; readonly isLast: boolean }

const lookAgain = async (flow: UseCaseContext, { transactionId, hash, isLast }: Look): Promise<void> => {
  const { ledger } = flow
  const transaction = await ledger.transaction.read(transactionId)
  if (isGone(transaction) || !isLookedFor(transaction.coinRefund, hash)) return
  try {
    const paid = await paidInCoin(ledger, transaction)
    if (!paid) return
    const { pending, amount } = await refundBy(flow, transaction, paid, {
      transactionId,
      by: 'clock',
      units: undefined,
      hash,
    })
    // What is in a block already has an amount, and only waits for its confirmations.
    if (isLast && pending && amount === undefined)
      await ledger.transaction.refuseHash(transactionId, { hash, reason: 'not-found' })
  } catch (error) {
    if (!isFinal(error)) throw error
    const reason = REASONS.find((each) => each === error.code) ?? 'state-forbids'
    await ledger.transaction.refuseHash(transactionId, { hash, reason })
  }
}

const REASONS = ['payment-not-matching', 'transfer-taken'] as const
