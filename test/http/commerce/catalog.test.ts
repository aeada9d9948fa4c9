import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { ok } from '../../support/seller.ts'
import {
  askedIn,
  besideShop,
  inShop,
  openShop,
  priceOne,
  putOnSale,
  refusedIn,
  type Shop,
} from '../../support/shops.ts'
import { checkUcp, type UcpKind } from '../../support/ucp-schemas.ts'

/** What one store sells, as the commerce protocol finds it. */

const PLATFORM = { 'ucp-agent': 'profile="https://platform.example/.well-known/ucp"' }

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const asked = (kind: UcpKind, shop: Shop, path: string, body?: object, headers = {}) =>
  askedIn(app, kind, shop, path, body, headers)
const refusedAs = (path: string, body: object, shop: Shop) => refusedIn(app, shop, path, body)
const searched = (shop: Shop, body: object = {}) => asked('search', shop, '/catalog/search', body)
const found = async (shop: Shop, body: object = {}): Promise<string[]> => idsOf(await searched(shop, body))
const idsOf = ({ products }: { products: { id: string }[] }) => products.map(({ id }) => id)

test('C-CAT-01 a search without a query lists all that one store sells, newest first, in smallest units', async (t) => {
  const shop = await openShop(app)
  const [beside, stranger] = [await besideShop(app, shop), await openShop(app)]
  t.like(await searched(stranger), { products: [], pagination: { total: 0, has_next_page: false } })
  const tea = await putOnSale(app, shop, { title: 'Assam', price: 48.5, description: 'Whole leaf.' })
  const resource = await priceOne(app, shop, { amount: 0.000001 })
  const sake = await putOnSale(app, shop, { title: 'Sake', price: 1200, currency: 'JPY' })
  const elsewhere = [
    await putOnSale(app, beside, { title: 'Cup', price: 7 }),
    await priceOne(app, beside, { amount: 9 }),
  ]
  const foreign = await putOnSale(app, stranger, { title: 'Assam', price: 1 })
  await priceOne(app, shop, { amount: 5, test: true })

  const { products, pagination } = await searched(shop)
  t.deepEqual(idsOf({ products }), [sake, resource, tea])
  t.deepEqual(pagination, { has_next_page: false, total_count: 3, limit: 10, offset: 0, total: 3 })
  const price = { amount: 4850, currency: 'USD' }
  const description = { plain: 'Whole leaf.' }
  t.deepEqual(products[2], {
    id: tea,
    title: 'Assam',
    description,
    url: `${app.served().origin}/buy/${tea}`,
    categories: [{ value: 'checkout', taxonomy: 'merchant' }],
    price_range: { min: price, max: price },
    variants: [{ id: tea, title: 'Assam', description, price, availability: { available: true, status: 'in_stock' } }],
  })
  t.deepEqual(products[0].variants[0].price, { amount: 1200, currency: 'JPY' })
  // Less than a cent is not for nothing.
  t.deepEqual(products[1].variants[0].price, { amount: 1, currency: 'USD' })
  t.like(products[1], { title: `Resource ${resource}`, categories: [{ value: 'resource' }] })
  t.is((await app.call('GET', new URL(products[1].url).pathname)).status, 402)
  t.is((await app.call('GET', new URL(products[2].url).pathname)).status, 200)

  t.deepEqual((await found(beside)).toSorted(), elsewhere.toSorted())
  t.deepEqual(await found(stranger), [foreign])
  t.deepEqual(await found(shop, { query: foreign }), [])
})

