import test from 'ava'
import { eventually } from '../../../src/demo/eventually.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, payPage, saidIn } from '../../support/buyer.ts'
import { assertReplayEqual, postFor, saidOf, shop, transactionsOf } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'
import { changeSettings } from '../../support/settings.ts'
import { refused, strictly } from '../strict.ts'

/** The page at which a saved payment link is bought. */

const FORM = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }
const TEA = { title: 'Assam, two pounds', price: 48.5, description: 'Whole leaf.' }

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('M-CHK-01 what a link sells is bought at its page, by one payment request for each buyer, and completes', async (t) => {
  const s = await shop(app)
  await changeSettings(app, s.resId, { branding: { brandName: 'Harbour Tea' } })
  const { id, slug, url } = (await ok(app.call('POST', '/v1/checkouts', { key: s.key, body: TEA }))).json.checkout
  const path = new URL(url).pathname
  const page = await look(app, path)
  t.is(page.status, 200)
  t.regex(page.text, /Harbour Tea/)
  t.is(saidIn(page), 'Assam, two pounds Whole leaf. 48.50 USD Pay You choose the coin on the next page.')
  t.is((await look(app, `/buy/${id}`)).status, 200)
  const told = await strictly(t, app)('GET', path)
  t.deepEqual(told.json, {
    ...{ slug, ...TEA, currency: 'USD', asset: null },
    buy: { method: 'POST', url },
  })
  t.deepEqual((await look(app, `${path}?agent=1`)).json, told.json)
  const { accountId } = (await saidOf(app, 'CheckoutCreated', String(id)))[0] ?? {}
  for (const { text, headers } of [page, told])
    t.false((text + JSON.stringify([...headers])).includes(accountId as string), 'nothing names the seller')
  t.deepEqual(await transactionsOf(app, s.key), [], 'looking opens nothing')

  const bought = await Promise.all([buy(path), buy(`/buy/${id}`), app.call('POST', path)])
  const [first, second, third] = bought.map(({ status, headers }) => {
    t.is(status, 303)
    return headers.get('location') as string
  }) as [string, string, string]
  t.is(new Set([first, second, third]).size, 3)
  t.is((await app.call('GET', third)).status, 402, 'a machine finds the payment door there')

  const request = await look(app, first)
  t.regex(saidIn(request), /^Pay 48\.50 USD Assam, two pounds/)
  await payPage(app, await choose(app, first, 'eth'))
  await app.anvil.mine(6)
  await eventually('the receipt', async () => /^Paid/.test(saidIn(await look(app, first))))
  const posted = JSON.parse((await postFor(app, 'Assam, two pounds')).body).transaction
  t.like(posted, { status: 'C', title: TEA.title, amount_fiat: '48.5', currency: 'USD' })
  const states = (await transactionsOf(app, s.key)).map(({ status }) => status)
  t.deepEqual(states.toSorted(), ['C', 'P', 'P'])
  const opened = await saidOf(app, 'TransactionCreated', `"checkoutId":"${id}"`)
  t.is(opened.length, 3)

  await ok(app.call('DELETE', `/v1/checkouts?checkout_id=${id}`, { key: s.key }))
  t.is((await look(app, path)).status, 404)
  t.is((await buy(path)).status, 404)
  t.regex(saidIn(await look(app, first)), /^Paid/, 'what was sold stays')
})

test('M-CHK-01 what cannot be paid right now is not sold, and opens nothing', async (t) => {
  const s = await shop(app)
  const save = async (asset: string | null) =>
    new URL((await ok(app.call('POST', '/v1/checkouts', { key: s.key, body: { ...TEA, asset } }))).json.checkout.url)
      .pathname
  const [inEther, inDollars] = [await save('eth'), await save('usdc')]
  t.regex(saidIn(await look(app, inEther)), /48\.50 USD Pay To be paid in ETH\.$/)
  t.regex(saidIn(await look(app, inDollars)), /The seller cannot receive payments right now/)
  t.is((await buy(inDollars)).status, 503)
  await refused(t, app, [
    { what: 'buying it', path: inDollars, status: 503, code: 'svc_unavailable' },
    { what: 'a body', path: inEther, body: { amount: 1 }, status: 400, code: 'svc_invalid_request' },
  ])
  t.deepEqual(await transactionsOf(app, s.key), [])
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

const buy = (path: string) => app.call('POST', path, { headers: FORM })
