import type { Capability } from '../../../../../domain/account/capabilities.ts'

/** Where the things are that a seller's links sell, and what their lists may be narrowed by. */

/** Saved payment links, priced resources, and links that ask for one payment. */
export type LinkKind = 'products' | 'resources' | 'requests'

type KindFacts = {
  readonly path: string
  readonly view: Capability
  readonly edit: Capability
  readonly make: Capability
}

export const KINDS: Readonly<Record<LinkKind, KindFacts>> = {
  products: {
    path: '/dashboard/products',
    view: 'checkouts.view',
    edit: 'checkouts.edit',
    make: 'checkouts.edit',
  },
  resources: {
    path: '/dashboard/resources',
    view: 'resources.view',
    edit: 'resources.edit',
    make: 'resources.edit',
  },
  requests: {
    path: '/dashboard/payment-requests',
    view: 'payment-links.view',
    edit: 'transactions.edit',
    make: 'payment-links.create',
  },
}

export const IMPORT = '/dashboard/import-products'

/** The filters as the address has them; the names are those of the API's lists, and `test=1` shows tests. */
export type LinkFilters = {
  readonly [name in 'search' | 'listed' | 'status' | 'store_id' | 'test']?: string | undefined
}

/** The address of a list with these filters, without those that are empty. */
export const linksAt = (
  kind: LinkKind,
  filters: LinkFilters & { readonly before?: string | undefined },
  suffix = '',
): string => {
  const given = Object.entries(filters).filter((each): each is [string, string] => Boolean(each[1]))
  const path = KINDS[kind].path + suffix
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

export const linkAt = (kind: LinkKind, id: string): string => `${KINDS[kind].path}/${encodeURIComponent(id)}`

/** Where a new one is made. */
export const newAt = (kind: LinkKind): string => `${KINDS[kind].path}?new=1`
