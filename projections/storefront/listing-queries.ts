import type { Sql } from 'postgres'
import { titleOf } from '../commerce/product-queries.ts'
import { hasAll } from '../engine/narrowed.ts'

/** Public lists of everything that is sold here, newest first (J-CAT-01, J-CAT-02, N-30). */

/**
 * Resources, or landers, that one list looks through, the newest ones: most are listed, so that a page is full long
 * before.
 */
const LOOKED_THROUGH_MAX = 5_000

export type ListPage = { readonly limit: number; readonly offset: number }

export type MarketRow = {
  /** The number of the saved payment link. */
  number: string
  slug: string
  title: string
  description: string
  /** The price, in millionths of the currency. */
  price: string
  currency: string
  merchant: string
  /** The handle of the shop that sells it. */
  handle: string
  accountId: string
  /** The only coin that it may be paid in; null for all that the seller takes. */
  asset: string | null
}

export type ServiceRow = {
  resId: string
  title: string
  /** The price, in millionths of the currency. */
  price: string
  currency: string
  merchant: string
  /** The handle of the shop that sells it. */
  handle: string
  /** The id of the address where it is bought. */
  checkoutId: string
  accountId: string
  acceptedAssets: string[]
}

export const listingQueries = (sql: Sql) => ({
  /** Saved payment links that have a lander, and all of these folded words in their texts or in their seller's name. */
  market: (words: readonly string[], { limit, offset }: ListPage): Promise<MarketRow[]> => sql<MarketRow[]>`
    select c.number, c.slug, c.title, c.description, c.price::text, c.currency, m.brand_name as merchant, s.handle,
      c.account_id as "accountId", c.asset
    from (select * from landers where not deleted order by made_at desc limit ${LOOKED_THROUGH_MAX}) l
    join checkouts c on c.number = l.checkout_id and c.account_id = l.account_id and not c.deleted and not c.test and c.listed
    join merchants m on m.account_id = c.account_id and m.listed and not m.suspended
    join shops s on s.account_id = c.account_id and s.store_id = c.store_id and s.open
    where ${hasAll(sql, sql`(c.search_text || ' ' || m.search_name)`, words)}
    order by l.made_at desc, c.number limit ${limit} offset ${offset}`,

  /** Resources that are listed, of shops that are open and of sellers that are listed and not suspended. */
  services: ({ limit, offset }: ListPage): Promise<ServiceRow[]> => sql<ServiceRow[]>`
    select r.res_id as "resId", ${titleOf(sql)} as title, r.account_id as "accountId", r.accepted_assets as "acceptedAssets", r.amount::text as price, r.currency, m.brand_name as merchant, s.handle, r.checkout_id as "checkoutId"
    from (select * from resources where not disabled and not test and listed order by created_at desc limit ${LOOKED_THROUGH_MAX}) r
    join merchants m on m.account_id = r.account_id and m.listed and not m.suspended
    join shops s on s.account_id = r.account_id and s.store_id = r.store_id and s.open
    order by r.created_at desc, r.res_id limit ${limit} offset ${offset}`,
})
