import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleOk } from '../../support/console.ts'
import { memberSignIn, signedInMember } from '../../support/dashboard.ts'
import { deepTest } from '../../support/deep-test.ts'
import { type Person, person } from '../../support/people.ts'
import { sell, shop, transactionOf } from '../../support/sale.ts'
import { freshAddress, offerOf, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'

/** The list of payments: each filter, its pages, and the file of what is shown. */

let app: TestApp
let who: Person
let key: string
/** A resource that was sold for ether today, an invoice of the second store that is older and waits, and a test. */
let sold: string
let asked: string
let tried: string

test.before(async () => {
  app = await startApp({ env: { KEY_RATE_PER_SECOND: '5000', KEY_RATE_BURST: '20000' } })
  const s = await shop(app)
  key = s.key
  const { offer } = await sell(app, s)
  sold = (await transactionOf(app, key, offer.challengeId, 'C')).id ?? ''
  const { storeId } = await addStore(app, key)
  const invoice = { amount: '5', currency_code: 'USD', external_reference: 'Needle-7', store_id: String(storeId) }
  asked = (await consoleOk(app, key, 'create-transaction', invoice)).transaction_id
  const values = JSON.stringify({ creation_time: '2020-05-05 12:00:00', title: 'Übung 7' })
  await consoleOk(app, key, 'update-transaction', { transaction_id: asked, values })
  tried = await testSale()
  who = person(app)
  await memberSignIn(who, { email: s.email })
})
test.after.always(() => app?.stop())

const testSale = async (): Promise<string> => {
  const { json } = await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { kind: 'secret' } }))
  const sandbox = json.api_key as string
  const { json: made } = await ok(
    app.call('POST', '/v1/resources', { key: sandbox, body: { amount: 7, currency: 'USD' } }),
  )
  const { challengeId } = await offerOf(app, sandbox, made.res_id)
  await ok(app.call('POST', '/v1/simulate-payment', { key: sandbox, body: { challengeId, confirmations: 100 } }))
  return (await transactionOf(app, sandbox, challengeId, 'C')).id ?? ''
}

const at = (query = '') => `/dashboard/payments${query && `?${query}`}`
/** The payments that a page lists, in its order. */
const listed = (text: string) => [...text.matchAll(/href="\/dashboard\/payments\/(\d+)"/g)].map(([, id]) => id)
const shownAt = async (query = '') => {
  const { status, text } = await who.open(at(query))
  return { status, text, ids: listed(text) }
}

test('N-82 J-TXN-02 each filter in the address narrows the payments that are shown, and the file of them', async (t) => {
  t.deepEqual((await shownAt()).ids, [asked, sold], 'the newest first, and no test among them')
  const narrowing: readonly (readonly [query: string, left: readonly string[]])[] = [
    ['status=C', [sold]],
    ['status=P', [asked]],
    ['status=X', []],
    ['asset=eth', [sold]],
    ['type=resource', [sold]],
    ['type=payment-request', [asked]],
    ['store_id=1', [sold]],
    ['store_id=2', [asked]],
    ['amount_from=6', [sold]],
    ['amount_to=6', [asked]],
    ['from=2021-01-01', [sold]],
    ['to=2021-01-01', [asked]],
    ['search=needle', [asked]],
    ['search=needle&status=C', []],
    ['search=übung', [asked]],
    ['search=BUNG', [asked]],
    ['search=7needle', []],
    ['test=1', [tried]],
    ['status=&asset=&amount_from=&from=&search=', [asked, sold]],
  ]
  for (const [query, left] of narrowing) {
    const { ids, text } = await shownAt(query)
    t.deepEqual(ids, left, query)
    for (const [, name = '', value = ''] of query.matchAll(/(\w+)=([^&]+)/g))
      t.true(
        new RegExp(`name="${name}"[^>]*value="${value}"|<option[^>]*value="${value}"`).test(text),
        `${query} stays`,
      )
    const file = await who.open(`/dashboard/payments.csv?${query}`)
    t.regex(file.headers.get('content-type') ?? '', /^text\/csv/)
    const lines = file.text.trim().split('\n').slice(1)
    t.deepEqual(lines.map((line) => line.split(',')[0]).toSorted(), [...left].sort(), `the file of ${query}`)
  }
})

test('N-82 what is wrong with a filter is said beside it, and nothing is listed', async (t) => {
  for (const query of ['amount_from=much', 'from=yesterday', 'status=Q', 'store_id=x']) {
    const { status, text, ids } = await shownAt(query)
    t.is(status, 422, query)
    t.regex(text, new RegExp(`id="filter-${query.split('=')[0]}-error"`))
    t.deepEqual(ids, [])
  }
  t.is((await who.open(at('before=1'))).status, 400)
})

deepTest('N-82 payments are paged by their keys: each is on one page, and the last page says that it is', async (t) => {
  const { key: own, who: seller } = await signedInMember(app)
  await ok(app.call('POST', '/v1/wallets', { key: own, body: { asset: 'eth', address: freshAddress() } }))
  for (let n = 0; n < 52; n++)
    await consoleOk(app, own, 'create-transaction', { amount: String(n + 1), currency_code: 'USD' })
  const first = await seller.open(at('status=P'))
  const older = /<a href="([^"]+)" rel="next">/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  t.regex(older, /^\/dashboard\/payments\?status=P&before=\d+$/)
  // What comes meanwhile moves nothing on the pages behind.
  await consoleOk(app, own, 'create-transaction', { amount: '99', currency_code: 'USD' })
  const second = await seller.open(older)
  const ids = [...listed(first.text), ...listed(second.text)]
  t.is(listed(first.text).length, 50)
  t.is(ids.length, 52)
  t.is(new Set(ids).size, 52)
  t.notRegex(second.text, /rel="next"/)
  t.regex(second.text, /href="\/dashboard\/payments\?status=P"/)
  const last = ids.at(-1)
  const beyond = await seller.open(at(`before=${last}`))
  t.regex(beyond.text, /There are no older payments/)
  t.is((await who.open(at(`before=${last}`))).status, 400, 'a payment of another account is no place in this list')
})

deepTest('N-82 an empty list says what to do first, in each mode, and how to widen a filter', async (t) => {
  const { who: fresh } = await signedInMember(app)
  t.regex((await fresh.open(at())).text, /The first steps lead to a wallet and a price/)
  t.regex((await fresh.open(at('test=1'))).text, /a test sale that you pay by a button/)
  t.regex((await fresh.open(at('status=C'))).text, /Take one of them away/)
})
