/** Where the payments are, and what their list may be narrowed by. */

export const PAYMENTS = '/dashboard/payments'

/** The filters as the address has them; the names are those of `GET /v1/transactions`, and `test=1` shows tests. */
export type PaymentFilters = {
  readonly [name in
    | 'search'
    | 'status'
    | 'asset'
    | 'type'
    | 'store_id'
    | 'amount_from'
    | 'amount_to'
    | 'from'
    | 'to'
    | 'test']?: string | undefined
}

/** The address of the list with these filters, without those that are empty. */
export const paymentsAt = (filters: PaymentFilters & { readonly before?: string | undefined }, path = PAYMENTS) =>
  withFilters(path, filters)

const withFilters = (path: string, filters: object): string => {
  const given = Object.entries(filters).filter((each): each is [string, string] => Boolean(each[1]))
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

export const paymentAt = (id: string): string => `${PAYMENTS}/${encodeURIComponent(id)}`

/** The form by which a member chooses which payment pays this one. */
export const matchAt = (id: string): string => `${paymentAt(id)}?open=match-transfer#match-transfer`

/** Where a seller sees what the built-in receiver got. */
export const WEBHOOK_RECEIVER = '/dashboard/webhook-receiver'

/** Where money is that settles nothing. */
export const UNMATCHED = '/dashboard/unmatched'

/**
 * The filters of that list as the address has them; the names are those of `GET /v1/unmatched`. Without a state it
 * shows what needs a hand, and `all` shows everything.
 */
export type UnmatchedParts = {
  readonly [name in 'search' | 'state' | 'reason' | 'asset' | 'from' | 'to']?: string | undefined
}

export const unmatchedListAt = (
  filters: UnmatchedParts & { readonly before?: string | undefined },
  path = UNMATCHED,
): string => withFilters(path, filters)

export const unmatchedAt = (transferId: string): string => `${UNMATCHED}/${encodeURIComponent(transferId)}`
