import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { foldedText } from '../../domain/kernel/search-words.ts'
import type { CheckoutFacts } from '../../domain/selling/checkout.ts'
import { isResourceId } from '../../domain/selling/resource.ts'
import { type ListNarrowing, narrowedBy } from '../engine/narrowed.ts'
import { ofStores } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Saved payment links, as their sellers list them (R-23). */

const checkouts = {
  name: 'checkouts',
  columns: {
    number: 'text',
    account_id: 'text',
    store_id: 'integer',
    slug: 'text',
    title: 'text',
    description: 'text',
    price: 'numeric',
    currency: 'text',
    asset: 'text',
    version: 'integer',
    deleted: 'boolean',
    test: 'boolean',
    listed: 'boolean',
    /** Pieces that are there; null where nobody counts them. */
    stock: 'integer',
    created_at: 'text',
    changed_at: 'text',
    pictures: 'json',
    /** The product that it is a variant of, by the name of its links; null for one that is sold in one form. */
    product: 'text',
    position: 'integer',
    options: 'json',
    vendor: 'text',
    tags: 'json',
    sku: 'text',
    /** Title, description, vendor, tags, options and number as they are searched. */
    search_text: 'text',
  },
  key: ['number'],
  indexes: ['account_id, deleted, created_at desc', 'deleted, created_at desc', 'account_id, product'],
} as const satisfies Table

export const checkoutsProjection: Projection = {
  name: 'checkouts',
  version: 5,
  tables: [checkouts],
  on: {
    CheckoutCreated: ({ stream, data }) =>
      put(checkouts, {
        ...facts(data),
        number: idOf(stream),
        account_id: data.accountId,
        slug: data.slug,
        version: 1,
        stock: null,
        deleted: false,
        test: data.test === true,
        created_at: data.createdAt,
        changed_at: data.createdAt,
      }),
    CheckoutChanged: ({ stream, data }) =>
      patch(checkouts, [idOf(stream)], () => ({
        ...facts(data),
        version: data.version,
        changed_at: data.changedAt,
      })),
    CheckoutDeleted: ({ stream }) => patch(checkouts, [idOf(stream)], () => ({ deleted: true })),
    StockChanged: ({ stream, data: { count } }) => counted(idOf(stream), count),
    PiecesSold: ({ stream, data: { count } }) => counted(idOf(stream), count),
    PiecesRestored: ({ stream, data: { count } }) => counted(idOf(stream), count),
  },
}

/** The stock of a product is in a stream of its own, under the id of the product. */
const counted = (productId: string, stock: number | null) =>
  isResourceId(productId) ? [] : patch(checkouts, [productId], () => ({ stock }))

/** What a product is found by beside its title and description, where it has that. */
const findable = (vendor: string, tags: readonly string[], sku: string, variant: CheckoutFacts['variant']) =>
  [vendor, ...tags, sku, ...(variant?.options ?? []).map(({ value }) => value)].filter((text) => text !== '')

const facts = ({ pictures = [], variant, vendor = '', tags = [], sku = '', ...data }: CheckoutFacts) => ({
  title: data.title,
  description: data.description,
  price: data.price,
  currency: data.currency,
  asset: data.asset,
  store_id: data.storeId,
  listed: data.listed ?? true,
  pictures,
  product: variant?.product ?? null,
  position: variant?.position ?? null,
  options: variant?.options ?? [],
  vendor,
  tags,
  sku,
  search_text: foldedText([`${data.title} ${data.description}`, ...findable(vendor, tags, sku, variant)].join(' ')),
})

export type CheckoutRow = CheckoutFacts & {
  number: string
  accountId: string
  slug: string
  version: number
  test: boolean
  /** Pieces that are there; null where nobody counts them. */
  stock: number | null
  createdAt: string
  changedAt: string
}

/** `listed`: only those that stand in the public lists, or only the others; `firsts`: of each product one variant. */
type CheckoutScope = {
  readonly stores?: readonly number[] | undefined
  readonly test?: boolean
  readonly listed?: boolean | undefined
  readonly firsts?: true
}

export const checkoutQueries = (sql: Sql) => {
  const columns = sql`
    number, account_id as "accountId", store_id as "storeId", slug, title, description, price::text, currency, asset, version, test, listed, stock,
    pictures, vendor, tags, sku, case when product is null then null
      else json_build_object('product', product, 'position', position, 'options', options) end as variant,
    created_at as "createdAt", changed_at as "changedAt"`
  /**
   * The condition for checkouts of an account, or of some of its stores, that are not deleted: the tests or the live
   * ones, or both where `test` does not say.
   */
  const theirs = (accountId: string, { stores, test, listed, firsts }: CheckoutScope) => sql`
    account_id = ${accountId} and not deleted and ${ofStores(sql, stores)}
    and (test = ${test ?? false} or ${test === undefined}::boolean) and (listed = ${listed ?? true} or ${listed === undefined}::boolean)
    and ${firsts ? sql`(product is null or position = 1)` : sql`true`}`
  return {
    /** The saved payment links of an account, newest first. */
    checkouts: (
      accountId: string,
      { words, before, ...scope }: CheckoutScope & ListNarrowing,
      limit: number,
      offset = 0,
    ): Promise<CheckoutRow[]> => sql<CheckoutRow[]>`
      select ${columns} from checkouts where ${theirs(accountId, scope)}
        and ${narrowedBy(sql, { table: 'checkouts', key: 'number', accountId }, { ...(words && { words }), before })}
      order by created_at desc, number limit ${limit} offset ${offset}`,
    /** The variants of these products of one store, by their positions. */
    variantsOf: (
      accountId: string,
      { storeId, test }: { readonly storeId: number; readonly test: boolean },
      products: readonly string[],
    ): Promise<CheckoutRow[]> =>
      products.length === 0
        ? Promise.resolve([])
        : sql<CheckoutRow[]>`
            select ${columns} from checkouts where ${theirs(accountId, { stores: [storeId], test })}
              and product in ${sql(products)} order by product, position, number`,
    async checkout(accountId: string, scope: CheckoutScope, number: string): Promise<CheckoutRow | undefined> {
      const [row] = await sql<CheckoutRow[]>`
        select ${columns} from checkouts where ${theirs(accountId, scope)} and number = ${number}`
      return row
    },
    async checkoutCount(accountId: string, test: boolean): Promise<number> {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::integer as count from checkouts where ${theirs(accountId, { test })}`
      return row?.count ?? 0
    },
  }
}
