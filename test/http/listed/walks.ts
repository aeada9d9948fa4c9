/** How each list that grows is walked from its first row to its last, and what it promises of their order. */
import type { TestApp } from '../../support/app.ts'
import { consoleCall, said } from '../../support/console.ts'
import { ok } from '../../support/seller.ts'
import * as rows from './fill.ts'

// biome-ignore lint/suspicious/noExplicitAny: a row is whatever the service said.
type Row = any
export type Page = { readonly rows: readonly Row[]; readonly next: string | undefined }
export type Ask = { readonly size: number; readonly place: string | undefined; readonly test: boolean }
export type Seller = { readonly key: string; readonly accountId: string; readonly token: string }

export type Walk = {
  /** `first`: what was made before. */
  readonly fill: (first: string) => rows.Filler
  /** Makes what the rows belong to; answers its id. */
  readonly before?: rows.Filler
  page(app: TestApp, seller: Seller, ask: Ask, first: string): Promise<Page>
  id(row: Row): string
  /** What rows are sorted by, where that is told; `up` where it rises. */
  readonly by?: { key(row: Row): string | number; up?: true }
  /** Whether the list has live and test records, which it then shows apart. */
  readonly both?: true
  /** Whether other rows than those that were filled in are in the list, too. */
  readonly others?: true
  /** The most rows that a page of it can have; 500 unless told. */
  readonly most?: number
}

const fields = (ask: Ask, both: boolean | undefined) => ({
  limit: String(ask.size),
  ...(both && ask.test && { is_test: '1' }),
})

/** A list by `limit` and `offset`: the page is the last one when it is not full. */
const byOffset =
  (
    path: string,
    field: string,
    both?: true,
    more: (first: string) => Record<string, string> = () => ({}),
  ): Walk['page'] =>
  async (app, { key }, ask, first) => {
    const offset = Number(ask.place ?? 0)
    const query = new URLSearchParams({ ...fields(ask, both), offset: String(offset), ...more(first) })
    const found = (await ok(app.call('GET', `${path}?${query}`, { key }))).json[field]
    return { rows: found, next: found.length < ask.size ? undefined : String(offset + found.length) }
  }

const byConsole =
  (name: string, field: string, both?: true): Walk['page'] =>
  async (app, { key }, ask) => {
    const offset = Number(ask.place ?? 0)
    const found = (await said(consoleCall(app, key, name, { ...fields(ask, both), offset: String(offset) })))[field]
    return { rows: found, next: found.length < ask.size ? undefined : String(offset + found.length) }
  }

/** A list whose answer says where the next page begins. */
const byPlace =
  (
    path: string,
    field: string,
    asked: string,
    told: string,
    more: (seller: Seller) => Record<string, string>,
  ): Walk['page'] =>
  async (app, seller, ask) => {
    const query = new URLSearchParams({
      ...more(seller),
      limit: String(ask.size),
      ...(ask.place !== undefined && { [asked]: ask.place }),
      ...(ask.test && { is_test: '1' }),
    })
    const { json } = await ok(app.call('GET', `${path}?${query}`, { key: seller.key }))
    return { rows: json[field], next: json[told] ?? undefined }
  }

/** A file is whole. */
const csv = (text: string): Page => ({
  rows: text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => ({ id: line.split(',')[0] })),
  next: undefined,
})

const transactions = {
  fill: () => rows.transaction,
  id: ({ id }: Row) => id,
  by: { key: ({ creation_time: at }: Row) => at },
  both: true,
} as const
const files = { ...transactions, by: { key: () => '', up: true as const } }

