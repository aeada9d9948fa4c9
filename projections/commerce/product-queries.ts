import type { Fragment, Sql } from 'postgres'
import { hasAll } from '../engine/narrowed.ts'

/**
 * What a store sells, as the catalog lists it: its saved payment links and its priced resources, newest first (C-CAT-01
 * to C-CAT-03, R-23).
 */

/** Things of each kind that a search looks through, the newest ones; whatever is older is still found by its id. */
const LOOKED_THROUGH_MAX = 10_000

export type ProductKind = 'checkout' | 'resource'

export type ProductRow = {
  /** The slug of a saved payment link, or the id of a resource. */
  id: string
  kind: ProductKind
  title: string
  description: string
  /** The price, in millionths of the currency. */
  price: string
  currency: string
  /** The id of the address where a resource is bought; null for a saved payment link. */
  checkoutId: string | null
  createdAt: string
  /** Pieces that are there; null where nobody counts them. */
  stock: number | null
}

/** A place in the list, which stays where it is while things are added before it. */
export type ProductPlace = Pick<ProductRow, 'createdAt' | 'id'>

type Shop = { readonly accountId: string; readonly storeId: number }

export type ProductSearch = Shop & {
  /** The words to search for, folded; all of them have to be found. */
  readonly words: readonly string[]
  readonly kinds: readonly ProductKind[]
  /**
   * The prices to search for in each currency, in millionths: from `least` on and less than `below`. Things in other
   * currencies are left out.
   */
  readonly prices: readonly {
    readonly currency: string
    readonly least: bigint
    readonly below: bigint | undefined
  }[]
  readonly limit: number
  /** The place after which the page begins, or the number of things before it. */
  readonly after: ProductPlace | number
}

export type ProductPage = {
  readonly rows: ProductRow[]
  /** Number of things that are found in all. */
  readonly total: number
  /** Number of those that come before this page. */
  readonly offset: number
}

type PageCounts = { total: number; left: number }

export const productQueries = (sql: Sql) => ({
  async searchProducts({ words, kinds, prices, limit, after, ...shop }: ProductSearch): Promise<ProductPage> {
    const skipped = typeof after === 'number' ? after : 0
    const beyond = typeof after === 'number' ? sql`true` : sql`("createdAt", id) < (${after.createdAt}, ${after.id})`
    const rows = await sql<(PageCounts & { [K in keyof ProductRow]: ProductRow[K] | null })[]>`
      with sold as (${sold(sql, shop)}),
      found as (
        select s.* from sold s join unnest(
          ${textArray(prices.map(({ currency }) => currency))}::text[], ${textArray(prices.map(({ least }) => String(least)))}::numeric[],
          ${textArray(prices.map(({ below }) => below?.toString() ?? null))}::numeric[]
        ) as given (currency, least, below) using (currency)
        where s.kind in ${sql(kinds.length > 0 ? kinds : [''])} and s.price >= given.least and (given.below is null or s.price < given.below)
          and ${hasAll(sql, sql`s.search_text`, words)}
      ),
      counted as (select count(*)::int as total, (count(*) filter (where ${beyond}))::int as left from found),
      page as (select * from found where ${beyond} order by "createdAt" desc, id desc limit ${limit} offset ${skipped})
      select counted.total, counted.left, id, kind, title, description, price::text, currency, "checkoutId", "createdAt", stock
      from counted left join page on true order by "createdAt" desc, id desc`
    const { total, left } = rows[0] ?? { total: 0, left: 0 }
    return { rows: rows.filter(isProduct), total, offset: typeof after === 'number' ? after : total - left }
  },

  /** The currencies that things are priced in here. */
  async currenciesSold(shop: Shop): Promise<string[]> {
    const rows = await sql<{ currency: string }[]>`
      with sold as (${sold(sql, shop)}) select distinct currency from sold`
    return rows.map(({ currency }) => currency)
  },

  /** The things of these ids that are sold here. */
  productsNamed: ({ accountId, storeId }: Shop, ids: readonly string[]): Promise<ProductRow[]> => sql<ProductRow[]>`
    select slug as id, 'checkout' as kind, title, description, price::text, currency, null as "checkoutId", created_at as "createdAt", stock
    from checkouts where account_id = ${accountId} and store_id = ${storeId} and not deleted and not test and slug = any (${textArray(ids)}::text[])
    union all
    select res_id, 'resource', ${titleOf(sql)}, '', amount::text, currency, checkout_id, created_at, stock
    from resources where res_id = any (${textArray(ids)}::text[]) and account_id = ${accountId} and store_id = ${storeId}
      and not disabled and not test`,
})

/** The title of a resource, or a name after its id where its seller gave it none. */
export const titleOf = (sql: Sql): Fragment => sql`case when title = '' then 'Resource ' || res_id else title end`

/**
 * Everything that a store sells and lists, each variant with the first of its product. Ids and times are compared by
 * their bytes, so that a place is before or after another in every database alike.
 */
const sold = (sql: Sql, { accountId, storeId }: Shop): Fragment => sql`
  select slug collate "C" as id, 'checkout' as kind, title, description, price, currency, null as "checkoutId",
    created_at collate "C" as "createdAt", search_text, stock
  from (select * from checkouts c where account_id = ${accountId} and store_id = ${storeId} and not deleted and not test and listed
      and (product is null or position = 1 or exists (select from checkouts f where f.account_id = c.account_id
        and f.store_id = c.store_id and f.product = c.product and f.position = 1 and not f.deleted))
    order by created_at desc limit ${LOOKED_THROUGH_MAX}) c
  union all
  select res_id collate "C", 'resource', ${titleOf(sql)}, '', amount, currency, checkout_id, created_at collate "C",
    lower(${titleOf(sql)} || ' ' || res_id), stock
  from (select * from resources where account_id = ${accountId} and store_id = ${storeId} and not disabled and not test and listed
    order by created_at desc limit ${LOOKED_THROUGH_MAX}) r`

/** An array as one parameter. */
const textArray = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : `"${value.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`

const isProduct = (
  row: PageCounts & { [K in keyof ProductRow]: ProductRow[K] | null },
): row is PageCounts & ProductRow => row.id !== null
