import test from 'ava'
import {
  PERSONAL_KEYS,
  WRITABLE_KEYS,
  type WritableKey,
} from '../../../domain/selling/transactions/transaction-edits.ts'
import { RECORD_KEYS } from '../../../domain/selling/transactions/transaction-record.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { consoleCall, type Fields, said } from '../../support/console.ts'
import { type ConsoleRecords, consoleRecords, exported } from '../../support/console-records.ts'
import { deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  logOf,
  me,
  postFor,
  postsFor,
  saidOf,
  sell,
  send,
  shop,
  transactionOf,
  transactionsOf,
  verify,
  webhookLog,
} from '../../support/sale.ts'
import { sandboxKey } from '../../support/sandbox.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** What a merchant writes on transactions through the console, and what every list, file and webhook then shows. */

let app: TestApp
let calls: ConsoleRecords
test.before(async () => {
  app = await startApp()
  calls = consoleRecords(app)
})
test.after.always(() => app?.stop())

/** A value for every writable key. */
const hand = (): Record<WritableKey, string> => ({
  status: 'X',
  hash: '0xhand',
  title: '=HYPERLINK("x")',
  description: 'two\nlines, "quoted"',
  to: '0xto',
  to_name: 'Ada Lovelace',
  amount: '0.5',
  amount_fiat: '12.34',
  cryptocurrency: 'usdc',
  from: '0xfrom',
  vat: '19.5',
  webhook: `${app.receiver.url}?hand`,
  billing: '=Ada, "12" Main Street\nLondon',
  redirect: 'https://shop.example/thanks',
  opened_at: '2026-01-02 03:04:05',
  bank_details: 'IBAN DE00',
  checkout_id: 'co_1',
  customer_id: 'cus_1',
  discount_code: 'SPRING',
  store_id: '1',
  custom_token_type: 'erc-20',
  confirmed_time: '2026-01-02 03:04:06',
  creation_time: '2026-01-02 03:04:07',
  is_test: '1',
  confirmation_count: '12',
  first_confirmed_time: '2026-01-02 03:04:08',
  last_confirmed_time: '2026-01-02 03:04:09',
})

test('M-TXN-05 M-TXN-06 M-TXN-10 M-REC-01 each of the 27 keys is written, and read back on the console and in the JSON API', async (t) => {
  const { s, id } = await calls.sold()
  const before = await calls.record(s.key, id)
  for (const key of RECORD_KEYS) t.is(typeof before[key], 'string', key)
  const { amount_fiat, redirect, ...notes } = hand()
  for (const [key, value] of Object.entries(notes)) {
    t.is((await calls.update(s.key, id, { [key]: value }))[key], value, key)
    t.is((await calls.record(s.key, id))[key], value, key)
  }
  const whole = await calls.record(s.key, id)
  t.like(whole, { ...notes, edited_by_hand: Object.keys(notes).sort().join() })
  // What was asked for stays once something has come, and is written while it is asked for.
  const terms = { amount_fiat, redirect }
  for (const [key, value] of Object.entries(terms))
    t.like(await calls.edit(s.key, id, JSON.stringify({ [key]: value })), refusal('svc_invalid_request'), key)
  const asked = { amount: '5', currency_code: 'USD' }
  const { transaction_id } = await said(consoleCall(app, s.key, 'create-transaction', asked))
  t.like(await calls.update(s.key, transaction_id, terms), terms)
  await said(consoleCall(app, s.key, 'delete-transaction', { transaction_id }))
  t.deepEqual(Object.keys(hand()).sort(), [...WRITABLE_KEYS].sort())
  t.like(whole, { id, currency: 'USD', type: 'resource', external_reference: before.external_reference })
  const one = await ok(app.call('GET', `/v1/transactions?transaction_id=${id}`, { key: s.key }))
  t.deepEqual(one.json.transaction, whole)
  // It says that it is a test by now.
  t.deepEqual(await transactionsOf(app, s.key), [])
  t.deepEqual(await transactionsOf(app, s.key, '?is_test=1'), [whole])
  t.deepEqual(await said(consoleCall(app, s.key, 'get-transaction', { transaction_id: id }, '/payment/api.php')), whole)
  t.like(await said(consoleCall(app, s.key, 'check-transaction', { transaction_id: id })), whole)
  t.deepEqual(await said(consoleCall(app, s.key, 'get-transactions', { is_test: '1' })), {
    transactions: [whole],
    pagination: { total: 1, limit: 50, offset: 0 },
  })
  // Filters go by what is shown.
  for (const [filter, ids] of [
    [{ status: 'X' }, [id]],
    [{ status: 'C' }, []],
    [{ asset: 'usdc', to: '2026-01-02', q: 'HYPERLINK' }, [id]],
    [{ from: '2026-01-03' }, []],
    [{ store_id: '1' }, [id]],
    [{ store_id: '2' }, []],
  ] as [Fields, string[]][])
    t.deepEqual(await calls.idsOf(s.key, { ...filter, is_test: '1' }), ids, JSON.stringify(filter))
  // Written once more, nothing changes; and what is personal is in the log for nobody.
  const events = await saidOf(app, 'TransactionEdited', id)
  await calls.update(s.key, id, notes)
  t.is((await saidOf(app, 'TransactionEdited', id)).length, events.length)
  const log = JSON.stringify((await logOf(app)).map(({ data }) => data))
  for (const key of PERSONAL_KEYS) t.false(log.includes(hand()[key]), key)
})

