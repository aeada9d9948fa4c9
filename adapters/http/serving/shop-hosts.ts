import type { Context } from 'koa'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { SHOP_HANDLE } from '../../../domain/storefront/shop.ts'
import type { OutsidePorts } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import { foundOrNew, type Rows, storeNamed } from '../core/actor.ts'
import type { CloudCaller, Endpoint } from '../core/endpoint.ts'

/** Which store a call is made in: by the host that is asked, or by the name of the store in it. */

/** Operations that share a method and a path. */
export type Operations = readonly [Endpoint, ...Endpoint[]]

/**
 * The store whose shop a call is made in: the one that `cloud` in the query names, else the one whose host is asked,
 * and never by a key (C-SES-02). Refuses `store-not-found` when neither names one (N-44), and while an operator has
 * stopped its account or once its owner closed it, unless the call only `finishes` what was begun.
 */
export const shopCaller = async (
  rows: Rows & { readonly queries: Queries },
  { cloud, host, shop }: { readonly cloud: unknown; readonly host: string; readonly shop: string },
  finishes: boolean,
): Promise<CloudCaller> => {
  const handle = handleIn(host, shop)
  const find = async () => {
    if (cloud !== undefined && cloud !== '') return storeNamed(rows.queries, cloud)
    return handle === undefined ? undefined : rows.queries.shop(handle)
  }
  const found = (await foundOrNew(rows, 'stores', find)) ?? refuse('store-not-found', NO_STORE)
  const isSuspended = (found.suspended !== null && found.suspended !== false) || ('closed' in found && found.closed)
  if (isSuspended && !finishes) return refuse('store-not-found', CLOSED)
  return { accountId: found.accountId, storeId: found.storeId }
}

/** Where a store and Daybook itself answer at one path, the store does so when it is named, and Daybook otherwise. */
export const atThisHost = (
  ctx: Context,
  operations: Operations,
  { outside }: { readonly outside: Pick<OutsidePorts, 'origins'> },
): Operations => {
  if (!operations.some(({ auth }) => auth === 'shop') || operations.every(({ auth }) => auth === 'shop'))
    return operations
  const isNamed = Boolean(ctx.query.cloud) || handleIn(ctx.hostname, outside.origins.shop) !== undefined
  const [first, ...rest] = operations.filter(({ auth }) => (auth === 'shop') === isNamed)
  return first ? [first, ...rest] : operations
}

const NO_STORE = 'No store is named here: ask at the host of a store, or name its cloud token in the query as cloud.'

const CLOSED = 'This store is closed at present. What was bought or begun here goes on; ask the seller about the rest.'

/** The handle of the shop whose host is asked; `host` has no port, and may be in upper or lower case. */
const handleIn = (host: string, shop: string): string | undefined => {
  const name = host.toLowerCase()
  const parent = `.${new URL(shop).hostname}`
  const handle = name.endsWith(parent) ? name.slice(0, -parent.length) : ''
  return SHOP_HANDLE.test(handle) ? handle : undefined
}
