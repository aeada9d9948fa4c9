import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, saidOf } from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'
import { addStore } from '../../support/stores.ts'
import { causedBy, refused, strictly } from '../strict.ts'

/** Landing pages, the slots that they take, and the offers that visitors make at them. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

const INVALID = { status: 400, code: 'svc_invalid_request' }
const MISSING = { status: 404, code: 'svc_not_found' }

const TEA = { title: 'Assam, two pounds', price: 48.5, description: 'Whole leaf.' }
const LANDER =
  'id checkout_id slug title tpl headline subline image accepts_offers store_id active url created_at updated_at'

const checkoutOf = async (key: string, more: object = {}) =>
  (await ok(app.call('POST', '/v1/checkouts', { key, body: { ...TEA, ...more } }))).json.checkout
const landerOf = async (key: string, checkout_id: number | string) =>
  (await ok(app.call('POST', '/v1/landers', { key, body: { checkout_id } }))).json.lander_id
const offeredTo = async (key: string) => {
  const checkout = await checkoutOf(key)
  const lander = await landerOf(key, checkout.id)
  await ok(app.call('PUT', `/v1/landers?lander_id=${lander}`, { key, body: { accepts_offers: true } }))
  const [at, body] = [`/l/${checkout.slug}/offers`, { amount: 40.5, email: 'ada@x.test', message: 'Please' }]
  return { lander, checkout, at, body, offerId: (await ok(app.call('POST', at, { body }))).json.offer_id }
}
const slotsOf = async (key: string) => (await ok(app.call('GET', '/v1/billing', { key }))).json.lander_slots

test('S-LAN-01 S-LAN-02 S-LAN-05 S-LAN-07 a lander is made for a payment link, read, changed and deleted', async (t) => {
  const { key } = await activeSeller(app)
  const call = strictly(t, app)
  t.deepEqual((await call('GET', '/v1/landers', { key })).json, { landers: [] })
  const checkout = await checkoutOf(key)
  const made = await call('POST', '/v1/landers', { key, body: { checkout_id: checkout.id, tpl: 'spotlight' } })
  t.deepEqual([made.status, made.json], [200, { lander_id: 1 }])
  const again = await call('POST', '/v1/landers', { key, body: { checkout_id: checkout.slug } })
  t.deepEqual(again.json, made.json)
  t.deepEqual(await causedBy(app, again.requestId), [])
  const { lander } = (await call('GET', '/v1/landers?lander_id=1', { key })).json
  t.is(Object.keys(lander).join(' '), `${LANDER} body`)
  t.like(lander, { id: 1, checkout_id: checkout.id, slug: checkout.slug, title: TEA.title, tpl: 'spotlight' })
  t.like(lander, { headline: '', image: null, body: '', accepts_offers: false, active: true, store_id: 1 })
  t.is(lander.url, `${app.served().origin}/l/${checkout.slug}`)

  const words = { headline: 'Picked last week', subline: 'From one hillside', body: '<p>Whole leaf</p>' }
  const image = `/assets/media/${'0'.repeat(32)}.webp`
  const edit = { ...words, tpl: 'story', accepts_offers: true, image: `https://shop.example${image}` }
  const changed = await call('PUT', '/v1/landers?lander_id=1', { key, body: edit })
  t.deepEqual([changed.status, changed.json], [200, { updated: true, id: 1 }])
  const now = (await call('GET', '/v1/landers?lander_id=1', { key })).json.lander
  t.like(now, { ...edit, image })
  const { body: _, ...listed } = now
  t.deepEqual((await call('GET', '/v1/landers', { key })).json, { landers: [listed] })
  const same = await call('PUT', '/v1/landers?lander_id=1', { key, body: { headline: words.headline } })
  t.deepEqual(same.json, changed.json)
  t.deepEqual(await causedBy(app, same.requestId), [])
  await call('PUT', '/v1/landers?lander_id=1', { key, body: { image: null } })
  t.like((await call('GET', '/v1/landers?lander_id=1', { key })).json.lander, { ...words, image: null })

  const gone = await call('DELETE', '/v1/landers?lander_id=1', { key })
  t.deepEqual([gone.status, gone.json], [200, { deleted: true, id: 1 }])
  t.deepEqual((await call('GET', '/v1/landers', { key })).json, { landers: [] })
  t.is(await landerOf(key, checkout.id), 2)
})

test('S-LAN-03 E-402-03 L-JSN-11 J-BIL-02 without a free slot there is no lander, until a pack is bought or one is deleted', async (t) => {
  const { key } = await activeSeller(app)
  const [first, second, third] = [await checkoutOf(key), await checkoutOf(key), await checkoutOf(key)]
  t.is(await slotsOf(key), 1)
  await landerOf(key, first.id)
  t.is(await slotsOf(key), 0)
  const none = { path: '/v1/landers', key, status: 402, code: 'no-free-lander-slots' }
  await refused(t, app, [{ what: 'a second one', ...none, body: { checkout_id: second.id } }])
  t.is(await landerOf(key, first.id), 1)
  const pack = await ok(app.call('POST', '/v1/billing', { key, body: { action: 'buy-lander-pack', qty: 1 } }))
  t.like(pack.json, { credit_balance: 3, lander_slots: 5 })
  t.is(await landerOf(key, second.id), 2)
  t.is(await slotsOf(key), 4)
  await ok(app.call('DELETE', '/v1/landers?lander_id=1', { key }))
  t.is(await slotsOf(key), 5)
  t.is(await landerOf(key, third.id), 3)
})

test('S-LAN-04 E-404-07 N-07 what is not a lander, or no payment link of the seller, is not found', async (t) => {
  const [{ key }, other] = await Promise.all([activeSeller(app), activeSeller(app)])
  const [checkout, theirs, deleted] = [await checkoutOf(key), await checkoutOf(other.key), await checkoutOf(key)]
  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${deleted.id}`, { key }))
  await landerOf(other.key, theirs.id)
  const path = '/v1/landers'
  const unknown = [1, 'tea-1', 'x', `x${checkout.slug}`, theirs.id, theirs.slug, deleted.id]
  await refused(t, app, [
    ...unknown.map((checkout_id) => ({ what: String(checkout_id), path, key, body: { checkout_id }, ...MISSING })),
    { what: 'reading', method: 'GET', path: `${path}?lander_id=1`, key, ...MISSING },
    { what: 'changing', method: 'PUT', path: `${path}?lander_id=1`, key, body: {}, ...MISSING },
    { what: 'deleting', method: 'DELETE', path: `${path}?lander_id=1`, key, ...MISSING },
    { what: 'offers', method: 'GET', path: `${path}?lander_id=1&offers=1`, key, ...MISSING },
    ...[{}, { checkout_id: null }, { checkout_id: checkout.id, tpl: 'nope' }, { checkout_id: checkout.id, x: 1 }].map(
      (body) => ({ what: JSON.stringify(body), path, key, body, ...INVALID }),
    ),
    { what: 'no number', method: 'GET', path: `${path}?lander_id=x`, key, ...INVALID },
    { what: 'a deletion of none', method: 'DELETE', path, key, ...INVALID },
  ])
  await landerOf(key, checkout.id)
  const wrong = [
    { tpl: 'nope' },
    { headline: 'x'.repeat(121) },
    { subline: 'x'.repeat(301) },
    { body: 'x'.repeat(8_001) },
    { accepts_offers: 'yes' },
    { checkout_id: 1 },
    { image: 'https://x.test/a.png' },
    { image: '' },
    { image: `javascript:/assets/media/${'0'.repeat(32)}.png` },
    { image: `/assets/media/../${'0'.repeat(32)}.png` },
  ]
  await refused(
    t,
    app,
    wrong.map((body) => ({
      what: JSON.stringify(body).slice(0, 60),
      method: 'PUT',
      path: `${path}?lander_id=1`,
      key,
      body,
      ...INVALID,
    })),
  )
})

test('S-LAN-06 offers of visitors are listed newest first, and each gets a status', async (t) => {
  const { key } = await activeSeller(app)
  const call = strictly(t, app)
  const checkout = await checkoutOf(key, { currency: 'EUR' })
  const lander = await landerOf(key, checkout.id)
  const at = `/l/${checkout.slug}/offers`
  const body = { amount: 40.5, email: 'ada@x.test', message: 'Would you take this?' }
  const closed = { what: 'where none are taken', path: at, body, ...MISSING }
  await refused(t, app, [closed, { ...closed, path: '/l/tea-1/offers' }])
  await call('PUT', `/v1/landers?lander_id=${lander}`, { key, body: { accepts_offers: true } })
  const first = await call('POST', at, { body })
  t.is(first.status, 200)
  t.is(Object.keys(first.json).join(' '), 'offer_id status')
  t.is(first.json.status, 'new')
  const bare = { amount: 30, currency: 'USD', email: 'bob@x.test' }
  const second = await call('POST', `/l/${checkout.id}/offers`, { body: bare })
  const { offers } = (await call('GET', `/v1/landers?offers=1&lander_id=${lander}`, { key })).json
  const shared = { lander_id: lander, checkout_id: checkout.id, status: 'new' }
  const [{ created_at: at2, ...newer }, { created_at: at1, ...older }] = offers
  t.deepEqual(newer, { id: second.json.offer_id, ...shared, ...bare, message: '' })
  t.deepEqual(older, { id: first.json.offer_id, ...shared, ...body, currency: 'EUR' })
  t.true(at1 <= at2)
  t.deepEqual((await call('GET', '/v1/landers?offers=1', { key })).json, { offers })
  t.deepEqual((await call('GET', '/v1/landers?offers=1&limit=1&offset=1', { key })).json, { offers: [offers[1]] })
  const stored = JSON.stringify(await saidOf(app, 'OfferMade', first.json.offer_id))
  t.false(/ada@x|Would you/.test(stored), 'who offers is sealed')
})

deepTest(
  'S-LAN-06 each offer gets a status, as often as the seller likes, and one that is none is refused',
  async (t) => {
    const { key } = await activeSeller(app)
    const call = strictly(t, app)
    const { lander, checkout, body, at, offerId } = await offeredTo(key)
    const say = (status: string, named = `offer_id=${offerId}`) =>
      call('PUT', `/v1/landers?${named}&offer_status=${status}`, { key })
    for (const status of ['viewed', 'accepted', 'rejected', 'spam', 'new', 'accepted']) {
      const { status: code, json } = await say(status)
      t.deepEqual([code, json], [200, { updated: true, offer_id: offerId }])
    }
    t.deepEqual(await causedBy(app, (await say('accepted')).requestId), [])
    t.like((await call('GET', '/v1/landers?offers=1', { key })).json.offers, [{ id: offerId, status: 'accepted' }])
    t.is((await say('viewed', `lander_id=${lander}&offer_id=${offerId}`)).status, 200)

    const stranger = await activeSeller(app)
    const about = `/v1/landers?offer_id=${offerId}`
    const telling = { method: 'PUT', body: {} }
    await refused(t, app, [
      { what: 'no such status', path: `${about}&offer_status=maybe`, key, ...telling, ...INVALID },
      { what: 'no status', path: about, key, ...telling, ...INVALID },
      { what: 'another lander', path: `${about}&offer_status=spam&lander_id=9`, key, ...telling, ...MISSING },
      { what: 'no such offer', path: '/v1/landers?offer_id=77&offer_status=spam', key, ...telling, ...MISSING },
      { what: 'another seller', path: `${about}&offer_status=spam`, key: stranger.key, ...telling, ...MISSING },
      ...[
        {},
        { ...body, amount: 0 },
        { ...body, email: 'ada' },
        { ...body, message: 'x'.repeat(2_001) },
        { ...body, x: 1 },
      ].map((body) => ({ what: JSON.stringify(body).slice(0, 60), path: at, body, ...INVALID })),
      { what: 'a currency that nobody prices', path: at, body: { ...body, currency: 'XQX' }, ...INVALID },
    ])
    await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${checkout.id}`, { key }))
    t.like((await call('GET', `/v1/landers?lander_id=${lander}`, { key })).json.lander, { active: false })
    await refused(t, app, [{ what: 'what is not sold any more', path: at, body, ...MISSING }])
    t.is((await call('GET', '/v1/landers?offers=1', { key })).json.offers.length, 1)
  },
)

test('J-AUTH-04 the key of a store sees and touches the landers and the offers of its own links alone', async (t) => {
  const { key } = await activeSeller(app)
  await ok(app.call('POST', '/v1/billing', { key, body: { action: 'buy-lander-pack', qty: 1 } }))
  const store = await addStore(app, key)
  const [mine, theirs] = [await checkoutOf(store.key), await checkoutOf(key)]
  const [own, foreign] = [await landerOf(store.key, mine.id), await landerOf(key, theirs.id)]
  const offers: number[] = []
  for (const [lander, { slug }] of [
    [own, mine],
    [foreign, theirs],
  ] as const) {
    await ok(app.call('PUT', `/v1/landers?lander_id=${lander}`, { key, body: { accepts_offers: true } }))
    const body = { amount: 5, email: 'ada@x.test' }
    offers.push((await ok(app.call('POST', `/l/${slug}/offers`, { body }))).json.offer_id)
  }
  const call = strictly(t, app)
  const ids = async (path: string, of: string) =>
    (await call('GET', path, { key: store.key })).json[of].map(({ id }: { id: number }) => id)
  t.deepEqual(await ids('/v1/landers', 'landers'), [own])
  t.deepEqual(await ids('/v1/landers?offers=1', 'offers'), [offers[0]])
  const missing = { key: store.key, ...MISSING }
  const path = `/v1/landers?lander_id=${foreign}`
  await refused(t, app, [
    { what: 'making', path: '/v1/landers', body: { checkout_id: theirs.id }, ...missing },
    { what: 'reading', method: 'GET', path, ...missing },
    { what: 'changing', method: 'PUT', path, body: { headline: 'x' }, ...missing },
    { what: 'deleting', method: 'DELETE', path, ...missing },
    { what: 'offers', method: 'GET', path: `${path}&offers=1`, ...missing },
    {
      what: 'answering',
      method: 'PUT',
      path: `/v1/landers?offer_id=${offers[1]}&offer_status=spam`,
      body: {},
      ...missing,
    },
  ])
  const told = await call('PUT', `/v1/landers?offer_id=${offers[0]}&offer_status=viewed`, { key: store.key })
  t.is(told.status, 200)
  t.is((await call('DELETE', `/v1/landers?lander_id=${own}`, { key: store.key })).status, 200)
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))