test('M-TXN-10 Q-13 X-SBX-01 what a record says of being a test holds by its number, in lists and files, and moves no money', async (t) => {
  const { s, id } = await calls.sold()
  const { key } = s
  const sandbox = await sandboxKey(app, key, 'secret')
  const byNumber = (of: string) => app.call('GET', `/v1/transactions?transaction_id=${id}`, { key: of })
  const inList = async (of: string, query = '') => (await transactionsOf(app, of, query)).some((each) => each.id === id)
  const inFile = async (of: string, asked: Fields = {}) =>
    (await said(consoleCall(app, of, 'get-transactions', { transaction_id: id, ...asked }))).pagination.total
  t.deepEqual([(await byNumber(sandbox)).status, await inList(sandbox), await inList(key)], [404, false, true])
  const sold = await me(app, key)
  await calls.update(key, id, { is_test: '1' })
  t.like((await byNumber(sandbox)).json.transaction, { id, is_test: '1' })
  t.like(await said(consoleCall(app, sandbox, 'check-transaction', { transaction_id: id })), { id, is_test: '1' })
  t.is((await byNumber(key)).status, 200)
  t.deepEqual([await inList(sandbox), await inList(key), await inList(key, '?is_test=1')], [true, false, true])
  t.deepEqual([await inFile(key), await inFile(key, { is_test: '1' }), await inFile(sandbox)], [0, 1, 1])
  t.deepEqual(await me(app, key), sold, 'its money stays live')
  // The key of a test writes nothing on a live payment.
  const url = `/v1/transactions?transaction_id=${id}&action=`
  await ok(app.call('PUT', '/v1/settings', { key, body: { payment: { refunds: true } } }))
  for (const action of ['refund', 'resend-webhook', 'submit-hash']) {
    const body = action === 'submit-hash' ? { hash: `0x${'1'.repeat(64)}` } : undefined
    const { status, json } = await app.call('POST', url + action, { key: sandbox, ...(body && { body }) })
    t.is(status, 400, action)
    t.regex(json.message, /^transaction_id: /, action)
  }
  for (const [name, fields] of [
    ['update-transaction', { values: '{"title":"Taken"}' }],
    ['delete-transaction', {}],
  ] as const)
    t.like((await consoleCall(app, sandbox, name, { transaction_id: id, ...fields })).json, { success: false }, name)
  await calls.update(key, id, { is_test: '0' })
  t.deepEqual([(await byNumber(sandbox)).status, await inList(sandbox), await inList(key)], [404, false, true])
  t.deepEqual([await inFile(key), await inFile(key, { is_test: '1' })], [1, 0])
})

