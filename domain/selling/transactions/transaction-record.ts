/**
 * The transaction as document 3 writes it: every value a string, times as `YYYY-MM-DD HH:MM:SS` UTC (M-REC-01, N-73).
 */

import { DEFAULT_STORE } from '../../kernel/in-store.ts'
import { toDecimal } from '../../kernel/money.ts'
import type { SealedText } from '../../kernel/ports.ts'
import { isCardPaymentId } from './card-payment-id.ts'
import { type CoinRefund, isSent, soughtIn } from './coin-refund.ts'
import { type Edits, editedByHand } from './transaction-edits.ts'

/** The 16 documented keys, in the documents' order; also the columns of the CSV (N-36). */
export const RECORD_KEYS = [
  'id',
  'amount',
  'amount_fiat',
  'cryptocurrency',
  'currency',
  'status',
  'hash',
  'title',
  'external_reference',
  'vat',
  'vat_details',
  'creation_time',
  'confirmed_time',
  'description',
  'billing',
  'type',
] as const

/**
 * Beside the documented keys: whether it is a test; its store when that is not the default one, the saved payment link
 * that was bought, what came in all, what was written by hand, and what was given back: the amount that is recorded,
 * and whether it was sent; for a payment by card, that it was one, and any dispute.
 */
export type TransactionRecord = { readonly [K in (typeof RECORD_KEYS)[number] | 'is_test']: string } & Edits & {
    readonly refunded_time?: string
    /** Time since which its payment is not in the chain any more; it waits for one again. */
    readonly reversed_at?: string
    readonly reversed_reason?: string
    readonly paid_by?: 'card'
    /** The merchant says that it is completed; no payment of it came. */
    readonly by?: 'hand'
    /** The keys whose values the merchant wrote by hand, with commas between, and the time of the newest edit. */
    readonly edited_by_hand?: string
    readonly edited_time?: string
    /** All that came, in the coin, in however many parts; of a card, in its currency. */
    readonly received_amount?: string
    /** The sum that is recorded as given back, in the coin or of a card in its currency. */
    readonly refunded_amount?: string
    readonly refund_status?: RefundStatus
    /** What its chain shows of a refund in a coin, and the chain transaction that is looked for, or was found last. */
    readonly refund_sent_amount?: string
    readonly refund_hash?: string
    readonly dispute?: string
  }

/**
 * `recorded`: the seller says that it gave the money back, and nobody has seen it. `pending`: the chain transaction
 * that the seller named is not confirmed yet. `sent`: the chain or the card processor has it.
 */
export type RefundStatus = 'recorded' | 'pending' | 'sent'

/** What a record is made of; `edits` may lie over the rest already. */
export type RecordSource = {
  readonly amount: string
  readonly amountFiat: string
  readonly cryptocurrency: string
  readonly currency: string
  readonly status: string
  readonly hash: string
  readonly title: string
  readonly externalReference: string
  readonly createdAt: string
  readonly confirmedAt: string | null | undefined
  readonly type: string
  readonly test: boolean
  readonly description?: string | undefined
  /** Replaces `description`; a description that was written by hand replaces both. */
  readonly sealedDescription?: SealedText | null | undefined
  readonly discountCode?: string | null | undefined
  readonly vat?: string | undefined
  readonly vatDetails?: string | undefined
  /** The VAT details with the number of a business buyer, which replace `vatDetails` where they can be opened. */
  readonly sealedVatDetails?: SealedText | null | undefined
  readonly refundedAt?: string | null | undefined
  /** Set while it waits for a payment again, because the last one was taken back. */
  readonly reversed?: { readonly reason: string; readonly at: string } | null | undefined
  /** For a payment by card, the id of the card payment. */
  readonly challengeId?: string | null | undefined
  readonly received?: string | null | undefined
  /** The sum of refunds, as a decimal. */
  readonly refundedPart?: string | null | undefined
  readonly refundSent?: boolean | null | undefined
  readonly coinRefund?: CoinRefund | null | undefined
  readonly dispute?: { readonly status: string } | null | undefined
  readonly storeId?: number | undefined
  readonly checkoutId?: string | null | undefined
  readonly edits?: Edits | null | undefined
  /** When it was last edited; events of former releases do not tell the ledger. */
  readonly editedAt?: string | null | undefined
}

