/** The transaction as document 3 writes it: every value a string, times as `YYYY-MM-DD HH:MM:SS` UTC (M-REC-01, N-73). */

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

/** Beside the documented keys: whether it is a test, and when it was refunded, if it was. */
export type TransactionRecord = { readonly [K in (typeof RECORD_KEYS)[number] | 'is_test']: string } & {
  readonly refunded_time?: string
}

export const transactionRecord = (
  id: string,
  t: {
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
    readonly refundedAt?: string | null | undefined
  },
): TransactionRecord => ({
  id,
  amount: t.amount,
  amount_fiat: t.amountFiat,
  cryptocurrency: t.cryptocurrency,
  currency: t.currency,
  status: t.status,
  hash: t.hash,
  title: t.title,
  external_reference: t.externalReference,
  vat: '',
  vat_details: '',
  creation_time: recordTime(t.createdAt),
  confirmed_time: t.confirmedAt ? recordTime(t.confirmedAt) : '',
  description: t.description ?? '',
  billing: '',
  type: t.type,
  is_test: t.test ? '1' : '0',
  ...(t.refundedAt && { refunded_time: recordTime(t.refundedAt) }),
})

const recordTime = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)}`
