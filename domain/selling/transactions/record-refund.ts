import type { Of } from '../../kernel/decider.ts'
import { toDecimal, type Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { Reversal } from '../challenge-events.ts'
import { type TransferData, transferId } from '../challenge-terms.ts'
import {
  amountToRecord,
  type CoinRefund,
  isLookedFor,
  isWhole,
  type PaidCoin,
  REFUND_TRANSFERS_MAX,
  recordedOf,
  refundedTo,
  refundWorth,
  timesLost,
  unearnedBy,
  unsoldInVoid,
  withUnsent,
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
  if (hash !== undefined && (isLookedFor(coinRefund, hash) || isFound(coinRefund, hash))) return []
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

/**
 * A transfer that gives the money back. What it carries is recorded as far as the seller has not done so before.
 * `again`: how often it had been taken back when it was claimed; does nothing when it was taken back since.
 */
export const sendCoinRefund = (
  state: Refundable,
  paid: PaidCoin,
  {
    transfer,
    hash,
    by,
    again = 0,
  }: { readonly transfer: TransferData; readonly hash: string; readonly by: string; readonly again?: number },
  now: string,
): RefundEvents => {
  const { accountId, refundedAt, coinRefund } = state
  const { transfers = [], sent: before = '0' } = coinRefund ?? {}
  const id = transferId(transfer)
  if (transfers.includes(id) || timesLost(coinRefund, id) > again) return []
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
    { type: 'RefundSent', data: { ...told, hash, by, sentAt: now, ...(again > 0 && { again }) } },
  ]
}

/** A transfer that had given money back, and that its chain has lost. */
export type LostRefund = {
  readonly transfer: TransferData
  readonly hash: string
  readonly times: number
  readonly reason: Reversal
}

/**
 * The chain has lost a transfer that gave the money back: what it carried is recorded, and not sent. `isSold`: whether
 * the payment stands. Without it nothing is owed that was not sent.
 */
export const unsendCoinRefund = (
  state: Refundable & { readonly isSold: boolean },
  paid: PaidCoin,
  { transfer, hash, times, reason }: LostRefund,
  now: string,
): RefundEvents => {
  const { accountId, coinRefund, isSold } = state
  const id = transferId(transfer)
  if (!coinRefund?.transfers.includes(id) || timesLost(coinRefund, id) >= times) return []
  const { decimals } = paid
  const sent = String(BigInt(coinRefund.sent) - BigInt(transfer.amount))
  const worth = refundWorth(paid, transfer.amount)
  const data = { accountId, transfer, decimals, sent, worth, hash, reason, times, unsentAt: now }
  const left = withUnsent(coinRefund, { id, tx: transfer.tx, hash, times, sent })
  const owed = isSold ? [] : voidRefund({ ...state, coinRefund: left }, paid, now)
  return [{ type: 'RefundUnsent', data }, ...owed]
}

/**
 * What is owed no longer, because the payment that was to be given back is not in its chain any more. What was sent
 * stays recorded; and of what was only recorded, no more than still came for a sale that stands. `paid`: the payment as
 * it is now, or as it was before it did not stand any more; undefined where no coin came.
 */
export const voidRefund = (
  { accountId, refundedAt, coinRefund, isSold }: Refundable & { readonly isSold: boolean },
  paid: PaidCoin | undefined,
  now: string,
): RefundEvents => {
  const recorded = recordedOf(coinRefund)
  // A refund whose amount nobody recorded is of a payment that stands.
  if (recorded === 0n)
    return isSold || refundedAt === undefined
      ? []
      : [{ type: 'RefundVoided', data: { accountId, refunded: null, whole: false, sent: false, voidedAt: now } }]
  if (paid === undefined || coinRefund === undefined) return []
  const sent = BigInt(coinRefund.sent)
  const came = isSold ? BigInt(paid.received) : 0n
  const owed = came < recorded ? came : recorded
  const stays = sent > owed ? sent : owed
  if (stays === recorded) return []
  const { network, asset, decimals, test } = paid
  const amount = String(recorded - stays)
  const off = unearnedBy(paid, stays)
  const known = BigInt(coinRefund.usd)
  const usd = String(off < known ? known - off : 0n)
  const worth = refundWorth(paid, amount)
  const unsold = unsoldInVoid(coinRefund, recorded - stays)
  const coin = { network, asset, decimals, amount, total: String(stays), usd, worth, test, ...unsold }
  const whole = isSold && refundedAt !== undefined && isWhole(paid, stays)
  const refunded = stays === 0n ? null : toDecimal(stays, decimals)
  const data = { accountId, refunded, whole, sent: stays > 0n && stays === sent, coin, voidedAt: now }
  return [{ type: 'RefundVoided', data }]
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
