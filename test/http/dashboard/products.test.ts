import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInMember } from '../../support/dashboard.ts'
import { hiddenIn, type Page, type Person } from '../../support/people.ts'
import { drawn, fileOf } from '../../support/pictures.ts'
import { freshAddress, ok } from '../../support/seller.ts'

/** Products, priced resources and payment requests at the dashboard, over real HTTP. */

let app: TestApp
let who: Person
let key: string
test.before(async () => {
  app = await startApp()
  const member = await signedInMember(app)
  who = member.who
  key = member.key
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } }))
})
test.after.always(() => app?.stop())

const PRODUCTS = '/dashboard/products'
const RESOURCES = '/dashboard/resources'
const REQUESTS = '/dashboard/payment-requests'

const make = (path: string, fields: Readonly<Record<string, string>>) =>
  who.send(path, { act: 'create', ...fields }, `${path}?new=1`)
const slugIn = ({ location }: Page) => location.split('?')[0]?.split('/').at(-1) ?? ''

test('N-105 what is wrong with a new product stands beside its field, and what was typed stays', async (t) => {
  const wrong = await make(PRODUCTS, { title: 'Tea & "more"', price: 'much', tags: 'black', position: '' })
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="row-price-error"/)
  t.true(wrong.text.includes('value="Tea &amp; &quot;more&quot;"'))
})

test('N-105 a member makes a product, changes it and deletes it; a change of an older version is refused', async (t) => {
  const made = await make(PRODUCTS, {
    title: 'Tea & "more"',
    price: '12,50',
    currency: 'eur',
    tags: 'black, leaf',
    listed: '1',
  })
  t.is(made.status, 303, made.text)
  const slug = slugIn(made)
  const shown = async () => (await ok(app.call('GET', `/v1/checkouts?checkout_id=${slug}`, { key }))).json.checkout
  t.like(await shown(), {
    title: 'Tea & "more"',
    price: 12.5,
    currency: 'EUR',
    tags: ['black', 'leaf'],
    listed: true,
    variant: null,
  })
  const page = await who.open(made.location)
  t.true(page.text.includes('It is made.'))
  const path = `${PRODUCTS}/${slug}`
  const fields = {
    act: 'change',
    title: 'Tea',
    price: '13',
    currency: 'EUR',
    version: '1',
    product: 'tea',
    options: 'Size: 50 g\r\nKind: tin',
  }
  t.is((await who.send(path, fields)).location, `${path}?done=changed`)
  const options = [
    { name: 'Size', value: '50 g' },
    { name: 'Kind', value: 'tin' },
  ]
  t.like(await shown(), {
    title: 'Tea',
    price: 13,
    listed: false,
    tags: [],
    variant: { product: 'tea', position: 1, options },
  })
  const stale = await who.send(path, fields)
  t.is(stale.status, 422)
  t.regex(stale.text, /Somebody has changed this/)
  t.is((await who.send(path, { act: 'end' })).location, `${PRODUCTS}?done=ended`)
  t.is((await who.open(path)).status, 404)
})

test('N-105 a further variant begins with what it has in common with the others', async (t) => {
  const variant = { product: 'oolong', position: 1, options: [{ name: 'Size', value: '50 g' }] }
  const body = { title: 'Oolong, 50 g', price: 5, stock: 4, variant }
  const { slug } = (await ok(app.call('POST', '/v1/checkouts', { key, body }))).json.checkout
  const { text } = await who.open(`${PRODUCTS}?new=1&like=${slug}`)
  for (const [name, value] of [
    ['title', 'Oolong'],
    ['product', 'oolong'],
    ['position', '2'],
  ])
    t.regex(text, new RegExp(`name="${name}"[^>]*value="${value}"`))
  t.regex(text, /name="options"[^>]*>Size: <\/textarea>/)
  t.regex(text, /name="stock"/)
  t.notRegex(text, /name="stock"[^>]*value=/, 'it begins with no number')
})

