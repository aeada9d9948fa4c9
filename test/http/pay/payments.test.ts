import { Agent, request } from 'node:http'
import test from 'ava'
import { EXPIRIES } from '../../../domain/use-cases/selling/challenges/open-request.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { recordedTransaction } from '../../domain/samples.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { byLog } from '../../support/by-log.ts'
import {
  consoleCall,
  consoleOk,
  consoleRefusal,
  type Fields,
  offerAt,
  pageAt,
  recordOf,
} from '../../support/console.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { runs } from '../../support/depth.ts'
import { assertReplayEqual, saidOf, sell, shop, transactionsOf } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'
import { addStore, ownerOf } from '../../support/stores.ts'

/** Payments that are created on the console, and where they are paid and seen. */

const INVALID = '400 svc_invalid_request'
const NOT_FOUND = '404 svc_not_found'
const CALLS = runs({ quick: 200, deep: 1_000 })

let app: TestApp
test.before(async () => {
  app = await startApp({ env: { KEY_RATE_PER_SECOND: '2000', KEY_RATE_BURST: '4000' } })
})
test.after.always(() => app?.stop())

test('M-TXN-01 N-69 create-transaction answers a link and an id, and the transaction is pending', async (t) => {
  const s = await shop(app)
  const fields = { amount: '12.50', currency_code: 'usd', title: 'Invoice 7', description: 'two words' }
  const made = await consoleOk(app, s.key, 'create-transaction', { ...fields, external_reference: 'inv-7' })
  const { transaction_id, encrypted_id, payment_link, ...rest } = made
  t.deepEqual(rest, {
    amount: '',
    cryptocurrency: '',
    amount_fiat: '12.5',
    currency: 'USD',
    asked_in: 'fiat',
    expiry: '24h',
    status: 'P',
    external_reference: 'inv-7',
  })
  t.is(payment_link, `${app.served().origin}/id/${encrypted_id}`)
  const seen = await consoleOk(app, s.key, 'get-transaction', { transaction_id })
  t.like(seen, { status: 'P', title: 'Invoice 7', description: 'two words', amount_fiat: '12.5', currency: 'USD' })
  t.like(seen, { external_reference: 'inv-7', type: 'payment-request' })
  t.like((await transactionsOf(app, s.key))[0], seen)
  t.regex(await pageAt(app, payment_link), /Pay 12\.50 USD Invoice 7 two words/)
})

test('M-TXN-01 an amount with a coin alone is one of the coin, with a currency it is money, paid in that coin if one is named', async (t) => {
  const s = await shop(app)
  const create = (fields: Fields) => consoleOk(app, s.key, 'create-transaction', fields, '/payment/api.php')
  const inCoin = await create({ amount: '0.0123', cryptocurrency_code: 'ETH', expiry: '', currency_code: '' })
  // A coin is 2,500 dollars here, and a euro 1.16.
  const coin = { amount: '0.0123', cryptocurrency: 'eth', amount_fiat: '30.75', currency: 'USD' }
  t.like(inCoin, { ...coin, asked_in: 'coin' })
  t.like(await recordOf(app, s.key, inCoin), coin)
  t.regex((await offerAt(app, inCoin)).amount, /^0\.0123/)
  const both = await create({ amount: '20', cryptocurrency_code: 'eth', currency_code: 'EUR' })
  const priced = { amount: '0.00928', cryptocurrency: 'eth', amount_fiat: '20', currency: 'EUR' }
  t.like(both, { ...priced, asked_in: 'fiat' })
  t.like(await recordOf(app, s.key, both), priced)
  const money = await create({ amount: '20', currency_code: 'EUR' })
  t.like(money, { amount: '', cryptocurrency: '', amount_fiat: '20', currency: 'EUR', asked_in: 'fiat' })
  for (const expiry of Object.keys(EXPIRIES))
    t.is((await create({ amount: '1', currency_code: 'USD', expiry })).expiry, expiry)
})

