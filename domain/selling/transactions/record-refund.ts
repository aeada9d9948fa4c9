import type { Of } from '../../kernel/decider.ts'
import { toDecimal, type Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import { type TransferData, transferId } from '../challenge-terms.ts'
import {
  amountToRecord,
  type CoinRefund,
  isWhole,
  type PaidCoin,
  REFUND_TRANSFERS_MAX,
  recordedOf,
  refundedTo,
  refundWorth,
} from './coin-refund.ts'
import type { TransactionEvents } from './transaction-events.ts'

/** What follows for a transaction when its money is given back in a coin. */

type RefundEvents = readonly Of<TransactionEvents>[]

type Refundable = {
  readonly accountId: string
  readonly refundedAt: string | undefined
  readonly coinRefund: CoinRefund | undefined
}

export const REFUNDED_BEFORE = 'this payment was refunded before'

/** The seller's word that it gave back an amount, or all that is left; with the hash that is to show it. */
export const recordCoinRefund = (
  state: Refundable,
  paid: PaidCoin,
  { amount, hash, by }: { readonly amount: Units | undefined; readonly hash: string | undefined; readonly by: string },
  now: string,
): RefundEvents => {
  const { accountId, refundedAt, coinRefund } = state
  if (hash !== undefined && (coinRefund?.sought === hash || isFound(coinRefund, hash))) return []
  if (hash === undefined && refundedAt !== undefined) return refuse('state-forbids', REFUNDED_BEFORE)
  const recorded = refundedAt === undefined ? amountToRecord(paid, coinRefund, amount) : 0n
  const submitted = {
    type: 'RefundHashSubmitted',
    data: { accountId, hash: hash ?? '', submittedAt: now, by },
  } as const
  return [
    ...recordUpTo(state, paid, recordedOf(coinRefund) + recorded, by, now),
    ...(hash === undefined ? [] : [submitted]),
  ]
}

/** A transfer that gives the money back. What it carries is recorded as far as the seller has not done so before. */
export const sendCoinRefund = (
  state: Refundable,
  paid: PaidCoin,
  { transfer, hash, by }: { readonly transfer: TransferData; readonly hash: string; readonly by: string },
  now: string,
): RefundEvents => {
  const { accountId, refundedAt, coinRefund } = state
  const { transfers = [], sent: before = '0' } = coinRefund ?? {}
  if (transfers.includes(transferId(transfer))) return []
  if (transfers.length >= REFUND_TRANSFERS_MAX)
    return refuse('state-forbids', `at most ${REFUND_TRANSFERS_MAX} transfers give back one payment`)
  const sent = BigInt(before) + BigInt(transfer.amount)
  // A former release recorded refunds without their amounts: then all of the payment was meant.
  const meant = refundedAt !== undefined && recordedOf(coinRefund) === 0n ? BigInt(paid.received) : 0n
  const recorded = [recordedOf(coinRefund), meant, sent].reduce((a, b) => (a > b ? a : b))
  const worth = refundWorth(paid, transfer.amount)
  const told = { accountId, transfer, decimals: paid.decimals, sent: String(sent), whole: sent >= recorded, worth }
  return [
    ...recordUpTo(state, paid, recorded, by, now),
    { type: 'RefundSent', data: { ...told, hash, by, sentAt: now } },
  ]
}

/** Records so much in all, where that is more than is recorded; nothing of it is known to be sent. */
const recordUpTo = (
  { accountId, refundedAt, coinRefund }: Refundable,
  paid: PaidCoin,
  total: bigint,
  by: string,
  now: string,
): RefundEvents => {
  if (total <= recordedOf(coinRefund)) return []
  const coin = refundedTo(paid, coinRefund, total)
  const data = { accountId, refunded: toDecimal(total, paid.decimals), refundedAt: now, by, sent: false, coin }
  const isFirstWhole = refundedAt === undefined && isWhole(paid, total)
  return [isFirstWhole ? { type: 'RefundRecorded', data } : { type: 'PartRefundRecorded', data }]
}

const isFound = (refund: CoinRefund | undefined, hash: string): boolean => refund?.hash === hash