deepTest(
  'M-TXN-07 M-TXN-10 the CSV shows what was written by hand, opened and inert, and so does the webhook that is sent again',
  async (t) => {
    const { s, id, offer } = await calls.sold()
    await sell(app, s)
    const plain = await calls.csvOf(s.key)
    t.is(plain.split('\n').length, 4)
    const { webhook, amount_fiat: _, redirect: __, is_test: ___, ...rest } = hand()
    await calls.update(s.key, id, { ...rest, status: 'C' })
    const csv = await calls.csvOf(s.key)
    const [, line] = /^((?:[^"]|"[^"]*")*?)$/m.exec(csv.slice(csv.indexOf('\n') + 1)) ?? []
    const { external_reference: reference, edited_by_hand, edited_time } = await calls.record(s.key, id)
    const { settlements } = (await ok(app.call('GET', '/v1/settlements', { key: s.key }))).json
    const settlement = settlements.find((each: { transaction_id: string }) => each.transaction_id === id)
    t.is(
      line,
      [
        id,
        '0.5,100,usdc,USD,C',
        '0xhand',
        `"'=HYPERLINK(""x"")"`,
        reference,
        '19.5',
        '""',
        '2026-01-02 03:04:07',
        '2026-01-02 03:04:06',
        '"two\nlines, ""quoted"""',
        `"'=Ada, ""12"" Main Street\nLondon"`,
        'resource',
        '0,1,0.2,"","",100',
        settlement.at.slice(0, 19).replace('T', ' '),
        offer.amount,
        `"${edited_by_hand}"`,
        edited_time,
      ].join(','),
    )
    t.is((await ok(app.call('GET', '/v1/transactions?download=1', { key: s.key }))).text, csv)
    t.is((await calls.csvOf(s.key, { status: 'X' })).trim().split('\n').length, 1)
    t.is(await exported(app, s.accountId), csv)

    await calls.update(s.key, id, { webhook })
    await postFor(app, offer.challengeId)
    await ok(app.call('POST', `/v1/transactions?transaction_id=${id}&action=resend-webhook`, { key: s.key }))
    t.deepEqual(
      (await webhookLog(app, s.key, id)).map(({ url }) => url),
      [app.receiver.url, webhook],
    )
    const posts = postsFor(app, offer.challengeId)
    t.deepEqual(JSON.parse(posts[1]?.body ?? '').transaction, await calls.record(s.key, id))
  },
)

deepTest.serial('M-TXN-10 no money moves by hand, and a payment that is confirmed later tells its own', async (t) => {
  const s = await shop(app)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await send(app, offer)
  await ok(verify(app, offer.challengeId, hash))
  const id = (await transactionOf(app, s.key, offer.challengeId)).id ?? ''
  const me = (await ok(app.call('GET', '/v1/me', { key: s.key }))).json
  const hands = { status: 'C', hash: '0xhand', amount: '9', confirmed_time: '2026-01-01 00:00:00', title: 'Chairs' }
  t.like(await calls.update(s.key, id, hands), hands)
  t.deepEqual((await ok(app.call('GET', '/v1/me', { key: s.key }))).json, me)
  // Its one webhook says that a hand completed it.
  const { body } = await postFor(app, offer.challengeId)
  t.like(JSON.parse(body).transaction, { id, status: 'C', by: 'hand' })
  await app.anvil.mine(offer.requiredConfirmations)
  await ok(verify(app, offer.challengeId, hash))
  t.is((await saidOf(app, 'DeliveryScheduled', id)).length, 1)
  const paid = await calls.record(s.key, id)
  t.like(paid, { status: 'C', hash, amount: offer.amount, title: 'Chairs' })
  t.not(paid.confirmed_time, hands.confirmed_time)
})

deepTest('M-TXN-11 M-REC-05 E-MER-03 one key that cannot be written refuses all of it, and is logged', async (t) => {
  const { s, id } = await calls.sold()
  const before = await calls.record(s.key, id)
  for (const key of [
    'expiry',
    'id',
    'external_reference',
    'bank_reference',
    'currency',
    '__proto__',
    'constructor',
    'x'.repeat(90),
  ]) {
    const answer = await calls.edit(s.key, id, `{"title":"new","${key}":"9"}`)
    t.like(answer, refusal('svc_invalid_request'), key)
    t.true(answer.json.message.includes(key), key)
    const [logged, ...more] = (await saidOf(app, 'TransactionEditRefused', id)).filter(({ keys }) =>
      keys.includes(key.slice(0, 64)),
    )
    t.deepEqual([logged?.keys, logged?.by, more.length], [[key.slice(0, 64)], 'owner', 0], key)
  }
  t.deepEqual(await calls.record(s.key, id), before)
  t.deepEqual(await saidOf(app, 'TransactionEdited', id), [])
})

test('M-TXN-10 a value that its key does not take is refused, and nothing of the call is written', async (t) => {
  const { s, id } = await calls.sold()
  const before = await calls.record(s.key, id)
  const wrong: Partial<Record<WritableKey, unknown[]>> = {
    status: ['', 'Q', 1],
    title: ['x'.repeat(201), null, {}, ['a'], true, 1.5],
    description: ['x'.repeat(4_001)],
    amount: ['-1', '1e3', 'x'],
    vat: ['19%'],
    cryptocurrency: ['a b'],
    webhook: ['http://shop.example/', 'https://127.0.0.1/', 'https://169.254.169.254/', 'nonsense'],
    redirect: ['javascript:alert(1)', 'x'],
    store_id: ['0', '2', '01', 'x', ''],
    creation_time: ['', '2026-02-30 00:00:00', '2026-01-01', '2026-01-01T00:00:00Z'],
    confirmed_time: ['yesterday'],
    is_test: ['', '2', 'true'],
    confirmation_count: ['-1', '1.5', '9'.repeat(10)],
  }
  for (const [key, values] of Object.entries(wrong))
    for (const value of values) {
      const answer = await calls.edit(s.key, id, JSON.stringify({ discount_code: 'new', [key]: value }))
      t.like(answer, refusal('svc_invalid_request'), `${key} ${JSON.stringify(value)}`)
    }
  for (const values of ['', '{}', '[]', 'null', '"x"', '{', '{"title":"a","title":"b"}'])
    t.like(await calls.edit(s.key, id, values), refusal('svc_invalid_request'), values)
  for (const name of ['update-transaction', 'delete-transaction', 'refund'])
    t.like(await consoleCall(app, s.key, name), refusal('svc_invalid_request'), name)
  for (const name of ['get-transactions', 'download-transactions'])
    t.like(await consoleCall(app, s.key, name, { status: 'Q' }), refusal('svc_invalid_request'), name)
  t.deepEqual(await calls.record(s.key, id), before)
})

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

const refusal = (error_code: string) => ({ status: 400, json: { success: false, error_code } })
