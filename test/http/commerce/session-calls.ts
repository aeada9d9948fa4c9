import test from 'ava'
import canonicalize from 'canonicalize'
import { compactVerify } from 'jose'
import { buyerOf, type CommerceScene, cart, commerceShop } from '../../support/commerce.ts'
import { deepTest } from '../../support/deep-test.ts'
import { transactionsOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { causedBy } from '../strict.ts'

/** A cart that a program fills: what is told of it, and what is refused. */
export const sessionCalls = (scene: CommerceScene): void => {
  test('C-SES-01 T-SES-01 a session of one product is incomplete, has its sums in cents, and its merchant’s signature', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const { status, json } = await buyer.create(cart([shop.widget]))
    t.is(status, 200)
    t.like(json, { status: 'incomplete', currency: 'USD' })
    const [line] = json.line_items
    t.like(line, { id: 'li_1', item: { id: shop.widget, title: 'Widget', price: 2500 }, quantity: 1 })
    t.deepEqual(
      json.totals.map(({ type, amount }: { type: string; amount: number }) => [type, amount]),
      [
        ['subtotal', 2500],
        ['total', 2500],
      ],
    )
    t.regex(json.ap2.nonce, /^[0-9a-f]{48}$/)
    t.deepEqual((await buyer.read(json.id)).json, json)
  })

  deepTest('C-SES-06 a session that no coin can pay any more is refused, and nothing is made of it', async (t) => {
    const { app } = scene()
    const own = await commerceShop(app, { webhook: false })
    const { id } = await buyerOf(app, own).create(cart([own.widget]))
    for (const asset of ['eth', 'usdc_base'])
      await ok(app.call('DELETE', `/v1/wallets?asset=${asset}`, { key: own.key }))
    const headers = { 'x-request-id': 'unpayable-session' }
    const { status, json } = await buyerOf(app, own).complete(id, {}, headers)
    t.deepEqual([status, json.error, await causedBy(app, 'unpayable-session')], [400, 'svc_unknown_asset', []])
    t.is((await buyerOf(app, own).read(id)).json.status, 'incomplete')
  })

  test('C-SES-02 the token in the query names the merchant, and a key names nobody', async (t) => {
    const { app, shop } = scene()
    const other = await commerceShop(app, { webhook: false })
    const body = cart([shop.widget])
    const mine = await app.call('POST', `/checkout-sessions?cloud=${shop.cloud}`, { key: other.key, body })
    t.is(mine.status, 200)
    t.is((await app.call('POST', '/checkout-sessions', { key: shop.key, body })).status, 404)
    t.is((await buyerOf(app, other).create(body)).status, 404)
    t.is((await buyerOf(app, { cloud: 'ct_nobody' }).create(body)).status, 404)
    const there = await buyerOf(app, other).read(mine.json.id)
    t.deepEqual([there.status, there.json.error], [404, 'svc_not_found'])
    t.is((await buyerOf(app, other).cancel(mine.json.id)).status, 404)
  })

  deepTest(
    'C-SES-03 C-SES-09 I-CUR-01 a cart of several currencies has its sums in one, at rates that stay',
    async (t) => {
      const { app, shop } = scene()
      const buyer = buyerOf(app, shop)
      const euros = (await shop.product({ title: 'Livre', price: 19.99, currency: 'EUR' })).slug
      const yen = (await shop.product({ title: 'Hon', price: 1500, currency: 'JPY' })).slug
      const { json } = await buyer.create(cart([euros, 3], [shop.widget], [yen, 2]))
      t.is(json.currency, 'USD')
      const [book, , hon] = json.line_items
      t.is(book.item.price, Math.round(19.99 * Number(book.exchange_rate) * 100))
      t.is(hon.item.price, Math.round(1500 * Number(hon.exchange_rate) * 100))
      t.is(json.totals.at(-1).amount, 3 * book.item.price + 2500 + 2 * hon.item.price)
      t.deepEqual(
        json.messages.map(({ code, path }: { code: string; path: string }) => [code, path]),
        [
          ['currency_converted', '$.line_items[0]'],
          ['currency_converted', '$.line_items[2]'],
        ],
      )
      t.is((await buyer.create(cart([euros, 2]))).json.currency, 'EUR')
      const inYen = await buyer.create({ ...cart([shop.widget]), currency: 'JPY' })
      t.is(inYen.json.line_items[0].item.price, inYen.json.totals[0].amount)
    },
  )

  test('C-SES-01 C-SES-04 L-JSN-06 what is no cart is refused in words of both protocols, and nothing is made', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const item = { id: shop.widget }
    const bad: unknown[] = [
      {},
      { line_items: [] },
      ...[0, -1, 1.5, '2', 100_001].map((quantity) => ({ line_items: [{ item, quantity }] })),
      { line_items: Array(101).fill({ item }) },
      { ...cart([shop.widget]), currency: 'usd' },
      { ...cart([shop.widget]), currency: 'QQQ' },
      { ...cart([shop.widget]), buyer: 'me' },
      { ...cart([shop.widget]), buyer: { note: 'x'.repeat(9_000) } },
      { ...cart([shop.widget]), discounts: { codes: Array(11).fill('A') } },
      cart([shop.widget, 100_000], [shop.widget, 100_000], [(await shop.product({ price: 999_999_999 })).slug]),
      '[]',
      'nonsense',
    ]
    for (const body of bad) t.is((await buyer.create(body)).status, 400, JSON.stringify(body).slice(0, 80))
    const unknown = await buyer.create(cart([shop.widget], ['res_nothing']))
    t.deepEqual(
      [unknown.status, unknown.json.error, unknown.json.messages[0].code],
      [404, 'svc_not_found', 'not_found'],
    )
    t.is((await buyer.read('cs_nothing')).status, 404)
  })

  test('C-SES-05 E-404-05 E-404-06 X-IDEM-01 the same Idempotency-Key makes one session and answers it as it was made', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const key = { 'idempotency-key': 'cart-1' }
    const body = cart([shop.widget])
    const both = await Promise.all([buyer.create(body, key), buyer.create(body, key)])
    t.is(both[0].text, both[1].text)
    const { id } = both[0]
    const twice = cart([shop.widget, 2])
    const changed = await buyer.update(id, twice, { 'idempotency-key': 'change-1' })
    t.is(changed.json.totals.at(-1).amount, 5000)
    t.is(changed.json.ap2.nonce, both[0].json.ap2.nonce)
    await buyer.update(id, cart([shop.widget, 3]))
    const again = await buyer.update(id, twice, { 'idempotency-key': 'change-1' })
    t.deepEqual([again.text, again.headers.get('idempotency-replayed')], [changed.text, 'true'])
    t.is((await buyer.update(id, body, { 'idempotency-key': 'change-1' })).status, 409)
    t.is((await buyer.create(body, key)).text, both[0].text)
    t.is((await buyer.create(twice, key)).status, 409)
    t.is((await buyer.read(id)).json.totals.at(-1).amount, 7500)
    const done = await buyer.complete(id, {}, key)
    const redone = await buyer.complete(id, {}, key)
    t.deepEqual(redone.json.payment_handlers, done.json.payment_handlers)
    t.is(redone.headers.get('idempotency-replayed'), 'true')
    t.is((await buyer.update(id, body)).status, 409)
    const over = await buyer.cancel(id, { 'idempotency-key': 'stop' })
    t.is((await buyer.cancel(id, { 'idempotency-key': 'stop' })).text, over.text)
    t.is((await buyer.cancel(id)).status, 409)
    t.is((await buyer.order(`ord_${id.slice(3)}`)).status, 404)
  })

  deepTest('C-SES-08 the merchant signs the session’s content with a key that its profile publishes', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const { json } = await buyer.create(cart([shop.widget]))
    const { ap2, ...content } = json
    const [header, , signature] = ap2.merchant_authorization.split('.')
    const { signing_keys } = (await buyer.call('GET', '/.well-known/ucp')).json
    const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
    const jwk = signing_keys.find((each: { kid: string }) => each.kid === kid)
    const payload = Buffer.from(canonicalize(content) as string).toString('base64url')
    const verified = (text: string) => compactVerify(`${header}.${text}.${signature}`, jwk)
    t.like((await verified(payload)).protectedHeader, { alg: 'ES256' })
    const other = Buffer.from(canonicalize({ ...content, currency: 'EUR' }) as string).toString('base64url')
    await t.throwsAsync(verified(other))
  })

  deepTest('C-SES-14 T-SES-04 a canceled session has nothing left to pay, and is not completed', async (t) => {
    const { app, shop } = scene()
    const buyer = buyerOf(app, shop)
    const { id } = await buyer.create(cart([shop.widget]))
    const ready = await buyer.complete(id)
    const { pathname } = new URL(ready.json.continue_url)
    t.is((await app.call('GET', pathname)).status, 402)
    const { json } = await buyer.cancel(id)
    t.deepEqual([json.status, json.payment_handlers], ['canceled', undefined])
    t.is((await app.call('GET', pathname)).status, 410)
    for (const answer of [await buyer.complete(id), await buyer.update(id, cart([shop.widget]))])
      t.is(answer.status, 409)
  })

  deepTest(
    'S-FLD-04 what a seller asks of every buyer is answered by the program or by the person, before anything is minted',
    async (t) => {
      const { app } = scene()
      const shop = await commerceShop(app, { webhook: false })
      const field = { type: 'select', label: 'Size', options: ['S', 'L'], required: true }
      await ok(app.call('POST', '/v1/custom-fields', { key: shop.key, body: field }))
      const buyer = buyerOf(app, shop)
      const { id, json } = await buyer.create(cart([shop.widget]))
      t.like(json.messages[0], { type: 'error', code: 'missing', path: '$.custom_fields' })
      t.is((await buyer.complete(id)).status, 400)
      const answered = (custom_fields: object) => buyer.update(id, { ...cart([shop.widget]), custom_fields })
      for (const wrong of [{ Size: 'XL' }, { Colour: 'red' }]) t.is((await answered(wrong)).status, 400)
      t.is((await answered({ Size: 'L' })).json.messages, undefined)
      t.is((await buyer.complete(id)).status, 200)
      const other = (await buyer.create(cart([shop.widget]))).json
      const { pathname } = new URL(other.continue_url)
      const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
      const typed = (value: string) => app.call('POST', pathname, { headers, body: `field-0=${value}` })
      const again = await typed('')
      t.deepEqual([again.status, again.text.includes('Please answer this.')], [400, true], again.text)
      const led = await typed('S')
      t.deepEqual([led.status, led.headers.get('location')?.startsWith('/id/pr_')], [303, true])
      const descriptions = (await transactionsOf(app, shop.key)).map(({ description }) => description)
      t.deepEqual(descriptions.toSorted(), ['1 × Widget\nSize: L', '1 × Widget\nSize: S'])
    },
  )
}
