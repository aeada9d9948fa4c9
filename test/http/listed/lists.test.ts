import test from 'ava'
import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, storeUrlOf, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { deepAfter } from '../../support/deep-test.ts'
import { cases, DEEP } from '../../support/depth.ts'
import { ledgerOn } from '../../support/ledger.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'
import { fixedWorld } from '../../support/world.ts'
import type { Filling } from './fill.ts'
import { listEndpoints, marksTests } from './list-endpoints.ts'
import { type Page, type Seller, type Walk, walks } from './walks.ts'
import { whole } from './whole.ts'

/**
 * Every list of every surface: each row is reached by paging, none twice, in the order that was promised, and live and
 * test records never meet. The lists are those of the declarations, so that a new one has to say how it is walked.
 */

/** More than ten rows show an order by text, and more than a page the ways from one to the next. */
const SIZES = DEEP ? [3, 12, 131, 1_001] : [12]
/** Lists that `npm test` walks with more rows than the largest page that they answer unasked. */
const LONG = new Set(cases(Object.keys(walks), 12))
/** Rows that are made at the same moment, so that an order by time alone would not tell them apart. */
const AT_ONCE = 4
const PAGES_MAX = 2_000
const PAGE_MAX = 500

let app: TestApp
let log: ReturnType<typeof eventStoreDb>
test.before(async () => {
  app = await startApp({ env: { KEY_RATE_PER_SECOND: '5000', KEY_RATE_BURST: '20000' } })
  log = eventStoreDb(storeUrlOf(app))
})
test.after.always(async () => {
  await log?.close()
  await app?.stop()
})

test('each list of the declarations is walked here, or has one reason for being answered whole', (t) => {
  const labels = listEndpoints.map(({ label }) => label)
  for (const label of labels) {
    const ways = [
      ...(walks[label] ? ['walk'] : []),
      ...whole.filter(([those]) => those.test(label)).map(([, why]) => why),
    ]
    t.is(ways.length, 1, `${label}: ${ways.join('; ')}`)
  }
  for (const label of Object.keys(walks)) t.true(labels.includes(label), `there is no list ${label}`)
  for (const [those, why] of whole)
    t.true(
      labels.some((label) => those.test(label)),
      why,
    )
})

test('Q-13 each list whose records say whether they are tests can be asked for those alone', (t) => {
  const unasked = new Set([
    'get /v1/transactions transaction_id=true webhook_log=1',
    // It looks on chains, where no test is.
    'post /api.php function=check-transactions',
  ])
  for (const each of listEndpoints.filter(marksTests).filter(({ label }) => !unasked.has(label))) {
    const { asks, sends } = each.e
    t.true('is_test' in { ...asks.properties, ...sends.properties }, each.label)
    t.true(walks[each.label]?.both, each.label)
  }
  for (const [label, { both }] of Object.entries(walks))
    if (both)
      t.true(marksTests(listEndpoints.find((each) => each.label === label) as (typeof listEndpoints)[number]), label)
})

const sellerFor = async (): Promise<Seller> => {
  const { key } = await signUp(app)
  const { json } = await ok(app.call('GET', '/v1/audit', { key }))
  const token = (await consoleOk(app, key, 'get-cloud-token')).cloud_token
  return { key, accountId: json.account_id, token }
}

/** All pages of a list, one after the other. */
const walked = async ({ page, id }: Walk, seller: Seller, ask: { size: number; test: boolean }, first: string) => {
  const rows: Page['rows'][number][] = []
  let place: string | undefined
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const one = await page(app, seller, { ...ask, place }, first)
    rows.push(...one.rows)
    if (one.next === undefined) return { rows, ids: rows.map(id) }
    place = one.next
  }
  throw new Error('the list has no end')
}

/** Whether the rows are what the log says: a row may be there before what changed its place in the order is. */
const isCaughtUp = async (): Promise<boolean> => (await app.call('GET', '/readyz')).json.checks.read_models === 'ok'

