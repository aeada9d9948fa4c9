import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { BROWSER, choose, look, payPage, saidIn } from '../../support/buyer.ts'
import { deepTest } from '../../support/deep-test.ts'
import { ok } from '../../support/seller.ts'
import { brand, orderTold, putOnLander, putOnSale, storeOf } from '../../support/storefront.ts'
import { storeCalls, walletHolder } from '../../support/stores.ts'
import { refused, strictly } from '../strict.ts'

/** The public pages of a store, as people and as machines get them. */

const PAGE = 24
const FORMS = { accept: BROWSER, 'content-type': 'application/x-www-form-urlencoded' }

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('S-SITE-01 a store shows what it sells a page at a time, newest first, to people and to machines alike', async (t) => {
  const key = await walletHolder(app)
  const { id: branch } = (await storeCalls(app).create(key)).store
  const other = await save(key, { title: 'Of the branch', store_id: branch })
  const titles = Array.from({ length: PAGE + 2 }, (_, n) => `Tea no. ${n}`)
  for (const title of titles) await save(key, { title })
  const gone = await save(key, { title: 'Sold out' })
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${gone.id}`, { key }))
  const store = await storeOf(app, gone)

  const first = await look(app, store)
  t.is(first.status, 200)
  t.deepEqual(titlesIn(first.text), titles.toReversed().slice(0, PAGE))
  t.regex(first.text, /<a href="\?page=2" rel="next">/)
  const last = await look(app, `${store}?page=2`)
  t.deepEqual(titlesIn(last.text), titles.toReversed().slice(PAGE))
  t.notRegex(last.text, /rel="next"/)
  t.regex(saidIn(await look(app, `${store}?page=1000`)), /nothing more on this page/)

  const told = await strictly(t, app)('GET', store)
  t.like(told.json, { handle: store.split('/')[2], title: 'Shop', page: 1 })
  t.deepEqual(
    told.json.products.map(({ title }: { title: string }) => title),
    titlesIn(first.text),
  )
  t.like(told.json.products[0], { ...TEA, title: titles.at(-1) })
  t.is((await look(app, new URL(told.json.products[0].url).pathname)).status, 200)
  const next = new URL(told.json.next)
  t.is((await strictly(t, app)('GET', next.pathname + next.search)).json.next, null)

  t.deepEqual(titlesIn((await look(app, `${store}-${branch}`)).text), ['Of the branch'])
  t.regex((await look(app, other.path)).text, new RegExp(`href="${store}-${branch}"`))
  t.regex(first.text, /<section class="hero/)
  await ok(app.call('PUT', '/v1/site', { key, body: { layout: 'gallery' } }))
  const shelves = async () => !(await look(app, store)).text.includes('<section class="hero')
  await eventually('a page that says its name once', shelves)
  for (const { text, headers } of [first, last, told])
    t.false((text + JSON.stringify([...headers])).includes(gone.accountId), 'nothing names the account')
})

test('S-SITE-01 a store that is closed, deleted or never was is not there, and which of them it is nobody is told', async (t) => {
  const key = await walletHolder(app)
  const { create, change, remove } = storeCalls(app)
  const [closed, deleted] = [(await create(key)).store.id, (await create(key)).store.id]
  const { path } = await save(key, { store_id: closed })
  const sold = await save(key, {})
  const [{ accountId }, store] = [sold, await storeOf(app, sold)]
  await ok(change(key, closed, { status: 'inactive' }))
  await ok(remove(key, deleted))
  const paths = [`${store}-${closed}`, `${store}-${deleted}`, `${store}-99`, '/shop/aaaaaaaaaaaa', `/shop/${accountId}`]
  await eventually('the store to close', async () => (await look(app, paths[0] as string)).status === 404)
  const pages = new Set<string>()
  for (const each of paths) {
    const page = await look(app, each)
    t.is(page.status, 404, each)
    pages.add(page.text)
  }
  t.is(pages.size, 1)
  await refused(
    t,
    app,
    paths.map((each) => ({ what: each, method: 'GET', path: each, status: 404, code: 'svc_not_found' })),
  )
  for (const page of ['0', '1001', '-1', '1e3', 'x'])
    await refused(t, app, [
      { what: page, method: 'GET', path: `${store}?page=${page}`, status: 400, code: 'svc_invalid_request' },
    ])
  t.notRegex((await look(app, path)).text, /href="\/shop/, 'nothing leads to a store that is closed')
  const unknown = await look(app, '/buy/nothing-1')
  t.is(unknown.status, 404)
  t.regex(unknown.text, /This is not for sale/)
})

deepTest(
  'S-SITE-01 J-SET-04 what is shown may run nothing, load nothing from elsewhere, and says who is paid',
  async (t) => {
    const key = await walletHolder(app)
    const hostile = `</title><script>alert(1)</script>"'>{{1234*4321}}\${1234*4321}`
    const sold = await save(key, { title: hostile, description: hostile })
    const [{ path }, store] = [sold, await storeOf(app, sold)]
    const plain = await look(app, store)
    t.is(policyOf(plain.headers)['img-src'], "'self'")
    await brand(app, key, {
      brandName: hostile.slice(0, 40),
      logoUrl: "https://shop.example/a.png?;script-src 'unsafe-inline'",
      color1: '#ffee00',
    })
    for (const each of [store, path]) {
      const { text, headers, status } = await look(app, each)
      t.is(status, 200)
      const { 'style-src': style, ...policy } = policyOf(headers)
      t.deepEqual(policy, {
        'default-src': "'none'",
        'img-src': "'self' https://shop.example",
        'form-action': "'self'",
        'frame-ancestors': "'none'",
        'base-uri': "'none'",
      })
      t.regex(style ?? '', /^'self' 'sha256-[\w+/=]{44}'$/)
      t.notRegex(text, /<script|5332114/)
      t.regex(
        text,
        /<\/div><footer class="trust"><p>Sold by <bdi>.*<\/bdi>\.<\/p><p>You pay the seller directly\. Daybook shows/,
      )
      t.is((await app.call('HEAD', each, { headers: { accept: 'text/html' } })).status, 200)
    }
    t.is(plain.headers.get('cache-control'), 'public, max-age=30')
    t.regex(plain.text, new RegExp(`<link rel="canonical" href="[^"]*${store}"`))
    t.regex(plain.text, /<meta name="robots" content="index, follow"/)
    t.regex(
      (await look(app, path)).text,
      /<meta name="robots" content="noindex"/,
      'a payment link may be for one person',
    )
    for (const asset of ['store/store.css', 'store/store-icon.svg'])
      t.is((await app.call('GET', `/assets/${asset}`)).status, 200)
  },
)

