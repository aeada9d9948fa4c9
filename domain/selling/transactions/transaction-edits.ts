/**
 * What a merchant may write on a transaction by hand. It lies over the facts, which stay what they are: no money moves
 * by it (M-TXN-10).
 */

/** The documents' writable keys, in their order; any other is refused (M-TXN-11, M-REC-05). */
export const WRITABLE_KEYS = [
  'status',
  'hash',
  'title',
  'description',
  'to',
  'to_name',
  'amount',
  'amount_fiat',
  'cryptocurrency',
  'from',
  'vat',
  'webhook',
  'billing',
  'redirect',
  'opened_at',
  'bank_details',
  'checkout_id',
  'customer_id',
  'discount_code',
  'store_id',
  'custom_token_type',
  'confirmed_time',
  'creation_time',
  'is_test',
  'confirmation_count',
  'first_confirmed_time',
  'last_confirmed_time',
] as const
export type WritableKey = (typeof WRITABLE_KEYS)[number]

/** Values that were written by hand, by key, in the record's form; personal ones are sealed under the account. */
export type Edits = { readonly [K in WritableKey]?: string }

/** Keys whose values tell of a person. An address on a chain is public anyway. */
export const PERSONAL_KEYS: readonly WritableKey[] = ['to_name', 'billing', 'bank_details', 'customer_id']

/** Whether some of the edits are sealed. */
export const isSealed = (edits: Edits): boolean => PERSONAL_KEYS.some((key) => edits[key])

/**
 * The keys whose values are by hand, in the order of the alphabet and with commas between, as every list and file tells
 * it; undefined where all that is shown are facts.
 */
export const editedByHand = (edits: Edits | null | undefined): string | undefined =>
  Object.keys(edits ?? {})
    .sort()
    .join(',') || undefined

/** Keys that a payment sets itself once it is confirmed: a later fact replaces what was written by hand. */
const TOLD_BY_PAYMENT: ReadonlySet<string> = new Set<WritableKey>([
  'status',
  'hash',
  'from',
  'amount',
  'amount_fiat',
  'cryptocurrency',
  'confirmed_time',
])

/** The edits that still apply once a payment is confirmed. */
export const afterPayment = (edits: Edits): Edits =>
  Object.fromEntries(Object.entries(edits).filter(([key]) => !TOLD_BY_PAYMENT.has(key)))