/** A product and a resource with three pieces each: their page, the list that they are in, and what the API says. */
const counted = async (title: string) => {
  const product = (await make(PRODUCTS, { title, price: '5', stock: '3' })).location.split('?')[0] ?? ''
  const fields = { title, amount: '5', currency: 'USD', stock: '3' }
  const resource = (await make(RESOURCES, fields)).location.split('?')[0] ?? ''
  return [
    [product, PRODUCTS, `/v1/checkouts?checkout_id=${product.split('/').at(-1)}`],
    [resource, RESOURCES, `/v1/resources?res_id=${resource.split('/').at(-1)}`],
  ].map(([path = '', list = '', api = '']) => ({
    path,
    list,
    stock: async () => {
      const { json } = await ok(app.call('GET', api, { key }))
      return (json.checkout ?? json).stock
    },
    say: (fields: Readonly<Record<string, string>>) => who.send(path, { act: 'stock', ...fields }),
  }))
}

test('N-97 N-105 a member says how many pieces there are, once for each form', async (t) => {
  t.regex((await make(PRODUCTS, { title: 'Cup', price: '5', stock: '1,5' })).text, /id="row-stock-error"/)
  for (const { path, list, stock, say } of await counted('Cup')) {
    t.is(await stock(), 3, path)
    const { text } = await who.open(path)
    t.notRegex(text, /name="stock"/, 'a change would undo what was sold meanwhile')
    const { csrf = '', once = '' } = hiddenIn(text.split('id="pieces"')[1] ?? '')
    const form = { csrf, once, act: 'stock', way: 'add', pieces: '4', reason: 'received' }
    for (const _ of [1, 2]) t.is((await who.post(path, form)).location, `${path}?done=counted`)
    t.is(await stock(), 7, 'a form that is sent twice counts once')
    const other = await who.post(path, { ...form, pieces: '5' })
    t.regex(other.text, /id="row-pieces-error"[^>]*>This form was sent already/)
    await say({ way: 'take', pieces: '2', reason: 'lost' })
    t.is(await stock(), 5)
    t.regex((await who.open(`${list}?search=cup`)).text, /data-title="Pieces">5</)
    await say({ way: 'set', pieces: '', reason: 'counted' })
    t.is(await stock(), null)
    t.true((await who.open(path, { 'accept-language': 'de' })).text.includes('Niemand zählt die Stücke'))
  }
})

test('N-97 N-105 what is wrong with pieces stands beside its field, and what is sold out is shown so in list and CSV', async (t) => {
  for (const { path, list, stock, say } of await counted('Plate')) {
    for (const [way, pieces] of [
      ['take', '6'],
      ['add', ''],
      ['add', '0'],
      ['set', '1.5'],
      ['set', 'many'],
      ['set', '-1'],
    ] as const) {
      const wrong = await say({ way, pieces, reason: 'counted' })
      t.is(wrong.status, 422, pieces)
      t.regex(wrong.text, /id="row-pieces-error"/, pieces)
      t.regex(wrong.text, new RegExp(`value(="${pieces}"| autocomplete)`))
    }
    t.regex((await say({ way: 'add', pieces: '1', reason: 'stolen' })).text, /id="row-reason-error"/)
    t.is(await stock(), 3)
    await say({ way: 'set', pieces: '0', reason: 'counted' })
    t.regex((await who.open(path)).text, /Can be sold now<\/dt>\s*<dd class="number">Sold out/)
    t.regex((await who.open(`${list}?search=plate`)).text, /Sold out/)
    const file = (await who.open(`${list}.csv?search=plate`)).text
    const [heading = '', line = ''] = file.split('\n')
    const cells = Object.fromEntries(heading.split(',').map((name, n) => [name, line.split(',')[n]]))
    t.like(cells, { stock: '"0"', in_stock: '"false"' })
  }
})