deepTest(
  'S-LAN-01 S-LAN-05 a lander shows one product in its seller’s words, to people and to machines, until it is deleted',
  async (t) => {
    const key = await walletHolder(app)
    const sold = await save(key, {})
    const { slug } = sold
    const words = { headline: 'The tin that lasts', body: '<p>Unbroken <b>leaf</b><script>x</script></p>' }
    const { path: at, landerId } = await putOnLander(app, key, sold, { tpl: 'split', ...words })
    const page = await look(app, at)
    t.is(page.status, 200)
    t.regex(page.text, /<h1 dir="auto">The tin that lasts<\/h1>/)
    t.regex(page.text, /<div class="prose" dir="auto"><p>Unbroken <b>leaf<\/b><\/p><\/div>/)
    t.regex(page.text, new RegExp(`<form method="post" action="/buy/${slug}"`))
    t.regex((await look(app, await storeOf(app, sold))).text, new RegExp(`<li><a href="${at}">`))
    const { json } = await strictly(t, app)('GET', at)
    t.like(json, { slug, title: 'Assam', headline: words.headline, price: 48.5, image: null })
    t.is(new URL(json.buy.url).pathname, `/buy/${slug}`)
    t.is(json.offers, null)
    t.notRegex(page.text, /offer/i)
    t.is((await offer(at, OFFER)).status, 404)
    await ok(app.call('DELETE', `/v1/landers?lander_id=${landerId}`, { key }))
    t.is((await look(app, at)).status, 404)
    await refused(t, app, [{ what: 'a lander', method: 'GET', path: at, status: 404, code: 'svc_not_found' }])
  },
)

