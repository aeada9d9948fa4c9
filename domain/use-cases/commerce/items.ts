import { DEFAULT_STORE } from '../../kernel/in-store.ts'
import type { Units } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import { isNamed, numberNamed } from '../../selling/checkout.ts'
import type { Ledger } from '../../write-side/ledger.ts'

/** The items that can be put into a cart, which are what one store sells. */

export type Shop = { readonly accountId: string; readonly storeId: number }

export type Item = {
  readonly kind: 'resource' | 'checkout'
  /** The id that a cart names the item by: a `res_id`, or a checkout's slug. */
  readonly itemId: string
  readonly checkoutId?: string
  readonly title: string
  /** Millionths of the currency. */
  readonly price: Units
  readonly currency: string
  /** The only coins it is sold for; null for all that its seller takes. */
  readonly assets: readonly string[] | null
  readonly test: boolean
}

/**
 * Finds a resource by its id, or a saved payment link by its slug or number. Refuses `item-not-found`, also for an item
 * of another store (N-44).
 */
export const itemOf = async (ledger: Ledger, shop: Shop, id: string): Promise<Item> =>
  (id.startsWith('res_') ? await resourceItem(ledger, shop, id) : await checkoutItem(ledger, shop, id)) ??
  refuse('item-not-found', `Nothing is sold here as ${JSON.stringify(id)}. Look for its id in POST /catalog/search.`)

const resourceItem = async (ledger: Ledger, shop: Shop, id: string): Promise<Item | undefined> => {
  const found = await ledger.resource.recent(id)
  if (found.status !== 'active' || !isIn(shop, found)) return undefined
  const { amount, currency, acceptedAssets, test } = found
  return {
    kind: 'resource',
    itemId: id,
    title: `Resource ${id}`,
    price: amount,
    currency,
    assets: acceptedAssets,
    test,
  }
}

const checkoutItem = async (ledger: Ledger, shop: Shop, named: string): Promise<Item | undefined> => {
  const checkoutId = numberNamed(named)
  const found = checkoutId === undefined ? undefined : await ledger.checkout.recent(checkoutId)
  if (checkoutId === undefined || found?.status !== 'saved' || !isNamed(found, named) || !isIn(shop, found))
    return undefined
  const { slug, title, price, currency, asset, test } = found
  return {
    kind: 'checkout',
    itemId: slug,
    checkoutId,
    title,
    price,
    currency,
    assets: asset === null ? null : [asset],
    test: test === true,
  }
}

const isIn = ({ accountId, storeId }: Shop, thing: { accountId: string; storeId?: number }): boolean =>
  thing.accountId === accountId && (thing.storeId ?? DEFAULT_STORE) === storeId