/** The record without what is sealed; `openRecord` opens that first. */
export const transactionRecord = (id: string, t: RecordSource): TransactionRecord => {
  const record = recordOf(id, t)
  return t.edits ? { ...record, ...written(record, t.edits), ...markOf(t) } : record
}

/** What says that values of a record are by hand, and since when. */
const markOf = ({ edits, editedAt }: RecordSource) => {
  const keys = editedByHand(edits)
  return keys === undefined ? {} : { edited_by_hand: keys, ...(editedAt && { edited_time: recordTime(editedAt) }) }
}

const recordOf = (id: string, t: RecordSource): TransactionRecord => ({
  id,
  amount: t.amount,
  amount_fiat: t.amountFiat,
  cryptocurrency: t.cryptocurrency,
  currency: t.currency,
  status: t.status,
  hash: t.hash,
  title: t.title,
  external_reference: t.externalReference,
  vat: t.vat ?? '',
  vat_details: t.vatDetails ?? '',
  creation_time: recordTime(t.createdAt),
  confirmed_time: t.confirmedAt ? recordTime(t.confirmedAt) : '',
  description: t.description ?? '',
  billing: '',
  type: t.type,
  is_test: t.test ? '1' : '0',
  ...(t.storeId !== undefined && t.storeId !== DEFAULT_STORE && { store_id: String(t.storeId) }),
  ...(t.checkoutId && { checkout_id: t.checkoutId }),
  ...(t.discountCode && { discount_code: t.discountCode }),
  ...(t.refundedAt && { refunded_time: recordTime(t.refundedAt) }),
  ...(t.reversed && { reversed_at: recordTime(t.reversed.at), reversed_reason: t.reversed.reason }),
  ...(isByHand(t) && { by: 'hand' as const }),
  ...(isCardPaymentId(t.challengeId) && { paid_by: 'card' as const }),
  ...(t.received && { received_amount: t.received }),
  ...refundOf(t),
  ...(t.dispute && { dispute: t.dispute.status }),
})

/** What is recorded of a refund, and what was sent of it. */
const refundOf = (t: RecordSource) => {
  const { refundedPart, coinRefund } = t
  const status = refundStatusOf(t)
  const hash = soughtIn(coinRefund ?? undefined) ?? coinRefund?.hash
  return {
    ...(refundedPart && { refunded_amount: refundedPart }),
    ...(status && { refund_status: status }),
    ...(coinRefund &&
      coinRefund.sent !== '0' && { refund_sent_amount: toDecimal(BigInt(coinRefund.sent), coinRefund.decimals) }),
    ...(hash && { refund_hash: hash }),
  }
}

/** Undefined where nothing was given back, and for what a former release has recorded. */
export const refundStatusOf = ({
  coinRefund,
  refundSent,
  refundedAt,
}: Pick<RecordSource, 'coinRefund' | 'refundSent' | 'refundedAt'>): RefundStatus | undefined => {
  if (coinRefund?.sought) return 'pending'
  // Nothing is owed of a payment that is gone itself.
  if (coinRefund?.recorded === '0' && !refundedAt) return undefined
  if (soughtIn(coinRefund ?? undefined)) return 'pending'
  if (coinRefund) return isSent(coinRefund) ? 'sent' : 'recorded'
  if (typeof refundSent !== 'boolean') return undefined
  return refundSent ? 'sent' : 'recorded'
}

/** A payment that came has a time at which it was confirmed, unless that was written by hand, too. */
const isByHand = ({ edits, confirmedAt }: RecordSource): boolean =>
  edits?.status === 'C' && (!confirmedAt || edits.confirmed_time !== undefined)

/** The edits as the record shows them: a cleared key is left out, unless every record has it. */
const written = (record: TransactionRecord, edits: Edits): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([key, value]) => value !== '' || key in record))

const recordTime = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
