import test from 'ava'
import { z } from 'zod'
import type { Endpoint } from '../../../adapters/http/core/endpoint.ts'
import { surfaces } from '../../../src/runtime/openapi.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, consoleOk, consoleRefusal, type Fields } from '../../support/console.ts'
import { sell, shop, transactionOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'

/** Every filter that a list declares narrows it, under each of its names. */

let app: TestApp
let key: string
/** A resource that was sold for ether today, and an invoice of the second store that is older and waits. */
let sold: string
let asked: string

test.before(async () => {
  app = await startApp()
  const s = await shop(app)
  key = s.key
  const { offer } = await sell(app, s)
  sold = (await transactionOf(app, key, offer.challengeId, 'C')).id ?? ''
  const { storeId } = await addStore(app, key)
  const made = await consoleOk(app, key, 'create-transaction', {
    amount: '5',
    currency_code: 'USD',
    external_reference: 'Needle-7',
    store_id: String(storeId),
  })
  asked = made.transaction_id
  const values = JSON.stringify({ creation_time: '2020-05-05 12:00:00' })
  await consoleOk(app, key, 'update-transaction', { transaction_id: asked, values })
})
test.after.always(() => app?.stop())

/** For each filter, values by which one of the two transactions is left, and which one that is. */
const narrowing = (): Readonly<Record<string, readonly (readonly [value: string, left: string])[]>> => ({
  transaction_id: [
    [sold, sold],
    [asked, asked],
  ],
  type: [
    ['resource', sold],
    ['payment-request', asked],
  ],
  status: [
    ['C', sold],
    ['P', asked],
  ],
  asset: [
    ['eth', sold],
    ['ETH', sold],
  ],
  cryptocurrency: [['Eth', sold]],
  cryptocurrency_code: [['ETH', sold]],
  store_id: [
    ['1', sold],
    ['2', asked],
  ],
  from: [['2021-01-01', sold]],
  date_from: [
    ['2021-01-01', sold],
    ['2020-05-05 12:00:01', sold],
  ],
  to: [['2021-01-01', asked]],
  date_to: [
    ['2020-05-05', asked],
    ['2020-05-05 12:00:00', asked],
  ],
  amount_from: [
    ['5.000001', sold],
    ['100', sold],
  ],
  amount_to: [
    ['5', asked],
    ['99.999999', asked],
  ],
  before: [[asked, sold]],
  search: [['needle', asked]],
  q: [['NEEDLE', asked]],
  limit: [['1', asked]],
  offset: [['1', sold]],
})

/** Names of an operation that are no filters: they pick it, or another list altogether, which is empty here. */
const PICKS = ['download', 'function', 'is_test']

const filtersOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape).filter((name) => !PICKS.includes(name)) : []

const endpointOf = (pick: (e: Endpoint) => boolean): Endpoint => {
  const found = surfaces()
    .flatMap(({ endpoints }) => endpoints)
    .find(pick)
  if (!found) throw new Error('there is no such list')
  return found
}

const idsIn = (rows: readonly Fields[]) => rows.map(({ id }) => id)

/** The ids in a CSV, whose first column they are. */
const csvIds = (text: string) =>
  text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0])

const LISTS = {
  'GET /v1/transactions': {
    declared: () => endpointOf((e) => e.path === '/v1/transactions' && e.method === 'get' && !e.when).query,
    ids: async (filter: Fields) => {
      const { json } = await ok(app.call('GET', `/v1/transactions?${new URLSearchParams(filter)}`, { key }))
      return idsIn(json.transaction ? [json.transaction] : json.transactions)
    },
  },
  'GET /v1/transactions?download=1': {
    declared: () => endpointOf((e) => e.path === '/v1/transactions' && e.when?.download === '1').query,
    ids: async (filter: Fields) => {
      const search = new URLSearchParams({ ...filter, download: '1' })
      return csvIds((await ok(app.call('GET', `/v1/transactions?${search}`, { key }))).text)
    },
  },
  'get-transactions': {
    declared: () => endpointOf((e) => e.when?.function === 'get-transactions').body,
    ids: async (filter: Fields) => idsIn((await consoleOk(app, key, 'get-transactions', filter)).transactions),
  },
  'download-transactions': {
    declared: () => endpointOf((e) => e.when?.function === 'download-transactions').body,
    ids: async (filter: Fields) => csvIds((await ok(consoleCall(app, key, 'download-transactions', filter))).text),
  },
} as const

for (const [name, { declared, ids }] of Object.entries(LISTS))
  test(`J-TXN-02 M-TXN-06 N-36 each filter that ${name} declares narrows it`, async (t) => {
    t.deepEqual((await ids({})).toSorted(), [sold, asked].sort())
    const names = filtersOf(declared())
    t.true(names.length >= 13)
    for (const filter of names) {
      const values = narrowing()[filter] ?? []
      t.true(values.length > 0, `${filter} is in the table`)
      for (const [value, left] of values) t.deepEqual(await ids({ [filter]: value }), [left], `${filter}=${value}`)
    }
    t.deepEqual(await ids({ search: 'needle', status: 'C' }), [], 'all that are given must hold')
    t.deepEqual(await ids({ is_test: '1' }), [], 'neither of them is a test')
    t.is((await ids({ is_test: '0' })).length, 2)
  })

test('N-36 a page that goes on after a transaction which nobody knows is refused', async (t) => {
  for (const before of ['1', 'newest']) {
    const { status, text } = await app.call('GET', `/v1/transactions?before=${before}`, { key })
    t.is(status, 400, before)
    t.regex(text, /before: /)
  }
})

test('N-36 names of a filter that mean the same and differ are refused', async (t) => {
  for (const [one, other] of [
    ['search', 'q'],
    ['asset', 'cryptocurrency'],
    ['from', 'date_from'],
    ['to', 'date_to'],
  ] as const) {
    const [a, b] = /from|to/.test(one) ? ['2021-01-01', '2022-01-01'] : ['eth', 'sol']
    const search = new URLSearchParams({ [one]: a, [other]: b })
    t.is((await app.call('GET', `/v1/transactions?${search}`, { key })).json.error_code, 'svc_invalid_request', one)
    t.is(await consoleRefusal(app, key, 'get-transactions', { [one]: a, [other]: b }), '400 svc_invalid_request')
    t.is(
      (await app.call('GET', `/v1/transactions?${new URLSearchParams({ [one]: a, [other]: a })}`, { key })).status,
      200,
    )
  }
  for (const time of ['2020-13-05 12:00:00', '2020-05-05 25:00:00', '05.05.2020'])
    t.is(await consoleRefusal(app, key, 'get-transactions', { date_from: time }), '400 svc_invalid_request', time)
})
