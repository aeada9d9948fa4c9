import type { Sql } from 'postgres'

/** What anybody may find of all that is sold here (J-CAT-01, J-CAT-02, N-30). Newest first. */

/** Resources that one list looks through, the newest ones: most are listed, so that a page is full long before. */
const LOOKED_THROUGH_MAX = 5_000

export type ServiceRow = {
  resId: string
  /** Millionths of the currency. */
  price: string
  currency: string
  merchant: string
  /** Of the shop that sells it. */
  handle: string
  /** Where it is bought. */
  checkoutId: string
}

export const listingQueries = (sql: Sql) => ({
  /** Of shops that are open and sellers that are known. */
  services: (limit: number): Promise<ServiceRow[]> => sql<ServiceRow[]>`
    select r.res_id as "resId", r.amount::text as price, r.currency, m.brand_name as merchant, s.handle, r.checkout_id as "checkoutId"
    from (select * from resources where not disabled and not test order by created_at desc limit ${LOOKED_THROUGH_MAX}) r
    join merchants m on m.account_id = r.account_id and m.listed
    join shops s on s.account_id = r.account_id and s.store_id = r.store_id and s.open
    order by r.created_at desc, r.res_id limit ${limit}`,
})