const filled = async (walk: Walk, to: Filling, first: string, from: number, until: number) => {
  const [live, tests]: [string[], string[]] = [[], []]
  for (let n = from; n < until; n += AT_ONCE) {
    const these = Array.from({ length: Math.min(AT_ONCE, until - n) }, (_, i) => n + i)
    live.push(...(await Promise.all(these.map((each) => walk.fill(first)(to, each, false)))))
    if (walk.both) tests.push(...(await Promise.all(these.map((each) => walk.fill(first)(to, each, true)))))
    to.world.step(1_000)
  }
  return { live, tests }
}

for (const [label, walk] of Object.entries(walks))
  test(`N-36 Q-13 ${label}: every row is reached, none twice, in order, and tests are apart`, async (t) => {
    const seller = await sellerFor()
    const world = fixedWorld(label)
    const to = { ledger: ledgerOn(log, world), world, accountId: seller.accountId }
    const first = walk.before ? await walk.before(to, 0, false) : ''
    const most = walk.most ?? PAGE_MAX
    const made: { live: string[]; tests: string[] } = { live: [], tests: [] }
    for (const size of LONG.has(label) && !DEEP ? [...SIZES, 131] : SIZES) {
      const { live, tests } = await filled(walk, to, first, made.live.length, size)
      made.live.push(...live)
      made.tests.push(...tests)
      for (const isTest of walk.both ? [false, true] : [false]) {
        const wanted = (isTest ? made.tests : made.live).toSorted()
        await eventually(`${size} rows of ${label}`, async () => {
          const { ids } = await walked(walk, seller, { size: most, test: isTest }, first)
          return ids.length >= wanted.length && (await isCaughtUp())
        })
        for (const page of [Math.min(most, Math.max(1, Math.floor(size / 3))), 50]) {
          const { rows, ids } = await walked(walk, seller, { size: page, test: isTest }, first)
          t.deepEqual(ids.toSorted(), wanted, `${size} rows by ${page}`)
          const keys = rows.map((row) => walk.by?.key(row) ?? '')
          const inOrder = keys.toSorted((a, b) => (a === b ? 0 : a < b === (walk.by?.up === true) ? -1 : 1))
          t.deepEqual(keys, inOrder, `the order of ${size} rows`)
        }
      }
    }
  })

test('Q-13 J-TXN-02 what a list counts is what it shows, and a sandbox key sees tests alone', async (t) => {
  const seller = await sellerFor()
  const world = fixedWorld('counts')
  const to = { ledger: ledgerOn(log, world), world, accountId: seller.accountId }
  const walk = walks['get /v1/transactions'] as Walk
  const { tests } = await filled(walk, to, '', 0, 5)
  await filled({ ...walk, fill: () => (at, n) => walk.fill('')(at, n, false) }, to, '', 5, 7)
  const { api_key: sandbox } = (
    await ok(app.call('POST', '/v1/sandbox-keys', { key: seller.key, body: { kind: 'secret' } }))
  ).json
  const total = async (key: string, query = '') =>
    (await ok(app.call('GET', `/v1/transactions${query}`, { key }))).json.pagination.total
  await eventually('the rows', async () => (await total(seller.key)) === 9)
  t.is(await total(seller.key, '?is_test=1'), 5)
  t.is(await total(seller.key, '?is_test=0&status=P'), 9)
  t.is(await total(sandbox), 5)
  t.is(await total(sandbox, '?is_test=1'), 5)
  const seen = await walked(walk, { ...seller, key: sandbox }, { size: 3, test: false }, '')
  t.true(tests.every((id) => seen.ids.includes(id)))
  t.true(seen.rows.every(({ is_test }) => is_test === '1'))
  for (const path of ['/v1/transactions', '/v1/settlements', '/v1/resources'])
    t.is((await app.call('GET', `${path}?is_test=0`, { key: sandbox })).status, 400, path)
  for (const is_test of ['2', 'true', ''])
    t.is((await app.call('GET', `/v1/transactions?is_test=${is_test}`, { key: seller.key })).status, 400, is_test)
  // Nobody without a key, nor with another's.
  t.is((await app.call('GET', '/v1/transactions?is_test=1')).status, 401)
  t.is(await total((await sellerFor()).key, '?is_test=1'), 0)
})

deepAfter('the rows of all this are what a replay makes of the log', (t) => assertReplayEqual(t, app))
