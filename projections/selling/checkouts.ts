import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { foldedText } from '../../domain/kernel/search-words.ts'
import type { CheckoutFacts } from '../../domain/selling/checkout.ts'
import { isResourceId } from '../../domain/selling/resource.ts'
import { ofStores } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Saved payment links, as their sellers list them. */

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
    /** Title and description as they are searched. */
    search_text: 'text',
  },
  key: ['number'],
  indexes: ['account_id, deleted, created_at desc', 'deleted, created_at desc'],
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

const facts = ({ title, price, currency, asset, description, storeId, listed = true }: CheckoutFacts) => ({
  title,
  description,
  price,
  currency,
  asset,
  store_id: storeId,
  listed,
  search_text: foldedText(`${title} ${description}`),
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

/** `listed`: only those that stand in the public lists. */
type CheckoutScope = {
  readonly stores?: readonly number[] | undefined
  readonly test?: boolean
  readonly listed?: boolean
}

export const checkoutQueries = (sql: Sql) => {
  const columns = sql`
    number, account_id as "accountId", store_id as "storeId", slug, title, description, price::text, currency, asset, version, test, listed, stock,
    created_at as "createdAt", changed_at as "changedAt"`
  /**
   * The condition for checkouts of an account, or of some of its stores, that are not deleted: the tests or the live
   * ones, or both where `test` does not say.
   */
  const theirs = (accountId: string, { stores, test, listed = false }: CheckoutScope) => sql`
    account_id = ${accountId} and not deleted and ${ofStores(sql, stores)}
    and (test = ${test ?? false} or ${test === undefined}::boolean) and (listed or not ${listed}::boolean)`
  return {
    /** The saved payment links of an account, newest first. */
    checkouts: (accountId: string, scope: CheckoutScope, limit: number, offset = 0): Promise<CheckoutRow[]> =>
      sql<CheckoutRow[]>`
        select ${columns} from checkouts where ${theirs(accountId, scope)}
        order by created_at desc, number limit ${limit} offset ${offset}`,
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
