import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { freshAddress } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'
import {
  askedIn,
  atHost,
  besideShop,
  hostOf,
  inShop,
  openShop,
  priceOne,
  putOnSale,
  refusedIn,
  type Shop,
} from '../../support/shops.ts'
import { ownerOf, storeCalls } from '../../support/stores.ts'
import { goodOrder, goodSession } from '../../support/ucp-samples.ts'
import { checkUcp } from '../../support/ucp-schemas.ts'
import { strictly } from '../strict.ts'

/** What is listed of all that is sold here, what names a store, and what it says of itself. */

let app: TestApp
test.before(async () => {
  app = await startApp({ env: { LANDER_FREE_SLOTS: '20' } })
})
test.after.always(() => app?.stop())

// The others put more on the market, so it comes before them.
test.serial('J-CAT-01 N-30 the market shows what has a lander, newest first and by words, in ten fields', async (t) => {
  const [shop, other] = [await openShop(app), await openShop(app)]
  const beside = await besideShop(app, shop)
  await ok(app.call('PUT', '/v1/settings', { key: shop.key, body: { branding: { brand_name: 'Zoë’s Kiosk' } } }))
  const call = strictly(t, app)
  const market = async (query = 'limit=100') => {
    const { json } = await ok(call('GET', `/v1/market?${query}`))
    t.is(json.count, json.items.length)
    return json.items as { slug: string; domain: string }[]
  }
  const slugs = async (q: string) =>
    (await market(new URLSearchParams({ q, limit: '100' }).toString())).map(({ slug }) => slug)
  const onLander = async (seller: Shop, title: string, description = '') => {
    const slug = await putOnSale(app, seller, { title, price: 48.5, currency: 'EUR', description })
    const { json } = await ok(app.call('POST', '/v1/landers', { key: seller.key, body: { checkout_id: slug } }))
    return { slug, lander: json.lander_id as number }
  }
  const tea = await onLander(shop, 'Assam', 'Whole LEAF 100%')
  await putOnSale(app, shop, { title: 'Assam without a lander', price: 1 })
  const cup = await onLander(beside, 'Cup')
  const foreign = await onLander(other, 'Assam too')
  const { id, url } = (await ok(app.call('GET', `/v1/checkouts?checkout_id=${tea.slug}`, { key: shop.key }))).json
    .checkout
  const { origin, host } = new URL(app.served().origin)
  const item = (await market()).find(({ slug }) => slug === tea.slug)
  t.deepEqual(item, {
    id,
    title: 'Assam',
    description: 'Whole LEAF 100%',
    price: 48.5,
    currency: 'EUR',
    merchant: 'Zoë’s Kiosk',
    domain: item?.domain as string,
    slug: tea.slug,
    url,
    lander: `${origin}/l/${tea.slug}`,
  })
  t.regex(item?.domain ?? '', new RegExp(`^[a-z2-7]{12}\\.${host}$`))
  t.is((await market()).find(({ slug }) => slug === cup.slug)?.domain, `${item?.domain.split('.')[0]}-2.${host}`)
  t.deepEqual((await slugs('')).slice(0, 3), [foreign.slug, cup.slug, tea.slug])
  t.deepEqual(await slugs('aSSam'), [foreign.slug, tea.slug])
  t.deepEqual(await slugs('ZOE kiosk'), [cup.slug, tea.slug])
  t.deepEqual(await slugs('leaf zoë'), [tea.slug])
  t.deepEqual(await slugs('100%'), [tea.slug])
  for (const nothing of ['_', "'", '\\', 'assam%too', 'zoë assam too', '{}', '") or 1=1 --'])
    t.deepEqual(await slugs(nothing), [], nothing)
  t.is((await market('q=assam&limit=1')).length, 1)
  for (const query of [`q=${'x'.repeat(101)}`, 'limit=0', 'limit=101', 'limit=x', 'q=a&q=b', 'q=%00'])
    t.is((await call('GET', `/v1/market?${query}`)).status, 400, query)
  await ok(storeCalls(app).change(shop.key, beside.storeId, { status: 'inactive' }))
  t.deepEqual(await slugs('zoë'), [tea.slug])
  await ok(app.call('DELETE', `/v1/landers?lander_id=${tea.lander}`, { key: shop.key }))
  t.deepEqual(await slugs('zoë'), [])
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${foreign.slug}`, { key: other.key }))
  t.deepEqual(await slugs('assam'), [])
  await onLander({ key: (await signUp(app)).key, storeId: 1, token: '' }, 'Assam of somebody unproved')
  t.deepEqual(await slugs('assam'), [])
})

test('J-CAT-02 N-30 services are the resources that their sellers list, newest first, without their accounts', async (t) => {
  const shop = await openShop(app)
  const beside = await besideShop(app, shop)
  await ok(app.call('PUT', '/v1/settings', { key: shop.key, body: { branding: { brand_name: 'Blue Door' } } }))
  const first = await priceOne(app, shop, { amount: 2.5, currency: 'EUR', listed: true })
  const second = await priceOne(app, beside, { amount: 0.01, listed: true })
  const call = strictly(t, app)
  const services = async (query = '?limit=100') => {
    const { json } = await ok(call('GET', `/v1/services${query}`))
    t.is(json.count, json.items.length)
    return json.items as { id: string; url: string; domain: string }[]
  }
  const item = (await services()).find(({ id }) => id === first)
  const host = new URL(app.served().origin).host
  t.like(item, { title: `Resource ${first}`, description: '', price: 2.5, currency: 'EUR', merchant: 'Blue Door' })
  t.regex(item?.domain ?? '', new RegExp(`^[a-z2-7]{12}\\.${host}$`))
  t.is((await app.call('GET', new URL(item?.url ?? '').pathname)).status, 402)
  const { accountId } = await ownerOf(app, { resId: first })
  t.false(JSON.stringify(await services()).includes(accountId))
  t.is((await services('?limit=1')).length, 1)
  t.true((await services('')).length <= 20)
  for (const query of ['limit=0', 'limit=101', 'limit=-1', 'limit=x', 'limit=1&limit=2', 'limit='])
    t.is((await call('GET', `/v1/services?${query}`)).status, 400, query)

  const isListed = async (id: string) => (await services()).some((each) => each.id === id)
  t.true(await isListed(second))
  await ok(storeCalls(app).change(shop.key, beside.storeId, { status: 'inactive' }))
  t.false(await isListed(second))
  t.is(await refusedIn(app, beside, '/catalog/search', {}), '404 svc_not_found')
  await ok(storeCalls(app).change(shop.key, beside.storeId, { status: 'active' }))
  t.true(await isListed(second))
  await ok(app.call('DELETE', `/v1/resources?res_id=${second}`, { key: shop.key }))
  t.false(await isListed(second))
  const hidden = await priceOne(app, shop, { amount: 2, test: true, listed: true })
  const { key } = await signUp(app)
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
  const unproved = await priceOne(app, { key, storeId: 1, token: '' }, { amount: 2, listed: true })
  t.deepEqual([await isListed(hidden), await isListed(unproved)], [false, false])
})

test('J-CAT-02 N-30 a resource is listed when its seller says so, by its title, and only while somebody can pay it', async (t) => {
  const shop = await openShop(app)
  const { key } = shop
  const services = async () =>
    (await ok(app.call('GET', '/v1/services?limit=100'))).json.items as { id: string; title: string }[]
  const titleOf = async (id: string) => (await services()).find((each) => each.id === id)?.title
  const found = async (query: string) =>
    ((await askedIn(app, 'search', shop, '/catalog/search', { query })).products as { title: string }[]).map(
      ({ title }) => title,
    )
  const quiet = await priceOne(app, shop, { amount: 3, listed: false })
  t.is(await titleOf(quiet), undefined)
  t.deepEqual(await found(quiet), [])
  const put = (body: object) => app.call('PUT', `/v1/resources?res_id=${quiet}`, { key, body })
  t.deepEqual((await ok(put({ listed: true, title: '  Oolong prices ' }))).json, {
    res_id: quiet,
    max_per_caller: null,
    listed: true,
    title: 'Oolong prices',
  })
  t.is(await titleOf(quiet), 'Oolong prices')
  t.deepEqual(await found('oolong'), ['Oolong prices'])
  t.like((await ok(app.call('GET', `/v1/resources?res_id=${quiet}`, { key }))).json, {
    title: 'Oolong prices',
    listed: true,
  })
  t.is((await put({})).status, 400)
  const stranger = await openShop(app)
  const foreign = await app.call('PUT', `/v1/resources?res_id=${quiet}`, { key: stranger.key, body: { listed: false } })
  t.is(foreign.status, 404)
  // Paused, it can be paid by nobody; resumed, it is there again.
  const { wallets } = (await ok(app.call('GET', '/v1/wallets', { key }))).json
  const pause = (active: boolean) =>
    Promise.all(
      Object.keys(wallets).map((asset) => ok(app.call('PUT', `/v1/wallets?asset=${asset}`, { key, body: { active } }))),
    )
  await pause(false)
  t.is(await titleOf(quiet), undefined)
  await pause(true)
  t.is(await titleOf(quiet), 'Oolong prices')
  await ok(put({ listed: false }))
  t.is(await titleOf(quiet), undefined)
  t.is((await app.call('GET', `/r/${quiet}`)).status, 402, 'its door sells all the same')
})

test('J-CAT-01 C-CAT-01 N-30 a product is listed unless its seller says no, and its link sells in any case', async (t) => {
  const shop = await openShop(app)
  const { key } = shop
  const made = (await ok(app.call('POST', '/v1/checkouts', { key, body: { title: 'Sencha', price: 7 } }))).json.checkout
  t.true(made.listed)
  await ok(app.call('POST', '/v1/landers', { key, body: { checkout_id: made.slug } }))
  const lists = async () => [
    (await ok(app.call('GET', '/v1/market?q=sencha'))).json.count,
    (await askedIn(app, 'search', shop, '/catalog/search', { query: 'sencha' })).products.length,
  ]
  t.deepEqual(await lists(), [1, 1])
  const change = (version: number, listed: boolean) =>
    ok(app.call('PUT', `/v1/checkouts?checkout_id=${made.slug}`, { key, body: { version, listed } }))
  t.false((await change(1, false)).json.checkout.listed)
  t.deepEqual(await lists(), [0, 0])
  t.is((await askedIn(app, 'product', shop, '/catalog/product', { id: made.slug })).product.title, 'Sencha')
  t.is((await app.call('GET', new URL(made.url).pathname, { headers: { accept: 'text/html' } })).status, 200)
  t.true((await change(2, true)).json.checkout.listed)
  t.deepEqual(await lists(), [1, 1])
})

test('N-44 a store publishes what it speaks at a well-known address, by its host and by its token', async (t) => {
  const shop = await openShop(app)
  const host = await hostOf(app, await priceOne(app, shop, { amount: 1 }))
  const named = await inShop(app, shop, '/.well-known/ucp')
  checkUcp('profile', named.json)
  t.is(named.status, 200)
  t.is(named.headers.get('cache-control'), 'public, max-age=300')
  const there = await atHost(app, host, '/.well-known/ucp')
  t.deepEqual([there.status, there.json], [200, named.json])
  const path = '/v1/commerce/keys'
  const { keys } = (await ok(app.call('GET', path, { key: shop.key }))).json
  t.deepEqual([keys.length, named.json.keys[0].kid], [1, keys[0].kid])
  await ok(app.call('POST', `${path}?action=rotate`, { key: shop.key }))
  t.is((await askedIn(app, 'profile', shop, '/.well-known/ucp')).keys[1].kid, keys[0].kid)
  const { services, capabilities } = named.json.ucp
  t.is(services['dev.ucp.shopping'][0].endpoint, `http://${host}`)
  t.deepEqual(
    Object.keys(capabilities).map((name) => name.replace('dev.ucp.shopping.', '')),
    ['checkout', 'order', 'catalog.search', 'catalog.lookup', 'discount', 'ap2_mandate'],
  )
  t.like(capabilities['dev.ucp.shopping.ap2_mandate'][0], {
    extends: 'dev.ucp.shopping.checkout',
    config: { vp_formats_supported: { 'dc+sd-jwt': {} } },
  })
  // A platform asks where the profile sends it.
  const search = await atHost(app, new URL(services['dev.ucp.shopping'][0].endpoint).host, '/catalog/search', {})
  t.is(search.json.products.length, 1)

  const nobody = await app.call('GET', '/.well-known/ucp')
  checkUcp('error', nobody.json)
  t.deepEqual([nobody.status, nobody.headers.get('cache-control')], [404, 'no-store'])
  const posted = await app.call('POST', '/.well-known/ucp', { body: {} })
  t.deepEqual([posted.status, posted.json.error_code], [405, 'svc_method_not_allowed'])
  t.is((await app.call('GET', '/.well-known/nothing')).json.error, 'unknown_op')
  t.is((await app.call('GET', '/.well-known/ucp/x')).status, 404)
})