export const walks: Readonly<Record<string, Walk>> = {
  'get /v1/transactions': { ...transactions, page: byOffset('/v1/transactions', 'transactions', true) },
  'post /api.php function=get-transactions': {
    ...transactions,
    page: byConsole('get-transactions', 'transactions', true),
  },
  'get /v1/transactions download=1': {
    ...files,
    page: async (app, { key }, { test }) =>
      csv((await ok(app.call('GET', `/v1/transactions?download=1${test ? '&is_test=1' : ''}`, { key }))).text),
  },
  'post /api.php function=download-transactions': {
    ...files,
    page: async (app, { key }, { test }) =>
      csv((await ok(consoleCall(app, key, 'download-transactions', test ? { is_test: '1' } : {}))).text),
  },
  'get /v1/settlements': {
    fill: () => rows.settlement,
    page: byOffset('/v1/settlements', 'settlements', true),
    id: ({ test, transfer, challenge_id }) => (test ? challenge_id : transfer),
    by: { key: ({ at }) => at },
    both: true,
  },
  'get /v1/unmatched': {
    fill: () => rows.settlement,
    page: byPlace('/v1/unmatched', 'unmatched', 'before', 'next', () => ({})),
    id: ({ transfer }) => transfer,
    by: { key: ({ at }) => at },
  },
  'get /v1/resources': {
    fill: () => rows.resource,
    page: byOffset('/v1/resources', 'resources', true),
    id: ({ res_id }) => res_id,
    both: true,
  },
  'get /v1/resources res_id=true callers=1': {
    before: rows.resource,
    fill: rows.caller,
    page: byOffset('/v1/resources', 'callers', undefined, (res_id) => ({ res_id, callers: '1' })),
    id: ({ caller }) => caller,
  },
  'get /v1/payment-requests': {
    fill: () => rows.paymentRequest,
    page: byOffset('/v1/payment-requests', 'payment_requests', true),
    id: ({ encrypted_id }) => encrypted_id,
    by: { key: ({ created_at }) => created_at },
    both: true,
  },
  'get /v1/payout-info': {
    fill: () => rows.payout,
    page: byOffset('/v1/payout-info', 'requests'),
    id: ({ transaction_id }) => transaction_id,
    by: { key: ({ created_at }) => created_at },
  },
  'get /v1/checkouts': {
    fill: () => rows.checkout,
    page: byOffset('/v1/checkouts', 'checkouts', true),
    id: ({ id }) => String(id),
    both: true,
  },
  'post /api.php function=get-checkouts': {
    fill: () => rows.checkout,
    page: byConsole('get-checkouts', 'checkouts', true),
    id: ({ id }) => String(id),
    both: true,
  },
  'get /v1/landers offers=1': {
    before: rows.checkout,
    fill: rows.offer,
    page: byOffset('/v1/landers', 'offers', undefined, () => ({ offers: '1' })),
    id: ({ id }) => String(id),
  },
  'get /v1/orders': {
    fill: () => rows.order,
    page: byPlace('/v1/orders', 'orders', 'cursor', 'cursor', () => ({})),
    id: ({ id }) => id,
    by: { key: ({ placed_at }) => placed_at },
    both: true,
    most: 100,
  },
  'get /v1/sandbox-keys': {
    fill: () => rows.sandboxKey,
    page: byOffset('/v1/sandbox-keys', 'keys'),
    id: ({ id }) => String(id),
    by: { key: ({ status, id }) => (status === 'active' ? 1e9 : 0) + id },
  },
  'get /v1/webhook/deliveries': {
    fill: () => rows.delivery,
    page: byPlace('/v1/webhook/deliveries', 'deliveries', 'before', 'next', () => ({})),
    id: ({ event_id }) => event_id,
    by: { key: ({ scheduled_at }) => scheduled_at },
  },
  'get /v1/audit/events': {
    fill: () => rows.resource,
    page: byPlace('/v1/audit/events', 'events', 'before', 'next', () => ({ type: 'ResourceCreated' })),
    id: ({ stream }) => String(stream).replace(/^resource-/, ''),
    by: { key: ({ position }) => Number(position) },
  },
  'get /v1/audit/books/statement': {
    fill: () => rows.booking,
    page: byPlace('/v1/audit/books/statement', 'lines', 'after', 'next', ({ accountId }) => ({
      account: `seller:${accountId}:credit`,
      asset: 'USD',
    })),
    id: ({ amount }) => String(amount),
    by: { key: ({ position }) => Number(position), up: true },
  },
  'get /v1/reports/reconcile': {
    fill: () => rows.settlement,
    page: byPlace('/v1/reports/reconcile', 'lines', 'cursor', 'cursor', () => ({ chain: 'no' })),
    id: ({ test, transfer, challenge_id }) => (test ? challenge_id : transfer),
    by: { key: ({ at }) => at, up: true },
    both: true,
  },
  'post /catalog/search': {
    fill: () => rows.checkout,
    page: async (app, { token }, { size, place }) => {
      const pagination = { limit: Math.min(size, CATALOG_PAGE_MAX), ...(place !== undefined && { cursor: place }) }
      const { json } = await ok(app.call('POST', `/catalog/search?cloud=${token}`, { body: { pagination } }))
      return { rows: json.products, next: json.pagination.cursor ?? undefined }
    },
    id: ({ id }) => String(id).replace(/^thing-\d+-/, ''),
  },
}

const CATALOG_PAGE_MAX = 25