test('M-TXN-01 what no transaction can be made of is refused in the envelope', async (t) => {
  const [s, walletless] = [await shop(app), await signUp(app)]
  const usd = { amount: '1', currency_code: 'USD' }
  for (const [fields, refusal] of [
    [{}, INVALID],
    [{ amount: '1' }, INVALID],
    [{ currency_code: 'USD' }, INVALID],
    [{ ...usd, amount: '0.00' }, INVALID],
    [{ ...usd, amount: '-1' }, INVALID],
    [{ ...usd, amount: '1e3' }, INVALID],
    [{ ...usd, amount: '1,5' }, INVALID],
    [{ ...usd, amount: '0.0000001' }, INVALID],
    [{ ...usd, amount: '1234567890' }, INVALID],
    [{ ...usd, currency_code: 'dollar' }, INVALID],
    [{ ...usd, currency_code: 'XXQ' }, INVALID],
    [{ ...usd, expiry: '2h' }, INVALID],
    [{ ...usd, external_reference: 'res_mine' }, INVALID],
    [{ ...usd, external_reference: 'x'.repeat(501) }, INVALID],
    [{ ...usd, redirect: 'javascript:alert(1)' }, INVALID],
    [{ ...usd, store_id: 'one' }, INVALID],
    [{ ...usd, store_id: '77' }, NOT_FOUND],
    [{ amount: '1', cryptocurrency_code: 'zzz' }, '400 svc_unknown_asset'],
    [{ amount: '1', cryptocurrency_code: 'usdc' }, INVALID],
    [{ amount: '0.000000000001', cryptocurrency_code: 'eth' }, INVALID],
  ] as const)
    t.is(await consoleRefusal(app, s.key, 'create-transaction', fields), refusal, JSON.stringify(fields))
  t.is(await consoleRefusal(app, walletless.key, 'create-transaction', usd), INVALID)
  t.is(await consoleRefusal(app, undefined, 'create-transaction', usd), '401 api-key-not-found')
  t.deepEqual(await transactionsOf(app, s.key), [])
})

test('M-TXN-02 X-IDEM-03 the same reference again is the same transaction, and on other terms a conflict', async (t) => {
  const [s, other] = [await shop(app), await shop(app)]
  const fields = { amount: '12.5', currency_code: 'USD', external_reference: 'order-1' }
  const create = (more: Fields, key = s.key) => consoleCall(app, key, 'create-transaction', { ...fields, ...more })
  const first = (await ok(create({}))).json.response
  for (const same of [
    {},
    { amount: '012.50' },
    { currency_code: 'usd' },
    { title: 'Other', expiry: '1h' },
    { store_id: '1' },
  ])
    t.deepEqual((await create(same)).json.response, first, JSON.stringify(same))
  for (const otherwise of [{ amount: '12.51' }, { currency_code: 'EUR' }, { cryptocurrency_code: 'eth' }]) {
    const { status, json } = await create(otherwise)
    t.deepEqual([status, json.error_code], [409, 'svc_conflict'], JSON.stringify(otherwise))
    t.regex(json.message, /external_reference/)
  }
  t.not((await create({}, other.key)).json.response.transaction_id, first.transaction_id)
  t.is((await transactionsOf(app, s.key)).length, 1)
  const [one, two] = [await create({ external_reference: '' }), await create({ external_reference: '' })]
  t.not(one.json.response.transaction_id, two.json.response.transaction_id)
  await consoleOk(app, s.key, 'delete-transaction', { transaction_id: first.transaction_id })
  t.like(await create({}), { status: 400, json: { success: false, error_code: 'svc_invalid_request' } })
})

test.serial(`M-TXN-02 X-IDEM-03 ${CALLS} calls at once with one reference make one transaction`, async (t) => {
  const s = await shop(app)
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  const form = new URLSearchParams({
    function: 'create-transaction',
    amount: '3',
    currency_code: 'USD',
    external_reference: 'order-many',
  }).toString()
  const answers = await Promise.all(Array.from({ length: CALLS }, () => posted(agent, s.key, form)))
  agent.destroy()
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  t.is(new Set(answers.map(({ text }) => text)).size, 1)
  const [record, ...more] = await transactionsOf(app, s.key)
  t.is(record?.id, JSON.parse(answers[0]?.text ?? '').response.transaction_id)
  t.deepEqual(more, [])
  t.is((await saidOf(app, 'TransactionCreated', 'order-many')).length, 1)
  t.is((await saidOf(app, 'PaymentRequestOpened', 'order-many')).length, 1)
})

test('M-TXN-03 M-TXN-04 M-SET-07 N-63 invoice and payment-link open for anybody, and encryption tells the id in them', async (t) => {
  const s = await shop(app)
  const made = await consoleOk(app, s.key, 'create-transaction', { amount: '7', currency_code: 'USD', title: 'Seven' })
  const { transaction_id } = made
  for (const name of ['invoice', 'payment-link']) {
    const { url } = await consoleOk(app, s.key, name, { transaction_id })
    t.is(url, made.payment_link)
    t.regex(await pageAt(app, url), /Pay 7\.00 USD Seven/)
  }
  const { encrypted_id } = await consoleOk(app, s.key, 'encryption', { transaction_id })
  t.is(encrypted_id, made.encrypted_id)
})