test('C-CAT-01 the host of a store names it, its token goes first, and a key names nobody', async (t) => {
  const [shop, other] = [await openShop(app), await openShop(app)]
  const [mine, theirs] = [await priceOne(app, shop, { amount: 1 }), await priceOne(app, other, { amount: 1 })]
  const host = await hostOf(app, mine)
  const search = (path: string) => atHost(app, host, path, {})
  const { json } = await search('/catalog/search')
  checkUcp('search', json)
  t.deepEqual(idsOf(json), [mine])
  t.deepEqual(idsOf((await atHost(app, host.toUpperCase(), '/catalog/search', {})).json), [mine])
  t.deepEqual(idsOf((await search(`/catalog/search?cloud=${other.token}`)).json), [theirs])
  const opened = await atHost(app, host, '/')
  t.is(opened.status, 302)
  t.true(opened.headers.get('location')?.endsWith(`/shop/${host.split('.')[0]}`))
  t.is((await atHost(app, `aaaaaaaaaaaa.${host.split('.')[1]}`, '/')).status, 404)
  t.like((await app.call('GET', '/')).json, { name: 'Daybook' })
  t.is((await app.call('GET', `/?cloud=${other.token}`)).status, 302)

  const keyed = await app.call('POST', '/catalog/search', { key: shop.key, body: {} })
  checkUcp('error', keyed.json)
  t.deepEqual([keyed.status, keyed.json.code], [404, 'svc_not_found'])
  for (const named of [`aaaaaaaaaaaa.${host.split('.')[1]}`, 'localhost', 'x', `${host.split('.')[0]}.evil.test`])
    t.is((await atHost(app, named, '/catalog/search', {})).status, 404, named)
  for (const path of ['/catalog/search', '/catalog/lookup', '/catalog/product'])
    for (const token of ['', 'ct_x', `ct_${'a'.repeat(26)}`, shop.key])
      t.is(await refusedIn(app, { token }, path, { ids: [mine], id: mine }), '404 svc_not_found')
})

