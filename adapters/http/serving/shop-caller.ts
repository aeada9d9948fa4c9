import { refuse } from '../../../domain/kernel/refusal.ts'
import { SHOP_HANDLE } from '../../../domain/storefront/shop.ts'
import type { Queries } from '../../../projections/index.ts'
import { storeNamed } from '../core/cloud-caller.ts'
import type { CloudCaller } from '../core/endpoint.ts'
import { foundOrNew, type Rows } from '../core/perhaps-new.ts'

/**
 * The store whose shop a call is made in: the one that `cloud` in the query names, else the one whose host is asked,
 * and never by a key (C-SES-02). Refuses `store-not-found` when neither names one (N-44).
 */
export const shopCaller = async (
  rows: Rows & { readonly queries: Queries },
  { cloud, host, shop }: { readonly cloud: unknown; readonly host: string; readonly shop: string },
): Promise<CloudCaller> => {
  const handle = handleIn(host, shop)
  const find = async () => {
    if (cloud !== undefined && cloud !== '') return storeNamed(rows.queries, cloud)
    return handle === undefined ? undefined : rows.queries.shop(handle)
  }
  const found = (await foundOrNew(rows, 'stores', find)) ?? refuse('store-not-found', NO_STORE)
  return { accountId: found.accountId, storeId: found.storeId }
}

const NO_STORE = 'No store is named here: ask at the host of a store, or name its cloud token in the query as cloud.'

/** `host` without a port, in any case. */
const handleIn = (host: string, shop: string): string | undefined => {
  const name = host.toLowerCase()
  const parent = `.${new URL(shop).hostname}`
  const handle = name.endsWith(parent) ? name.slice(0, -parent.length) : ''
  return SHOP_HANDLE.test(handle) ? handle : undefined
}