deepTest(
  'M-TXN-03 M-TXN-04 M-SET-07 the payment of a resource has its own receipt, until nothing is sold there any more',
  async (t) => {
    const [s, other] = [await shop(app), await shop(app)]
    const { offer, hash } = await sell(app, s)
    const transaction_id = (await transactionsOf(app, s.key))[0]?.id ?? ''
    const { url } = await consoleOk(app, s.key, 'invoice', { transaction_id })
    const page = await pageAt(app, url)
    t.regex(page, /Paid.*100\.00/)
    t.true(page.includes(hash) && page.includes(offer.challengeId))
    t.is((await consoleOk(app, s.key, 'payment-link', { transaction_id })).url, url)
    const { encrypted_id } = await consoleOk(app, s.key, 'encryption', { transaction_id })
    t.true(url.includes(encrypted_id))
    for (const name of ['invoice', 'payment-link', 'encryption']) {
      for (const id of [transaction_id, '1', 'x', `${transaction_id}0`])
        t.is(await consoleRefusal(app, other.key, name, { transaction_id: id }), NOT_FOUND, `${name} ${id}`)
      t.is(await consoleRefusal(app, s.key, name, {}), INVALID)
      t.is(await consoleRefusal(app, s.key, name, { transaction_id: '9'.repeat(33) }), INVALID)
    }
    await ok(app.call('DELETE', `/v1/resources?res_id=${s.resId}`, { key: s.key }))
    for (const name of ['invoice', 'payment-link'])
      t.is(await consoleRefusal(app, s.key, name, { transaction_id }), INVALID)
  },
)

deepTest('M-TXN-03 M-TXN-04 M-SET-07 a payment that was only settled here has no page', async (t) => {
  const s = await shop(app)
  const transaction_id = '4503599627370497'
  await byLog(app, async ({ transaction }) => {
    const { accountId } = await ownerOf(app, s)
    const x402 = { ...recordedTransaction, accountId, resId: null, type: 'x402' as const }
    await transaction.create(transaction_id, { ...x402, createdAt: new Date().toISOString() })
  })
  await eventually('the row', async () => (await transactionsOf(app, s.key)).length === 1)
  for (const name of ['invoice', 'payment-link', 'encryption'])
    t.is(await consoleRefusal(app, s.key, name, { transaction_id }), INVALID, name)
})

deepTest(
  'J-AUTH-04 M-TXN-01 M-TXN-02 the key of a store makes and finds the payments of that store alone',
  async (t) => {
    const s = await shop(app)
    const { accountId } = await ownerOf(app, s)
    const [one, two] = [await addStore(app, s.key), await addStore(app, s.key)]
    const usd = { amount: '4', currency_code: 'USD' }
    const create = (key: string, more: Fields = {}) => consoleOk(app, key, 'create-transaction', { ...usd, ...more })
    const made = {
      first: await create(one.key, { external_reference: 'of-one' }),
      named: await create(s.key, { store_id: String(two.storeId) }),
      usual: await create(s.key),
    }
    const idsOf = async (key: string) => (await transactionsOf(app, key)).map(({ id }) => id)
    t.deepEqual(await idsOf(one.key), [made.first.transaction_id])
    t.deepEqual(await idsOf(two.key), [made.named.transaction_id])
    t.deepEqual(
      await idsOf(s.key),
      [made.usual, made.named, made.first].map((each) => each.transaction_id),
    )
    t.deepEqual(
      (await saidOf(app, 'PaymentRequestOpened', accountId)).map(({ storeId }) => storeId),
      [one.storeId, two.storeId, undefined],
    )
    t.deepEqual(await create(one.key, { external_reference: 'of-one' }), made.first)
    const refusal = (key: string, more: Fields) => consoleRefusal(app, key, 'create-transaction', { ...usd, ...more })
    // Each store has references of its own: another's is neither taken nor found out.
    const theirs = await create(two.key, { external_reference: 'of-one' })
    t.not(theirs.transaction_id, made.first.transaction_id)
    t.deepEqual(await create(s.key, { external_reference: 'of-one', store_id: String(two.storeId) }), theirs)
    t.is(await refusal(two.key, { external_reference: 'of-one', amount: '5' }), '409 svc_conflict')
    t.is(await refusal(one.key, { store_id: String(two.storeId) }), '403 svc_forbidden')
    t.is(await refusal(one.key, { store_id: '1' }), '403 svc_forbidden')
    const { transaction_id } = made.first
    for (const name of ['invoice', 'payment-link', 'encryption', 'check-transaction'])
      t.is(await consoleRefusal(app, two.key, name, { transaction_id }), NOT_FOUND, name)
    t.like(await consoleOk(app, two.key, 'check-transactions'), { checked: 2 })
    const listed = async (key: string) =>
      (await ok(app.call('GET', '/v1/payment-requests', { key }))).json.payment_requests.length
    t.deepEqual([await listed(one.key), await listed(two.key), await listed(s.key)], [1, 2, 4])
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const posted = (agent: Agent, key: string, form: string): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-api-key': key }
    const sent = request(
      new URL('/api.php', app.served().origin),
      { method: 'POST', agent, headers },
      async (answer) => {
        const chunks = await answer.toArray()
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      },
    )
    sent.on('error', reject)
    sent.end(form)
  })
