import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, payPage, saidIn } from '../../support/buyer.ts'
import { consoleOk } from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
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
  t.is(saidIn(page), 'Assam, two pounds Whole leaf. 48.50 USD Pay You choose how to pay on the next page.')
  t.is((await look(app, `/buy/${id}`)).status, 200)
  const told = await strictly(t, app)('GET', path)
  t.deepEqual(told.json, {
    slug,
    ...TEA,
    currency: 'USD',
    asset: null,
    in_stock: true,
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

deepTest('M-CHK-01 what cannot be paid right now is not sold, and opens nothing', async (t) => {
  const s = await shop(app)
  const save = async (asset: string) =>
    new URL((await ok(app.call('POST', '/v1/checkouts', { key: s.key, body: { ...TEA, asset } }))).json.checkout.url)
      .pathname
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
  const [inEther, inDollars] = [await save('eth'), await save('usdc')]
  await ok(app.call('DELETE', '/v1/wallets?asset=usdc', { key: s.key }))
  t.regex(saidIn(await look(app, inEther)), /48\.50 USD Pay To be paid in ETH\.$/)
  t.regex(saidIn(await look(app, inDollars)), /The seller cannot receive payments right now/)
  t.is((await buy(inDollars)).status, 503)
  await refused(t, app, [
    { what: 'buying it', path: inDollars, status: 503, code: 'svc_unavailable' },
    { what: 'a body', path: inEther, body: { amount: 1 }, status: 400, code: 'svc_invalid_request' },
  ])
  t.deepEqual(await transactionsOf(app, s.key), [])
})

/** A seller who asks for a size, a note and a consent, and takes a code. */
const asking = async () => {
  const s = await shop(app)
  const post = async (path: string, body: object) => (await ok(app.call('POST', path, { key: s.key, body }))).json
  await post('/v1/custom-fields', { type: 'select', label: 'Size', options: ['Small', 'Large'], required: true })
  await post('/v1/custom-fields', { type: 'textarea', label: 'Note' })
  await post('/v1/custom-fields', { type: 'checkbox', label: 'I agree', required: true })
  await post('/v1/discount-codes', { code: 'Harvest 20', multiplier: 0.8 })
  const { checkout } = await post('/v1/checkouts', { ...TEA, title: 'Darjeeling' })
  return { ...s, path: new URL(checkout.url).pathname, id: String(checkout.id) }
}
const recordOf = async (key: string) => (await ok(app.call('GET', '/v1/transactions', { key }))).json.transactions[0]

test('S-FLD-04 S-DSC-02 I-DSC-01 what a buyer answers at the page stands in the paid transaction, whose price the code has lowered', async (t) => {
  const { key, path, id } = await asking()
  const page = await look(app, path)
  for (const part of [
    /<select[^>]* name="field-0"/,
    /<textarea[^>]* name="field-1"/,
    /type="checkbox"[^>]* name="field-2"/,
  ])
    t.regex(page.text, part)
  t.regex(saidIn(page), /Size Please choose Small Large Note \(optional\) I agree Discount code \(optional\) Pay/)
  const send = (typed: Record<string, string>) =>
    app.call('POST', path, { headers: FORM, body: new URLSearchParams(typed).toString() })
  const note = 'For <Ada>:\r\nno ribbon'
  const wrong = await send({ 'field-0': '', 'field-1': note, discount_code: 'nope' })
  t.is(wrong.status, 400)
  t.regex(
    saidIn(wrong),
    /Size Please answer this\..*Please answer this\. I agree.*This discount code is not known here\./,
  )
  t.regex(wrong.text, /For &lt;Ada>:\r?\nno ribbon<\/textarea>/, 'what was typed stays')
  t.regex(wrong.text, /value="nope"/)
  t.deepEqual((await ok(app.call('GET', '/v1/transactions', { key }))).json.transactions, [])

  const right = { 'field-0': 'Large', 'field-1': note, 'field-2': 'on', discount_code: ' HARVEST 20' }
  const bought = await send(right)
  t.is(bought.status, 303)
  const request = bought.headers.get('location') as string
  t.regex(saidIn(await look(app, request)), /^Pay 38\.80 USD.*48\.50 USD, less 9\.70 USD discount/)
  await payPage(app, await choose(app, request, 'eth'))
  await app.anvil.mine(6)
  const description = 'Size: Large\nNote: For <Ada>:\n  no ribbon\nI agree: true'
  const told = { description, discount_code: 'Harvest 20', amount_fiat: '38.8', checkout_id: id, status: 'C' }
  const record = await eventually('the settlement', async () => {
    const found = await recordOf(key)
    return found.status === 'C' && found
  })
  t.like(record, told)
  t.like(JSON.parse((await postFor(app, 'Size: Large')).body).transaction, told)
  t.like(await consoleOk(app, key, 'get-transaction', { transaction_id: record.id }), told)
  const csv = await app.call('GET', '/v1/transactions?download=1', { key })
  t.true(csv.text.includes(`"${description}"`))
  t.false(JSON.stringify(await saidOf(app, 'TransactionCreated', id)).includes('ribbon'), 'the answers are sealed')

  const write = (description: string) =>
    consoleOk(app, key, 'update-transaction', {
      transaction_id: record.id,
      values: JSON.stringify({ description }),
    })
  t.is((await write('')).description, '')
  t.is((await recordOf(key)).description, '')
  t.is((await write('=ours')).description, '=ours')
  const edited = await app.call('GET', '/v1/transactions?download=1', { key })
  t.regex(edited.text, /,'=ours,/)
  t.false(edited.text.includes('ribbon'))
})

deepTest(
  'S-FLD-04 S-DSC-02 a program is told what is asked, answers in JSON, and hears which answer is wrong',
  async (t) => {
    const { key, path } = await asking()
    const call = strictly(t, app)
    const told = (await call('GET', path)).json
    t.is(told.discount_codes, true)
    t.deepEqual(told.fields, (await call('GET', '/v1/custom-fields', { key })).json.custom_fields)
    const fields = { Size: 'Small', 'I agree': true }
    const wrong: [body: object, message: RegExp][] = [
      [{}, /fields\.Size: .*fields\.I agree: /],
      [{ fields: { Size: 'Small' } }, /^fields\.I agree: Please answer this\.$/],
      [{ fields: { ...fields, Size: 'Medium' } }, /^fields\.Size: Please choose one of these\.$/],
      [{ fields: { ...fields, 'I agree': 'perhaps' } }, /^fields\.I agree: /],
      [{ fields: { ...fields, Note: 'x'.repeat(2_001) } }, /^fields\.Note: /],
      [{ fields: { ...fields, Colour: 'red' } }, /^fields\.Colour: This is not asked here: leave it out\.$/],
      [{ fields, discount_code: 'nope' }, /^discount_code: /],
      [{ fields, code: 'Harvest 20' }, /code/],
    ]
    for (const [body, message] of wrong) {
      const { status, json } = await app.call('POST', path, { body })
      t.like({ status, ...json }, { status: 400, error_code: 'svc_invalid_request' })
      t.regex(json.message, message)
    }
    const bought = await app.call('POST', path, { body: { fields, discount_code: 'harvest 20' } })
    t.is(bought.status, 303)
    const { description, discount_code, amount_fiat } = await eventually('the record', () => recordOf(key))
    t.deepEqual([description, discount_code, amount_fiat], ['Size: Small\nI agree: true', 'Harvest 20', '38.8'])
    const dear = await app.call('POST', path, { body: { fields } })
    t.is((await app.call('GET', dear.headers.get('location') as string)).status, 402)
    await eventually('the whole price', async () => (await recordOf(key)).amount_fiat === '48.5')
    t.false('discount_code' in (await recordOf(key)))
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const buy = (path: string) => app.call('POST', path, { headers: FORM })
