import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { look, saidIn } from '../../support/buyer.ts'
import { consoleOk } from '../../support/console.ts'
import { deepTest } from '../../support/deep-test.ts'
import { DEEP } from '../../support/depth.ts'
import { drawn, fileOf, formOf, uploads } from '../../support/pictures.ts'
import { assertReplayEqual } from '../../support/sale.ts'
import { activeSeller, freshAddress, ok } from '../../support/seller.ts'
import { putOnSale, storeOf } from '../../support/storefront.ts'
import { refused, strictly } from '../strict.ts'

/** Products with pictures, and products that are sold in several forms. */

let app: TestApp
let key: string
test.before(async () => {
  app = await startApp()
  key = (await activeSeller(app)).key
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
})
test.after.always(() => app?.stop())

const pathOf = async (seed: number, owner = key): Promise<string> => {
  const { json } = await uploads(() => app)(owner, formOf(fileOf(await drawn(seed).png().toBuffer())))
  return new URL(json.url).pathname
}
const variantOf = (position: number, value: string) => ({
  variant: { product: 'assam', position, options: [{ name: 'Weight', value }] },
})

test('N-105 a product shows its pictures on its page and in its store, and takes only those of its own account', async (t) => {
  const [first, second] = [await pathOf(1), await pathOf(2)]
  const pictures = [`https://elsewhere.test${first}`, second]
  const facts = { vendor: 'Harbour Tea', tags: ['black', 'leaf'], sku: 'AS-1' }
  const tea = await putOnSale(app, key, { title: 'Ceylon', price: 5, pictures, ...facts })
  const named = `/v1/checkouts?checkout_id=${tea.id}`
  const call = strictly(t, app)
  const { checkout } = (await call('GET', named, { key })).json
  t.like(checkout, { pictures: [first, second], variant: null, ...facts })
  const page = (await look(app, tea.path)).text
  for (const path of [first, second]) t.true(page.includes(`src="${path}"`), path)
  t.deepEqual((await call('GET', tea.path)).json.pictures, [first, second])
  t.true((await look(app, await storeOf(app, tea))).text.includes(`src="${first}"`))
  const changed = (await call('PUT', named, { key, body: { version: 1, pictures: [second] } })).json.checkout
  t.like(changed, { pictures: [second], ...facts, version: 2 })
  const cleared = { version: 2, pictures: [], vendor: '', tags: [], sku: '' }
  t.like((await call('PUT', named, { key, body: cleared })).json.checkout, { pictures: [], vendor: '', tags: [] })
  const foreign = await pathOf(3, (await activeSeller(app)).key)
  const wrong = { path: '/v1/checkouts', key, status: 400, code: 'svc_invalid_request' }
  const body = { title: 'Ceylon', price: 5 }
  await refused(t, app, [
    { what: 'a picture of another account', ...wrong, body: { ...body, pictures: [first, foreign] } },
    { what: 'a picture elsewhere', ...wrong, body: { ...body, pictures: ['https://cdn.test/a.png'] } },
    { what: 'too many pictures', ...wrong, body: { ...body, pictures: Array(11).fill(first) } },
    {
      what: 'a handle with a slash',
      ...wrong,
      body: { ...body, variant: { product: 'a/b', position: 1, options: [] } },
    },
    { what: 'a place before the first', ...wrong, body: { ...body, ...variantOf(0, 'x') } },
  ])
})

test('N-105 the variants of a product lead to each other, and the first one stands for them in the store and the catalog', async (t) => {
  const small = await putOnSale(app, key, { title: 'Assam, 50 g', price: 5, ...variantOf(1, '50 g') })
  const large = await putOnSale(app, key, { title: 'Assam, 1 kg', price: 80, ...variantOf(2, '1 kg') })
  const page = await look(app, large.path)
  t.regex(saidIn(page), /50 g 5\.00 USD.*1 kg 80\.00 USD/)
  t.true(page.text.includes(`href="${small.path}"`))
  t.regex(page.text, /aria-current="page"[^>]*><b[^>]*>1 kg/)
  const { variants } = (await strictly(t, app)('GET', small.path)).json
  t.deepEqual(
    variants.map(({ title, price }: { title: string; price: number }) => [title, price]),
    [
      ['Assam, 50 g', 5],
      ['Assam, 1 kg', 80],
    ],
  )
  const shop = await storeOf(app, small)
  const shown = await look(app, shop)
  t.true(shown.text.includes(`href="${small.path}"`) && !shown.text.includes(`href="${large.path}"`))
  t.regex(shown.text, /<h3 dir="auto">Assam<\/h3>/)
  const { cloud_token: cloud } = await consoleOk(app, key, 'get-cloud-token')
  const search = () => app.call('POST', `/catalog/search?cloud=${cloud}`, { body: { query: 'assam' } })
  const sold = async () => (await ok(search())).json.products.length
  t.is(await sold(), 2)
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${small.id}`, { key }))
  t.is(await sold(), 0, 'without the first one the product is not listed')
  t.is((await look(app, large.path)).status, 200, 'and its link goes on selling')
  if (DEEP) await assertReplayEqual(t, app)
})

deepTest('N-105 each list of links is searched for words, whatever their case and accents', async (t) => {
  const { key: own } = await activeSeller(app)
  await ok(app.call('POST', '/v1/wallets', { key: own, body: { asset: 'eth', address: freshAddress() } }))
  const things = [
    ['/v1/checkouts', 'checkouts', { price: 3 }],
    ['/v1/resources', 'resources', { amount: 3, currency: 'USD' }],
    ['/v1/payment-requests', 'payment_requests', { amount: 3, currency: 'USD' }],
  ] as const
  for (const [path, name, facts] of things) {
    for (const title of ['Crème brûlée', 'Creme de menthe'])
      await ok(app.call('POST', path, { key: own, body: { ...facts, title } }))
    const found = async (search: string) =>
      (await ok(app.call('GET', `${path}?${new URLSearchParams({ search })}`, { key: own }))).json[name].map(
        ({ title }: { title: string }) => title,
      )
    t.deepEqual(await found('CREME'), ['Creme de menthe', 'Crème brûlée'], path)
    t.deepEqual(await found('brulee crème'), ['Crème brûlée'], path)
    t.deepEqual(await found('rum'), [], path)
  }
})