deepTest('C-CAT-01 words, kinds and prices narrow a search, whatever the case and the accents', async (t) => {
  const shop = await openShop(app)
  const sell = (title: string, price: number, currency = 'USD', description = '') =>
    putOnSale(app, shop, { title, price, currency, description })
  const cafe = await sell('Café crème', 4.5, 'EUR')
  const odd = await sell(`100% "wool_" \\ 'x'`, 20)
  const tea = await sell('Green tea', 10, 'USD', 'First CRÈME of the year')
  const rice = await sell('Rice', 1500, 'JPY')
  const won = await sell('Kimchi', 9000.4, 'KRW')
  const resource = await priceOne(app, shop, { amount: 10.005 })
  const all = [resource, won, rice, tea, odd, cafe]
  const words = (query: string) => found(shop, { query })
  t.deepEqual(await words(''), all)
  t.deepEqual(await words('  '), all)
  t.deepEqual(await words('CREME'), [tea, cafe])
  t.deepEqual(await words('crème green'), [tea])
  t.deepEqual(await words('%'), [odd])
  t.deepEqual(await words('wool_'), [odd])
  t.deepEqual(await words('\\'), [odd])
  t.deepEqual(await words(`"wool_" '`), [odd])
  t.deepEqual(await words(resource), [resource])
  t.deepEqual(await words("' or 1=1 --"), [])

  const kinds = (...categories: string[]) => found(shop, { filters: { categories } })
  t.deepEqual(await kinds('resource'), [resource])
  t.deepEqual(await kinds('checkout', 'shoes'), [won, rice, tea, odd, cafe])
  t.deepEqual(await kinds('shoes'), [])
  t.deepEqual(await kinds(), all)

  const priced = (price: object, currency?: string) =>
    found(shop, { filters: { price }, ...(currency && { context: { currency } }) })
  t.deepEqual(await priced({ min: 1000, max: 1001 }), [resource, tea], 'what is shown as 10.01 and 10.00')
  t.deepEqual(await priced({ min: 1001, max: 1001 }), [resource])
  t.deepEqual(await priced({ max: 1500 }), [resource, rice, tea, cafe])
  t.deepEqual(await priced({ min: 9000, max: 9000 }), [won])
  // 4.50 EUR are 5.22 USD, 9000.4 KRW are 6.21 USD, 1500 JPY are 9.75 USD.
  t.deepEqual(await priced({ min: 522, max: 975 }, 'USD'), [won, rice, cafe])
  t.deepEqual(await priced({ min: 523, max: 974 }, 'USD'), [won])
  t.deepEqual(await priced({ min: 5, max: 4 }), [])
  t.deepEqual(await priced({ max: 0 }), [])
  t.deepEqual(await priced({}), all)
  t.deepEqual(await found(shop, { query: 'tea', filters: { categories: ['resource'], price: { max: 9999 } } }), [])
  t.is(
    await refusedAs('/catalog/search', { filters: { price: { min: 1 } }, context: { currency: 'XYZ' } }, shop),
    '400 svc_invalid_request',
  )
})

test('C-CAT-01 N-29 every product is met exactly once by cursor, while others are added and deleted', async (t) => {
  const shop = await openShop(app)
  const stranger = await besideShop(app, shop)
  const before: string[] = []
  for (let i = 0; i < 4; i++)
    before.push(await putOnSale(app, shop, { title: `Thing ${i}`, price: 1 }), await priceOne(app, shop, { amount: 1 }))
  const seen: string[] = []
  let body: { pagination: { limit: number; cursor?: string } } = { pagination: { limit: 3 } }
  const cursors: string[] = []
  for (;;) {
    const page = await searched(shop, body)
    t.is(page.pagination.limit, 3)
    t.is(page.pagination.total - page.pagination.offset, before.length - seen.length, 'what is newer comes before')
    seen.push(...idsOf(page))
    await priceOne(app, shop, { amount: 2 })
    if (!page.pagination.has_next_page) break
    cursors.push(page.pagination.cursor)
    body = { pagination: { limit: 3, cursor: page.pagination.cursor } }
  }
  t.deepEqual(seen, before.toReversed())
  t.is(cursors.length, 2)

  const all = await found(shop, { pagination: { limit: 50 } })
  const skipped: string[] = []
  for (let offset = 0; offset < all.length; offset += 4) {
    const page = await searched(shop, { pagination: { limit: 4, offset } })
    t.like(page.pagination, { offset, total: all.length, has_next_page: offset + 4 < all.length })
    skipped.push(...idsOf(page))
  }
  t.deepEqual(skipped, all)
  const past = await searched(shop, { pagination: { offset: 1_000 } })
  t.deepEqual([past.products, past.pagination.has_next_page], [[], false])
  t.is((await searched(shop, { pagination: { limit: 1_000 } })).pagination.limit, 50)

  const [cursor = ''] = cursors
  const tampered = ['', '.', 'x', `${cursor}x`, `x${cursor}`, cursor.split('.')[0], `${cursor}.`, 'W10.', `é${cursor}`]
  for (const each of tampered)
    t.is(await refusedAs('/catalog/search', { pagination: { cursor: each } }, shop), '400 svc_invalid_request', each)
  t.is(await refusedAs('/catalog/search', { pagination: { cursor } }, stranger), '400 svc_invalid_request')
  t.is(await refusedAs('/catalog/search', { pagination: { cursor, offset: 0 } }, shop), '400 svc_invalid_request')
})

test('C-CAT-02 a lookup answers what the store sells of the ids, once each, and names the others', async (t) => {
  const shop = await openShop(app)
  const beside = await besideShop(app, shop)
  const tea = await putOnSale(app, shop, { title: 'Tea', price: 3 })
  const resource = await priceOne(app, shop, { amount: 2 })
  const foreign = await priceOne(app, beside, { amount: 2 })
  const cup = await putOnSale(app, beside, { title: 'Cup', price: 2 })
  const hidden = await priceOne(app, shop, { amount: 2, test: true })
  const missing = [foreign, cup, hidden, 'res_x', "'", '%', 'NULL', '{}', `${tea}x`, tea.toUpperCase()]
  const { products, messages } = await asked('lookup', shop, '/catalog/lookup', {
    ids: [resource, ...missing, tea, resource, tea],
  })
  t.deepEqual(idsOf({ products }), [resource, tea])
  t.deepEqual(products[1].variants[0].inputs, [{ id: tea, match: 'exact' }])
  t.deepEqual(
    messages,
    missing.map((content) => ({ type: 'info', code: 'not_found', content })),
  )
  const whole = await asked('lookup', shop, '/catalog/lookup', { ids: [tea] })
  t.is(whole.messages, undefined)

  const many = (count: number) => Array.from({ length: count }, (_, i) => `id${i}`)
  const most = await asked('lookup', shop, '/catalog/lookup', { ids: [...many(50), ...many(50)] })
  t.is(most.messages.length, 50)
  t.is(await refusedAs('/catalog/lookup', { ids: many(51) }, shop), '400 request_too_large')
})

