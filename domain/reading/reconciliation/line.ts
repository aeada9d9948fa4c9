import { FIAT_DECIMALS, type Units } from '../../kernel/money.ts'
import { isCardPaymentId } from '../../selling/transactions/card-payment-id.ts'
import { compare, type ReconcileStatus, type Verdict } from './compare.ts'
import type { BookedTransfer, ChainLook } from './transfer.ts'

/** A line of a reconciliation: a transfer, a transaction that none settled, or a receipt that no transfer explains. */

export type ReconciledLine = Verdict & {
  readonly kind: 'payment' | 'refund' | 'transaction' | 'posting'
  readonly accountId: string
  readonly transferId: string | null
  /**
   * What the settlement log says of a payment: `settled`, or why it settles nothing (`late`, `unmatched`). Null for all
   * that is no payment, and for one that is not in that log.
   */
  readonly settlementStatus: string | null
  readonly transactionId: string | null
  readonly challengeId: string | null
  readonly hash: string | null
  readonly network: string | null
  /** The coin as the journal calls it, or a currency; empty where nothing was asked for in any. */
  readonly asset: string
  readonly decimals: number
  readonly at: string
  readonly minedAt: string | null
  readonly signed: boolean
  readonly matched: boolean
  /** Keys of the transaction whose values are by hand, and when that was done last. */
  readonly edited: readonly string[]
  readonly editedAt: string | null
}

export const transferLine = (booked: BookedTransfer, look: ChainLook): ReconciledLine => {
  const { kind, accountId, transferId, challengeId, hash, network, asset, decimals, at, minedAt } = booked
  const { transaction, row, signed, matched } = booked
  return {
    ...compare(booked, look),
    kind,
    accountId,
    transferId,
    settlementStatus: kind === 'payment' ? (row?.status ?? null) : null,
    transactionId: transaction?.transactionId ?? null,
    challengeId,
    hash,
    network,
    asset,
    decimals,
    at,
    minedAt,
    signed,
    matched,
    edited: transaction?.edited ?? [],
    editedAt: transaction?.editedAt ?? null,
  }
}

/** A transaction that is completed, and that no transfer settled. */
export type LoneTransaction = {
  readonly accountId: string
  readonly transactionId: string
  readonly type: string
  readonly challengeId: string | null
  /** The status by what happened: `C` where it was no hand that completed it. */
  readonly status: string
  readonly test: boolean
  /** What was asked or paid in money, as millionths of the currency, where it has a price. */
  readonly amount: Units | null
  readonly currency: string
  readonly at: string
  readonly edited: readonly string[]
  readonly editedAt: string | null
}

export const transactionLine = (found: LoneTransaction): ReconciledLine => {
  const { accountId, transactionId, challengeId, amount, currency, at, edited, editedAt } = found
  const status = explanationOf(found)
  return {
    ...alone(status, status === 'no payment' ? 'transactions' : undefined, { transactions: amount }),
    kind: 'transaction',
    accountId,
    transferId: null,
    settlementStatus: null,
    transactionId,
    challengeId,
    hash: null,
    network: null,
    asset: currency,
    decimals: FIAT_DECIMALS,
    at,
    minedAt: null,
    signed: false,
    matched: false,
    edited,
    editedAt,
  }
}

const explanationOf = ({ type, status, challengeId, test }: LoneTransaction): ReconcileStatus => {
  if (type === 'payout') return 'payout'
  if (status !== 'C') return 'completed by hand'
  if (isCardPaymentId(challengeId)) return 'paid by card'
  return test ? 'test' : 'no payment'
}

/** A posting on the receipts of somebody's books whose event booked no transfer. */
export type LonePosting = {
  readonly place: string
  readonly line: number
  readonly accountId: string
  readonly transactionId: string | null
  readonly challengeId: string | null
  readonly hash: string | null
  readonly asset: string
  readonly decimals: number
  readonly amount: Units
  readonly at: string
  readonly minedAt: string | null
}

export const postingLine = ({ place: _, line: __, amount, ...found }: LonePosting): ReconciledLine => ({
  ...alone('no transaction', 'journal', { journal: amount }),
  ...found,
  kind: 'posting',
  transferId: null,
  settlementStatus: null,
  network: null,
  signed: false,
  matched: false,
  edited: [],
  editedAt: null,
})

const alone = (
  status: ReconcileStatus,
  where: 'transactions' | 'journal' | undefined,
  amounts: Partial<Verdict['amounts']>,
): Verdict => ({
  status,
  differences: where ? [{ where, what: status as 'no payment' | 'no transaction' }] : [],
  amounts: { transactions: null, journal: null, chain: null, ...amounts },
  confirmations: null,
})