const idsOf = ({ products }: { products: { id: string }[] }) => products.map(({ id }) => id)

test('the schemas find what the protocol forbids, so that no answer passes unseen', (t) => {
  t.notThrows(() => checkUcp('get', goodSession))
  t.notThrows(() => checkUcp('order', goodOrder))
  const [line] = goodSession.line_items
  const [subtotal, , tax, total] = goodSession.totals
  const handled = goodSession.payment_handlers[0]
  const sessions = {
    'a name that nobody knows': { expiry: '' },
    'a name inside': { ap2: { ...goodSession.ap2, nonse: '' } },
    'no subtotal': { totals: goodSession.totals.slice(1) },
    'two totals': { totals: [...goodSession.totals, total] },
    'sums that do not add up': { totals: [subtotal, { ...tax, amount: 1 }, total] },
    'a total that is not that of its lines': { line_items: [{ ...line, quantity: 3 }] },
    'a line twice': { line_items: [line, line] },
    'a discount that nobody took': { discounts: {} },
    'an amount in cents and a half': { totals: [{ ...subtotal, amount: 5000.5 }] },
    'an order before it is completed': { status: 'ready_for_complete' },
    'no order afterwards': { order: undefined },
    'a state that there is not': { status: 'paid' },
    'a message of no kind': { messages: [{ type: 'note', content: 'x' }] },
    'an error that says not how bad': { messages: [{ type: 'error', code: 'x', content: 'x' }] },
    'a signature that is whole': { ap2: { ...goodSession.ap2, merchant_authorization: 'a.b.c' } },
    'a handler that is not named': { payment_handlers: [{ ...handled, handler: 'io.daybook.other' }] },
    'a time without a zone': { expires_at: '2026-11-20T18:00:00' },
  }
  for (const [what, broken] of Object.entries(sessions))
    t.throws(() => checkUcp('get', JSON.parse(JSON.stringify({ ...goodSession, ...broken }))), undefined, what)
  const [ordered] = goodOrder.line_items
  const orders = {
    'a state of a line that it is not in': { line_items: [{ ...ordered, status: 'fulfilled' }] },
    'more than was ordered': { line_items: [{ ...ordered, quantity: { original: 1, total: 2, fulfilled: 1 } }] },
    'a refund of another line': {
      adjustments: [{ ...goodOrder.adjustments[0], line_items: [{ id: 'x', quantity: 1 }] }],
    },
    'no fulfilment': { fulfillment: undefined },
  }
  for (const [what, broken] of Object.entries(orders))
    t.throws(() => checkUcp('order', JSON.parse(JSON.stringify({ ...goodOrder, ...broken }))), undefined, what)
})
