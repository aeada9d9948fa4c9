import test from 'ava'
import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose'
import { authorize, verifyOwn } from '../../adapters/ap2/merchant-authorization.ts'
import { merchantKeyList, publishedKeys, rotateMerchantKey } from '../../adapters/ap2/merchant-keys.ts'
import { merchantKeyAt, merchantKeys, merchantKeysAt } from '../../domain/commerce/merchant-keys.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { codeOf } from '../domain/flow-setup.ts'
import { keyFlow, SHOP } from '../support/mandates/shop.ts'

/** The keys of sellers, and what they sign with them: no app, the real decider on a log in memory. */

const MINUTE = 60_000
const content = {
  ucp: { version: '2026-04-08' },
  id: 'cs_1',
  status: 'incomplete',
  currency: 'EUR',
  links: [],
  line_items: [{ id: 'li_1', item: { id: 'res_1', title: 'Tee "Größe" 😀', price: 2_500 }, quantity: 2, totals: [] }],
  totals: [{ type: 'total', amount: 5_000 }],
}

test('C-SES-08 merchant_authorization is a detached ES256 signature over the content that others verify with the published key', async (t) => {
  const { flow } = keyFlow()
  const { authorization, checkoutJwt } = await authorize(flow, SHOP, { ...content, ap2: { nonce: 'n' } })
  const [header = '', middle, signature = ''] = authorization.split('.')
  t.is(middle, '')
  const [published] = await publishedKeys(flow, SHOP)
  t.is(Buffer.from(header, 'base64url').toString(), `{"alg":"ES256","kid":"${published?.kid}"}`)
  t.is(published?.kid, await calculateJwkThumbprint({ ...published }))
  t.deepEqual(Object.keys(published ?? {}).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])

  // As a platform does it: the content from the answer, in the canonical order, which for this one is written down
  // here.
  const canonical =
    '{"currency":"EUR","id":"cs_1","line_items":[{"id":"li_1","item":{"id":"res_1","price":2500,"title":"Tee \\"Größe\\" 😀"},' +
    '"quantity":2,"totals":[]}],"links":[],"status":"incomplete","totals":[{"amount":5000,"type":"total"}],"ucp":{"version":"2026-04-08"}}'
  const jws = `${header}.${Buffer.from(canonical).toString('base64url')}.${signature}`
  const { payload } = await compactVerify(jws, await importJWK({ ...published }, 'ES256'), { algorithms: ['ES256'] })
  t.is(Buffer.from(payload).toString(), canonical)
  t.is(checkoutJwt, jws)
  t.is(Buffer.from(signature, 'base64url').length, 64)
})

test('C-SES-08 the same content has the same signature, whoever asks and in whatever order its members stand', async (t) => {
  const { flow, again } = keyFlow()
  const first = await authorize(flow, SHOP, content)
  const turned = Object.fromEntries(Object.entries(content).toReversed())
  t.deepEqual(await authorize(flow, SHOP, turned), first)
  t.deepEqual(await authorize(again(), SHOP, content), first)
  t.notDeepEqual(await authorize(flow, SHOP, { ...content, status: 'completed' }), first)
  t.notDeepEqual(await authorize(flow, 'acc_other', content), first)
})

test('a seller knows its own signature again, and nobody else’s', async (t) => {
  const { flow } = keyFlow()
  const { checkoutJwt, authorization } = await authorize(flow, SHOP, content)
  t.deepEqual({ ...(await verifyOwn(flow, SHOP, checkoutJwt)) }, JSON.parse(JSON.stringify(content)))
  const other = await authorize(flow, 'acc_other', content)
  for (const wrong of [other.checkoutJwt, authorization, '', 'a.b.c', `${checkoutJwt}x`, checkoutJwt.slice(1)])
    t.is(await verifyOwn(flow, SHOP, wrong), undefined)
})

test('a rotated key signs ten minutes later, the one before it is published for a day more, and what it signed stays the same', async (t) => {
  const { flow, world } = keyFlow()
  const signedAt = world.now().toISOString()
  const first = await authorize(flow, SHOP, content)
  const kids = async () => (await merchantKeyList(flow, SHOP)).map(({ use }) => use)
  t.deepEqual(await kids(), ['signing'])
  await rotateMerchantKey(flow, SHOP)
  await rotateMerchantKey(flow, SHOP)
  t.deepEqual(await kids(), ['next', 'signing'])
  world.step(9 * MINUTE)
  t.deepEqual(await authorize(flow, SHOP, content), first)
  world.step(MINUTE)
  t.deepEqual(await kids(), ['signing', 'retiring'])
  const second = await authorize(flow, SHOP, content)
  t.notDeepEqual(second, first)
  t.deepEqual(await authorize(flow, SHOP, content, signedAt), first)
  world.step(25 * 60 * MINUTE - 1)
  t.truthy(await verifyOwn(flow, SHOP, first.checkoutJwt))
  world.step(1)
  t.deepEqual(await kids(), ['signing'])
  t.is(await verifyOwn(flow, SHOP, first.checkoutJwt), undefined)
  t.truthy(await verifyOwn(flow, SHOP, second.checkoutJwt))
})

test('C-SES-08 what is told of an old session is signed by a key that is published, however long ago it was signed first', async (t) => {
  const { flow, world } = keyFlow()
  const signedAt = world.now().toISOString()
  await authorize(flow, SHOP, content)
  await rotateMerchantKey(flow, SHOP)
  world.step(48 * 60 * MINUTE)
  t.truthy(await verifyOwn(flow, SHOP, (await authorize(flow, SHOP, content, signedAt)).checkoutJwt))
})

test('at most six keys are published at a time, and none of them is dropped before its day is over', async (t) => {
  const { flow, world } = keyFlow()
  const first = await authorize(flow, SHOP, content)
  for (let n = 0; n < 5; n++) {
    await rotateMerchantKey(flow, SHOP)
    world.step(10 * MINUTE)
  }
  t.is(await codeOf(rotateMerchantKey(flow, SHOP)), 'too-many-keys')
  t.truthy(await verifyOwn(flow, SHOP, first.checkoutJwt))
  world.step(25 * 60 * MINUTE)
  await rotateMerchantKey(flow, SHOP)
  t.is((await merchantKeyList(flow, SHOP)).length, 2)
})

test('the first key is made once, and one that is added twice yields one event', (t) => {
  const key = { kid: 'a', publicJwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }, privateKey: 'v1.k' } as const
  const at = (minute: number) => new Date(Date.parse('2026-03-02T10:00:00.000Z') + minute * MINUTE).toISOString()
  const begun = fold(merchantKeys, merchantKeys.decide.begin(merchantKeys.initial, key, at(0)))
  t.deepEqual(merchantKeys.decide.begin(begun, { ...key, kid: 'b' }, at(1)), [])
  t.deepEqual(merchantKeys.decide.rotate(begun, key, at(1)), [])
  const rotated = fold(merchantKeys, merchantKeys.decide.rotate(begun, { ...key, kid: 'b' }, at(1)), begun)
  t.deepEqual(merchantKeys.decide.rotate(rotated, { ...key, kid: 'c' }, at(2)), [])
  t.deepEqual(
    [at(-1), at(0), at(10), at(11)].map((when) => merchantKeyAt(rotated, when)?.kid),
    ['a', 'a', 'a', 'b'],
  )
  t.deepEqual(
    merchantKeysAt(rotated, at(11)).map(({ kid, use }) => `${kid} ${use}`),
    ['b signing', 'a retiring'],
  )
  t.is(merchantKeyAt(merchantKeys.initial, at(0)), undefined)
})
