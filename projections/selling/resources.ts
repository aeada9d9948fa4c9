import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { DEFAULT_STORE } from '../../domain/kernel/in-store.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { foldedText } from '../../domain/kernel/search-words.ts'
import { isResourceId } from '../../domain/selling/resource.ts'
import { type ListNarrowing, narrowedBy } from '../engine/narrowed.ts'
import { ofStores } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Priced resources, each with whether it was ever sold. */

const resources = {
  name: 'resources',
  columns: {
    res_id: 'text',
    account_id: 'text',
    store_id: 'integer',
    amount: 'numeric',
    currency: 'text',
    accepted_assets: 'json',
    webhook_url: 'text',
    max_per_caller: 'json',
    test: 'boolean',
    test_confirmations: 'integer',
    checkout_id: 'text',
    settled: 'boolean',
    disabled: 'boolean',
    title: 'text',
    listed: 'boolean',
    /** Pieces that are there; null where nobody counts them. */
    stock: 'integer',
    /** When it was last sold. */
    settled_at: 'text',
    created_at: 'text',
    /** Title and id as they are searched. */
    search_text: 'text',
  },
  key: ['res_id'],
  indexes: ['account_id, created_at', 'checkout_id', 'disabled, test, listed, created_at desc'],
} as const satisfies Table

export const resourcesProjection: Projection = {
  name: 'resources',
  version: 6,
  tables: [resources],
  on: {
    ResourceCreated: ({ stream, at, data }) =>
      put(resources, {
        res_id: idOf(stream),
        account_id: data.accountId,
        store_id: data.storeId ?? DEFAULT_STORE,
        amount: data.amount,
        currency: data.currency,
        accepted_assets: data.acceptedAssets,
        webhook_url: data.webhookUrl,
        max_per_caller: data.maxPerCaller,
        test: data.test,
        test_confirmations: data.testConfirmations,
        checkout_id: data.checkoutId,
        settled: false,
        disabled: false,
        title: data.title ?? '',
        listed: data.listed ?? false,
        stock: null,
        settled_at: null,
        created_at: at,
        search_text: searchText(data.title ?? '', idOf(stream)),
      }),
    SpendCapSet: ({ stream, data }) => patch(resources, [idOf(stream)], () => ({ max_per_caller: data.maxPerCaller })),
    SpendCapCleared: ({ stream }) => patch(resources, [idOf(stream)], () => ({ max_per_caller: null })),
    ResourceDescribed: ({ stream, data: { title, listed } }) =>
      patch(resources, [idOf(stream)], () => ({
        title,
        listed,
        search_text: searchText(title, idOf(stream)),
      })),
    ResourceDisabled: ({ stream }) => patch(resources, [idOf(stream)], () => ({ disabled: true })),
    StockChanged: ({ stream, data: { count } }) => counted(idOf(stream), count),
    PiecesSold: ({ stream, data: { count } }) => counted(idOf(stream), count),
    PiecesRestored: ({ stream, data: { count } }) => counted(idOf(stream), count),
    ChallengeSettled: ({ data: { resId, settledAt } }) => sold(resId, settledAt),
    CardPaymentSettled: ({ data: { resId, settledAt } }) => sold(resId, settledAt),
  },
}

/** The stock of a product is in a stream of its own, under the id of the product. */
const counted = (productId: string, stock: number | null) =>
  isResourceId(productId) ? patch(resources, [productId], () => ({ stock })) : []
const searchText = (title: string, resId: string): string => foldedText(`${title} ${resId}`)

const sold = (resId: string | null, settledAt: string) =>
  resId === null ? [] : patch(resources, [resId], () => ({ settled: true, settled_at: settledAt }))

/** What a sale says of what is sold; the id is null where that is no resource. */
type Sale = { readonly data: { readonly resId: string | null; readonly settledAt: string } }

/** A sale; undefined for any other event. It takes no union of events, whose every member would be compared. */
export const saleOf = (event: { readonly type: string; readonly data: unknown }): Sale | undefined =>
  event.type === 'ChallengeSettled' || event.type === 'CardPaymentSettled' ? (event as Sale) : undefined

/** What a sale makes of the row of what is sold, as `sold` has it; undefined for an event that is no sale. */
export const resourceAfter = (event: RecordedEvent): ((row: ResourceRow) => ResourceRow) | undefined => {
  const sale = saleOf(event)
  if (!sale) return undefined
  const { settledAt } = sale.data
  return (row) => ({ ...row, settled: true, settledAt })
}

export type ResourceRow = {
  resId: string
  accountId: string
  storeId: number
  /** The price, in millionths of the currency. */
  amount: string
  currency: string
  acceptedAssets: string[]
  webhookUrl: string | null
  maxPerCaller: { amount: string; windowHours: number } | null
  test: boolean
  testConfirmations: number
  checkoutId: string
  settled: boolean
  /** When it was last sold; null before. */
  settledAt: string | null
  title: string
  /** Whether it is in the public lists. */
  listed: boolean
  /** Pieces that are there; null where nobody counts them. */
  stock: number | null
  createdAt: string
}

export const resourceQueries = (sql: Sql) => {
  const columns = sql`
    res_id as "resId", account_id as "accountId", store_id as "storeId", amount::text, currency,
    accepted_assets as "acceptedAssets", webhook_url as "webhookUrl", max_per_caller as "maxPerCaller", test, test_confirmations as "testConfirmations",
    checkout_id as "checkoutId", settled, settled_at as "settledAt", title, listed, stock, created_at as "createdAt"`
  return {
    /**
     * The resources of an account, newest first: those for tests or live ones, as `test` says, and with `stores` only
     * those of these stores.
     */
    resources: (
      accountId: string,
      {
        test,
        stores,
        listed,
        ...narrowing
      }: ListNarrowing & { test: boolean; stores?: readonly number[] | undefined; listed?: boolean | undefined },
      limit: number,
      offset = 0,
    ): Promise<ResourceRow[]> => sql<ResourceRow[]>`
      select ${columns} from resources
      where account_id = ${accountId} and not disabled and test = ${test} and ${ofStores(sql, stores)}
        and (listed = ${listed ?? true} or ${listed === undefined}::boolean)
        and ${narrowedBy(sql, { table: 'resources', key: 'res_id', accountId }, narrowing)}
      order by created_at desc, res_id limit ${limit} offset ${offset}`,
    /** A resource by its id; a disabled one is not found (J-RES-12). */
    async resource(resId: string): Promise<ResourceRow | undefined> {
      const [row] = await sql<ResourceRow[]>`select ${columns} from resources where res_id = ${resId} and not disabled`
      return row
    },
    async resourceByCheckout(checkoutId: string): Promise<ResourceRow | undefined> {
      const [row] = await sql<ResourceRow[]>`
        select ${columns} from resources where checkout_id = ${checkoutId} and not disabled`
      return row
    },
  }
}