deepTest(
  'S-LAN-06 what a person offers at a lander reaches its seller, and a form that is refused comes back as it was typed',
  async (t) => {
    const key = await walletHolder(app)
    const lander = await putOnLander(app, key, await save(key, {}), { tpl: 'story', accepts_offers: true })
    const { path: at } = lander
    t.is(new URL((await strictly(t, app)('GET', at)).json.offers.url).pathname, `${at}/offers`)
    const reloaded = await app.call('GET', `${at}/offers`)
    t.deepEqual([reloaded.status, reloaded.headers.get('location')], [303, at])
    for (const [wrong, says] of [
      [{ amount: 'much' }, /please say what you would give/i],
      [{ email: 'ada' }, /check your email address/],
      [{ message: 'x'.repeat(2_001) }, /a shorter message/],
    ] as const) {
      const again = await offer(at, { ...OFFER, ...wrong })
      t.is(again.status, 400)
      t.regex(saidIn(again), says)
      t.regex(again.text, /<details class="offer" open>/)
      t.regex(again.text, /value="(40,50|much)"/, 'what was typed is still there')
    }
    const sent = await offer(at, OFFER)
    t.deepEqual([sent.status, sent.headers.get('location')], [303, `${at}?said=offered`])
    t.regex(saidIn(await look(app, `${at}?said=offered`)), /^Your offer was sent The seller of “Assam” has it now/)
    const offers = (await ok(app.call('GET', `/v1/landers?lander_id=${lander.landerId}&offers=1`, { key }))).json.offers
    t.is(offers.length, 1)
    t.like(offers[0], { ...OFFER, amount: 40.5, currency: 'USD', status: 'new' })
  },
)

deepTest(
  'C-SES-06 T-SES-03 C-ORD-01 the cart that an agent made is paid by a person at its page, and its order is one for people too',
  async (t) => {
    const key = await walletHolder(app)
    const { slug } = await save(key, {})
    const { cloud_token: cloud } = (await storeCalls(app).rotate(key, 1, 'cloud_token')).json
    const body = { line_items: [{ item: { id: slug }, quantity: 2 }], currency: 'USD' }
    const made = await ok(app.call('POST', `/checkout-sessions?cloud=${cloud}`, { body }))
    const at = new URL(made.json.continue_url).pathname
    t.is(
      saidIn(await look(app, at)).split(' What')[0],
      'Your order Item Amount Assam × 2 97.00 USD Total 97.00 USD Go to payment',
    )

    const pressed = await Promise.all([1, 2].map(() => app.call('POST', at, { headers: FORMS, body: '' })))
    const [door] = pressed.map(({ headers }) => headers.get('location') ?? '') as [string]
    t.deepEqual(
      pressed.map(({ status, headers }) => [status, headers.get('location')]),
      [
        [303, door],
        [303, door],
      ],
    )
    t.regex(saidIn(await look(app, at)), /Total 97\.00 USD Go to payment$/)
    await payPage(app, await choose(app, door, 'eth'))
    await app.anvil.mine(6)
    await eventually('the order', async () => /^Paid\. Thank you!/.test(saidIn(await look(app, at))))
    t.is((await app.call('POST', at, { headers: FORMS, body: '' })).headers.get('location'), at)
    t.true((await look(app, door)).text.includes(`<a href="${at}">See your order</a>`))
    const [, order = ''] = /href="(\/orders\/ord_[a-z2-7]{26})"/.exec((await look(app, at)).text) ?? []
    await orderTold(t, app, key, order)

    const dropped = (await ok(app.call('POST', `/checkout-sessions?cloud=${cloud}`, { body }))).json
    await ok(app.call('POST', `/checkout-sessions/${dropped.id}/cancel?cloud=${cloud}`, { body: {} }))
    t.regex(
      saidIn(await look(app, new URL(dropped.continue_url).pathname)),
      /^This order is closed .* Nothing can be paid/,
    )
    for (const path of ['/session/cs_aaaaaaaaaaaaaaaaaaaaaaaaaa', '/session/x'])
      t.is((await look(app, path)).status, 404, path)
  },
)

const TEA = { price: 48.5, currency: 'USD', description: 'Whole leaf.' }

const save = (key: string, body: object) => putOnSale(app, key, { title: 'Assam', ...TEA, ...body })

const OFFER = { amount: '40,50', email: 'ada@example.test', message: 'By Friday?' }

const offer = (at: string, fields: Record<string, string>) =>
  app.call('POST', `${at}/offers`, { headers: FORMS, body: new URLSearchParams(fields).toString() })

const titlesIn = (text: string): string[] =>
  [...text.matchAll(/<h3 dir="auto">([^<]*)<\/h3>/g)].map(([, title]) => title ?? '')

const policyOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    (headers.get('content-security-policy') ?? '').split('; ').map((each) => {
      const [name = '', ...sources] = each.split(' ')
      return [name, sources.join(' ')]
    }),
  )