test('N-105 the page of a link has its QR code, a button for other pages that is harmless whatever its title, and a test', async (t) => {
  const { checkout } = (
    await ok(
      app.call('POST', '/v1/checkouts', {
        key,
        body: { title: '"><script>alert(1)</script>', price: 5, currency: 'USD' },
      }),
    )
  ).json
  const { res_id, checkout_url } = (
    await ok(app.call('POST', '/v1/resources', { key, body: { amount: 6, title: 'Data' } }))
  ).json
  const request = (await ok(app.call('POST', '/v1/payment-requests', { key, body: { amount: 7, title: 'Invoice' } })))
    .json
  for (const [path, url, price] of [
    [`${PRODUCTS}/${checkout.slug}`, checkout.url, '5'],
    [`${RESOURCES}/${res_id}`, checkout_url, '6'],
    [`${REQUESTS}/${request.encrypted_id}`, request.url, '7'],
  ] as const) {
    const { status, text } = await who.open(path)
    t.is(status, 200, path)
    t.regex(text, /<svg class="qr"/)
    t.notRegex(text, /<script>alert/)
    const code = /<textarea[^>]*name="embed"[^>]*>([^<]*)<\/textarea>/.exec(text)?.[1] ?? ''
    const html = code.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
    t.true(html.startsWith(`<a href="${url.replaceAll('&', '&amp;')}"`), html)
    t.notRegex(html, /<script|\son\w+=/)
    const sale = await who.send(path, { act: 'test' })
    t.regex(sale.location, /^\/dashboard\/test-sale\?challenge=/, sale.text)
    t.regex((await who.open(sale.location)).text, new RegExp(`\\$${price}\\.00`))
  }
})