test('C-CAT-03 E-404-01 one product is read for readers of both protocols; what is not sold here is not found', async (t) => {
  const shop = await openShop(app)
  const beside = await besideShop(app, shop)
  const tea = await putOnSale(app, shop, { title: 'Tea', price: 3 })
  const resource = await priceOne(app, shop, { amount: 2 })
  const one = await asked('product', shop, '/catalog/product', { id: tea })
  t.like(one, { id: tea, title: 'Tea', product: { id: tea, price_range: { min: { amount: 300, currency: 'USD' } } } })
  t.is((await asked('product', shop, '/catalog/product', { id: resource }, PLATFORM)).product.id, resource)

  const { key } = shop
  const gone = await putOnSale(app, shop, { title: 'Gone', price: 3 })
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${gone}`, { key }))
  await ok(app.call('DELETE', `/v1/resources?res_id=${resource}`, { key }))
  const strangers = [
    await putOnSale(app, beside, { title: 'Cup', price: 2 }),
    await priceOne(app, beside, { amount: 2 }),
  ]
  const hidden = await priceOne(app, shop, { amount: 2, test: true })
  const answers = new Set<string>()
  for (const id of [gone, resource, ...strangers, hidden, 'res_x', `res_${'a'.repeat(26)}`, '__proto__']) {
    const { status, text, json } = await inShop(app, shop, '/catalog/product', { id })
    checkUcp('error', json)
    t.deepEqual([status, json.error, json.messages[0].code], [404, 'svc_not_found', 'not_found'], id)
    answers.add(text)
    checkUcp('envelope', (await inShop(app, shop, '/catalog/product', { id }, PLATFORM)).json)
    t.is((await inShop(app, shop, '/catalog/product', { id }, PLATFORM)).status, 200)
  }
  t.is(answers.size, 1, 'the same answer, whatever it is that is not there')
  t.deepEqual(await found(shop), [tea])
})

test('C-CAT-01 C-CAT-02 C-CAT-03 what is of a wrong type is refused, and what nobody knows is ignored', async (t) => {
  const shop = await openShop(app)
  const id = await priceOne(app, shop, { amount: 2 })
  const wrong: Readonly<Record<string, readonly object[]>> = {
    '/catalog/search': [
      ...[1, null, {}, ['x'], 'x'.repeat(201)].map((query) => ({ query })),
      ...[1, null, [], 'x', { categories: 'x' }, { categories: [1] }, { price: 5 }].map((filters) => ({ filters })),
      ...[{ min: '5' }, { min: -1 }, { max: 1.5 }, { max: 2 ** 60 }, { min: null }].map((price) => ({
        filters: { price },
      })),
      ...[1, null, [], { limit: 0 }, { limit: '5' }, { limit: 1.5 }, { offset: -1 }, { cursor: 5 }].map(
        (pagination) => ({ pagination }),
      ),
      ...[1, null, { currency: 5 }].map((context) => ({ context })),
    ],
    '/catalog/lookup': [{}, ...[[], id, null, [1], [''], [null], [[id]]].map((ids) => ({ ids }))],
    '/catalog/product': [{}, ...[1, null, '', [id], { id }].map((each) => ({ id: each }))],
  }
  for (const [path, bodies] of Object.entries(wrong))
    for (const body of bodies)
      t.is(await refusedAs(path, body, shop), '400 svc_invalid_request', `${path} ${JSON.stringify(body)}`)
  const { status, json } = await inShop(app, shop, '/catalog/search', '{"query":1,"query":2}')
  t.deepEqual([status, json.code], [400, 'svc_invalid_request'])

  const unknown = { signals: { 'dev.ucp.buyer_ip': '10.0.0.1' }, attribution: {}, nobody: [1] }
  const context = { address_country: 'DE', language: 'de', eligibility: ['com.x.gold'] }
  t.deepEqual(await found(shop, { ...unknown, context, filters: { sizes: ['L'] } }), [id])
  t.is((await asked('product', shop, '/catalog/product', { ...unknown, id, selected: [] })).id, id)
  t.is((await asked('lookup', shop, '/catalog/lookup', { ...unknown, ids: [id], context })).products.length, 1)
})
