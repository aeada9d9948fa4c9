import test from 'ava'
import { RECORD_KEYS } from '../../../domain/sell/transaction-record.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { assertReplayEqual, postFor, sell, send, shop, transactionOf, verify } from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** get-transaction of the merchant console. */

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test.serial(
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

test('M-REC-01 the console, the webhook and the JSON API show one record of 16 keys, all text', async (t) => {
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

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

const form = (body: string, headers: Record<string, string> = {}) =>
  app.call('POST', '/api.php', { body, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } })

const consoleRecord = (key: string, id: string) =>
  form(`function=get-transaction&transaction_id=${encodeURIComponent(id)}`, { 'x-api-key': key })