test('N-105 a product gets its pictures by a form with a file, and only by one with its token', async (t) => {
  const slug = slugIn(await make(PRODUCTS, { title: 'Pictured', price: '3' }))
  const path = `${PRODUCTS}/${slug}`
  const send = async (seed: number, csrf: string) => {
    const form = new FormData()
    form.append('csrf', csrf)
    form.append('file', fileOf(await drawn(seed).png().toBuffer()))
    const cookie = [...who.cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { cookie, accept: 'text/html', origin: app.served().origin, 'sec-fetch-site': 'same-origin' }
    return await fetch(`${app.served().origin}${path}?act=picture`, {
      method: 'POST',
      body: form,
      headers,
      redirect: 'manual',
    })
  }
  const { csrf = '' } = hiddenIn((await who.open(path)).text)
  t.is((await send(1, 'guessed')).status, 403)
  for (const seed of [1, 2]) t.is((await send(seed, csrf)).headers.get('location'), `${path}?done=pictured`)
  const shown = async (): Promise<string[]> =>
    (await ok(app.call('GET', `/v1/checkouts?checkout_id=${slug}`, { key }))).json.checkout.pictures
  const [first = '', second = ''] = await shown()
  t.true((await who.open(path)).text.includes(`src="${second}"`))
  t.is((await who.send(path, { act: 'picture-first', picture: second })).location, `${path}?done=pictured`)
  t.deepEqual(await shown(), [second, first])
  await who.post(path, { csrf, act: 'picture-remove', picture: second })
  t.deepEqual(await shown(), [first])
})

test('N-105 a member prices a resource and asks for a payment, changes both, and ends them', async (t) => {
  t.is((await make(RESOURCES, { title: 'Report', amount: '' })).status, 422)
  const resource = await make(RESOURCES, { title: 'Report', amount: '4', currency: 'usd' })
  const resId = slugIn(resource)
  t.is((await who.send(`${RESOURCES}/${resId}`, { act: 'change', title: 'Reports', listed: '1' })).status, 303)
  const read = () => app.call('GET', `/v1/resources?res_id=${resId}`, { key })
  t.like((await ok(read())).json, { title: 'Reports', listed: true, amount: 4 })
  t.is((await who.send(`${RESOURCES}/${resId}`, { act: 'end' })).location, `${RESOURCES}?done=ended`)
  t.is((await read()).status, 404)

  t.is((await make(REQUESTS, { title: 'Invoice 7', amount: '4', redirect: 'javascript:alert(1)' })).status, 422)
  const request = await make(REQUESTS, { title: 'Invoice 7', amount: '4', currency: 'USD', expiry: '1h' })
  const id = slugIn(request)
  const path = `${REQUESTS}/${id}`
  t.is((await who.send(path, { act: 'change', title: 'Invoice 8', amount: '5,5' })).location, `${path}?done=changed`)
  const asked = async () => (await ok(app.call('GET', `/v1/payment-requests?id=${id}`, { key }))).json.payment_request
  t.like(await asked(), { title: 'Invoice 8', amount: 5.5, status: 'open', expiry: '1h' })
  const wrong = await who.send(path, { act: 'change', title: 'Invoice 8', amount: 'much' })
  t.is(wrong.status, 422)
  t.regex(wrong.text, /id="row-amount-error"/)
  t.is((await who.send(path, { act: 'end' })).location, `${path}?done=ended`)
  t.like(await asked(), { status: 'expired' })
  t.notRegex((await who.open(path)).text, /value="end"|value="change"/)
})

test('N-105 each list is narrowed by its address, has the same as CSV, and goes on by its keys', async (t) => {
  const { who: seller, key: own } = await signedInMember(app)
  await ok(app.call('POST', '/v1/wallets', { key: own, body: { asset: 'eth', address: freshAddress() } }))
  const lists = [
    [PRODUCTS, '/v1/checkouts', { price: 3 }, 'listed=0'],
    [RESOURCES, '/v1/resources', { amount: 3, currency: 'USD' }, 'listed=1'],
    [REQUESTS, '/v1/payment-requests', { amount: 3, currency: 'USD' }, 'status=paid'],
  ] as const
  for (const [path, api, facts, none] of lists) {
    t.regex((await seller.open(path)).text, /class="empty"/)
    for (let n = 0; n < 52; n++)
      await ok(app.call('POST', api, { key: own, body: { ...facts, title: n === 7 ? '=Übung' : `Thing ${n}` } }))
    const listed = (text: string) => [...text.matchAll(/class="row-link" href="([^"]+)"/g)].map(([, href]) => href)
    const first = await seller.open(path)
    const older = /<a href="([^"]+)" rel="next">/.exec(first.text)?.[1] ?? ''
    const second = await seller.open(older)
    t.is(listed(first.text).length, 50, path)
    t.is(new Set([...listed(first.text), ...listed(second.text)]).size, 52, path)
    t.is(listed((await seller.open(`${path}?search=UBUNG`)).text).length, 1, path)
    t.is(listed((await seller.open(`${path}?${none}`)).text).length, 0, path)
    t.is((await seller.open(`${path}?${none.split('=')[0]}=x`)).status, 422, path)
    t.is(listed((await seller.open(`${path}?test=1`)).text).length, 0, path)
    const file = await seller.open(`${path}.csv?search=thing`)
    t.regex(file.headers.get('content-type') ?? '', /^text\/csv/)
    t.is(file.text.trim().split('\n').length, 52, path)
    t.true((await seller.open(`${path}.csv?search=ubung`)).text.includes(`"'=Übung"`), 'a formula is made harmless')
  }
})

test('N-105 the links of another account are not found, and the screens speak German', async (t) => {
  const { who: stranger } = await signedInMember(app)
  const { slug } = (await ok(app.call('POST', '/v1/checkouts', { key, body: { title: 'Mine', price: 5 } }))).json
    .checkout
  t.is((await stranger.open(`${PRODUCTS}/${slug}`)).status, 404)
  const { csrf = '' } = hiddenIn((await stranger.open(`${PRODUCTS}?new=1`)).text)
  for (const fields of [{ act: 'end' }, { act: 'test' }, { act: 'stock', way: 'set' }])
    t.is((await stranger.post(`${PRODUCTS}/${slug}`, { csrf, ...fields })).status, 404, fields.act)
  for (const [path, said] of [
    [PRODUCTS, 'Links und Produkte'],
    [`${PRODUCTS}/${slug}`, 'Weitergeben'],
    [`${PRODUCTS}?new=1`, 'Ein Produkt anlegen'],
  ] as const)
    t.true((await who.open(path, { 'accept-language': 'de' })).text.includes(said), path)
})
