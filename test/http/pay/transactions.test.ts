import test from 'ava'
import { RECORD_KEYS } from '../../../domain/selling/transactions/transaction-record.ts'
import { onceOf } from '../../../domain/use-cases/once.ts'
import { openRequest } from '../../../domain/use-cases/selling/challenges/open-request.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, payPage } from '../../support/buyer.ts'
import { consoleRecords, exported } from '../../support/console-records.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { openOperator } from '../../support/operator.ts'
import { assertReplayEqual, postFor, sell, send, shop, transactionOf, verify } from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** get-transaction of the merchant console. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

deepTest.serial(
  'M-REC-01 M-REC-03 a payment short of confirmations is P on the console, and C once it settled',
  async (t) => {
    const s = await shop(app)
    const offer = await offerOf(app, s.key, s.resId)
    const hash = await send(app, offer)
    await ok(verify(app, offer.challengeId, hash))
    const { id } = await transactionOf(app, s.key, offer.challengeId)
    t.like((await consoleRecord(s.key, id as string)).json.response, { status: 'P', hash, confirmed_time: '' })
    await app.anvil.mine(5)
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
    t.like((await consoleRecord(s.key, id as string)).json.response, { status: 'C', hash })
  },
)

deepTest('M-REC-01 the console, the webhook and the JSON API show one record of 16 keys, all text', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const record = await transactionOf(app, s.key, offer.challengeId)
  const { status, json } = await consoleRecord(s.key, record.id as string)
  t.is(status, 200)
  t.is(json.success, true)
  for (const key of RECORD_KEYS) t.is(typeof json.response[key], 'string', key)
  t.is(RECORD_KEYS.length, 16)
  t.deepEqual(json.response, record)
  t.deepEqual(JSON.parse((await postFor(app, offer.challengeId)).body).transaction, json.response)
})

deepTest.serial(
  'M-REC-01 M-VAT-01 the VAT of a sale is in its record wherever it is told, under what is written by hand',
  async (t) => {
    const calls = consoleRecords(app)
    const { s } = await calls.sold()
    const vat = { vat: '7.98', vat_details: '{"country":"DE","rate":"19","base":"42.02","amount":"7.98"}' }
    const { requestId, transactionId: id } = await sellWithVat(s.accountId, {
      vat: vat.vat,
      vatDetails: vat.vat_details,
    })
    await eventually('the request in the list', async () => (await calls.idsOf(s.key)).includes(id))
    t.like(await calls.record(s.key, id), { ...vat, status: 'P', amount_fiat: '50' })
    await payPage(app, await choose(app, `/id/${requestId}`, 'eth'))
    await app.anvil.mine(6)
    const posted = JSON.parse((await postFor(app, 'Fifty with VAT')).body).transaction
    t.like(posted, { ...vat, status: 'C' })
    const record = await eventually('the record', async () => {
      const { json } = await app.call('GET', `/v1/transactions?transaction_id=${id}`, { key: s.key })
      return json.transaction.status === 'C' && json.transaction
    })
    t.deepEqual(await calls.record(s.key, id), record)
    t.deepEqual(record, posted)

    const inCsv = async (amount: string) => {
      const cells = `,${amount},"${vat.vat_details.replaceAll('"', '""')}",`
      for (const csv of [await calls.csvOf(s.key), await exported(app, s.accountId)])
        t.true(csv.includes(cells), `${cells} in ${csv}`)
    }
    await inCsv('7.98')
    t.like(await calls.update(s.key, id, { vat: '8' }), { ...vat, vat: '8' })
    t.like(await calls.record(s.key, id), { ...vat, vat: '8' })
    await inCsv('8')
  },
)

test('X-TEN-01 M-REC-01 the transaction of another seller, an unknown and a missing one are refused in the envelope', async (t) => {
  const [s, other] = await Promise.all([shop(app), shop(app)])
  const { offer } = await sell(app, s)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  for (const [key, asked] of [
    [other.key, id],
    [s.key, '1'],
    [s.key, 'x'],
  ] as const) {
    const { status, json } = await consoleRecord(key, asked as string)
    t.is(status, 404)
    t.is(json.success, false)
    t.is(typeof json.error_code, 'string')
    t.false('response' in json)
  }
  t.is((await form('function=get-transaction', { 'x-api-key': s.key })).status, 400)
})

test('M-AUT-03 M-AUT-04 the console asks for a key, and a wrong one is told from a missing one', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  const query = `function=get-transaction&transaction_id=${id}`
  t.like(await form(query), { status: 401, json: { error_code: 'api-key-not-found' } })
  t.is((await form(query, { 'x-api-key': `${s.key}x` })).status, 401)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const form = (body: string, headers: Record<string, string> = {}) =>
  app.call('POST', '/api.php', { body, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } })

const consoleRecord = (key: string, id: string) =>
  form(`function=get-transaction&transaction_id=${encodeURIComponent(id)}`, { 'x-api-key': key })

/** A payment request of a sale with VAT, as a checkout makes it. */
const sellWithVat = async (accountId: string, record: { vat: string; vatDetails: string }) => {
  const { flow, stop } = await openOperator(app)
  try {
    return await openRequest(flow, onceOf(flow, undefined), {
      accountId,
      record,
      amount: '50000000',
      currency: 'EUR',
      asset: null,
      assetAmount: null,
      expiry: '1h',
      title: 'Fifty with VAT',
      note: '',
      redirect: '',
      externalReference: '',
      webhookUrl: null,
      test: false,
    })
  } finally {
    await stop()
  }
}
