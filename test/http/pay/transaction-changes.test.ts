import test from 'ava'
import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import { newApiKey } from '../../../domain/account/keys/api-key.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { world } from '../../../src/settings/world.ts'
import { startApp, storeUrlOf, type TestApp } from '../../support/app.ts'
import { consoleCall, said } from '../../support/console.ts'
import { type ConsoleRecords, consoleRecords, exported } from '../../support/console-records.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { ledgerOn } from '../../support/ledger.ts'
import {
  assertReplayEqual,
  saidOf,
  sell,
  send,
  shop,
  transactionOf,
  transactionsOf,
  verify,
} from '../../support/sale.ts'
import { offerOf, ok } from '../../support/seller.ts'

/** What a merchant deletes or gives back through the console, and whose transactions those are. */

let app: TestApp
let calls: ConsoleRecords
test.before(async () => {
  app = await startApp()
  calls = consoleRecords(app)
})
test.after.always(() => app?.stop())

test('W-RTY-02 N-75 the console sends a webhook again as the JSON API does, and for its own completed payments alone', async (t) => {
  const s = await shop(app)
  const { offer } = await sell(app, s)
  const { id } = await transactionOf(app, s.key, offer.challengeId)
  const resend = (key: string, transaction_id = id as string) =>
    consoleCall(app, key, 'resend-webhook', { transaction_id })
  const { resent, webhook_response } = await said(resend(s.key))
  t.true(resent)
  t.like(webhook_response, { http_status: 200 })
  t.deepEqual(
    (await saidOf(app, 'DeliveryScheduled', id as string)).map(({ reason }) => reason),
    [undefined, 'resend'],
  )
  const stranger = await shop(app)
  t.like(await resend(stranger.key), { status: 404, json: { success: false, error_code: 'svc_not_found' } })
  const quiet = await shop(app, { webhook: false })
  const unsent = await transactionOf(app, quiet.key, (await sell(app, quiet)).offer.challengeId)
  t.like(await resend(quiet.key, unsent.id), { status: 400, json: { error_code: 'svc_invalid_request' } })
  const { transaction_id: waiting } = await said(
    consoleCall(app, s.key, 'create-transaction', { amount: '0.5', cryptocurrency_code: 'eth' }),
  )
  t.like(await resend(s.key, waiting), { status: 400, json: { error_code: 'svc_invalid_request' } })
})

test('M-TXN-12 N-74 what is deleted is gone from every list, read, export and count; pages go on without it', async (t) => {
  const { s, id } = await calls.sold()
  const others = []
  for (let n = 0; n < 2; n++) {
    const { offer } = await sell(app, s)
    others.unshift((await transactionOf(app, s.key, offer.challengeId)).id)
  }
  const [newest, middle] = others as [string, string]
  t.deepEqual(await said(consoleCall(app, s.key, 'delete-transaction', { transaction_id: middle })), { deleted: true })
  const again = await consoleCall(app, s.key, 'delete-transaction', { transaction_id: middle })
  t.like(again, { status: 404, json: { error_code: 'svc_not_found' } })
  t.is((await saidOf(app, 'TransactionDeleted', middle)).length, 1)
  t.deepEqual(await calls.idsOf(s.key), [newest, id])
  t.deepEqual(await calls.idsOf(s.key, { status: 'C' }), [newest, id])
  t.deepEqual(await calls.idsOf(s.key, { limit: '1', offset: '1' }), [id])
  t.deepEqual(await calls.idsOf(s.key, { offset: '2' }), [])
  const { pagination } = await said(consoleCall(app, s.key, 'get-transactions', { limit: '1' }))
  t.deepEqual(pagination, { total: 2, limit: 1, offset: 0 })
  t.deepEqual(
    (await transactionsOf(app, s.key)).map((each) => each.id),
    [newest, id],
  )
  for (const csv of [await calls.csvOf(s.key), await exported(app, s.accountId)]) t.false(csv.includes(middle))
  const query = `/v1/transactions?transaction_id=${middle}`
  for (const answer of [
    await consoleCall(app, s.key, 'get-transaction', { transaction_id: middle }),
    await calls.edit(s.key, middle, '{"title":"x"}'),
    await calls.edit(s.key, middle, '{"id":"9"}'),
    await consoleCall(app, s.key, 'refund', { transaction_id: middle }),
    await consoleCall(app, s.key, 'payment-link', { transaction_id: middle }),
    await consoleCall(app, s.key, 'check-transaction', { transaction_id: middle }),
    await app.call('GET', query, { key: s.key }),
    await app.call('GET', `${query}&webhook_log=1`, { key: s.key }),
    await app.call('POST', `${query}&action=resend-webhook`, { key: s.key }),
    await app.call('POST', `${query}&action=submit-hash`, { key: s.key, body: { hash: '0x1' } }),
  ])
    t.like(answer, { status: 404, json: { error_code: 'svc_not_found' } })
})

deepTest.serial(
  'M-TXN-12 a payment request is withdrawn with its transaction, and money that comes all the same is shown',
  async (t) => {
    const s = await shop(app)
    const asked = (await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 5 } }))).json
    const id = asked.transaction_id
    await said(consoleCall(app, s.key, 'delete-transaction', { transaction_id: id }))
    const requests = (await ok(app.call('GET', '/v1/payment-requests', { key: s.key }))).json.payment_requests
    t.like(requests[0], { transaction_id: id, status: 'expired' })
    t.deepEqual(await calls.idsOf(s.key), [])

    const offer = await offerOf(app, s.key, s.resId)
    const hash = await send(app, offer)
    await ok(verify(app, offer.challengeId, hash))
    const pending = (await transactionOf(app, s.key, offer.challengeId)).id ?? ''
    await said(consoleCall(app, s.key, 'delete-transaction', { transaction_id: pending }))
    t.deepEqual(await calls.idsOf(s.key), [])
    await app.anvil.mine(offer.requiredConfirmations)
    await ok(verify(app, offer.challengeId, hash))
    await eventually('the payment', async () => (await calls.idsOf(s.key)).includes(pending))
    t.like(await calls.record(s.key, pending), { status: 'C', hash })
  },
)

deepTest(
  'M-TXN-13 a refund is noted once, where refunds are enabled, for what was paid or was completed by hand',
  async (t) => {
    const { s, id } = await calls.sold()
    const refund = (transaction_id: string) => consoleCall(app, s.key, 'refund', { transaction_id })
    t.like(await refund(id), refusal('refunds-not-enabled'))
    await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { payment: { refunds: true } } }))
    t.deepEqual(await said(refund(id)), { refunded: true, recorded: true, sent: false })
    t.regex((await calls.record(s.key, id)).refunded_time ?? '', /^\d{4}-/)
    t.like(await refund(id), refusal('svc_invalid_request'))
    const asked = (await ok(app.call('POST', '/v1/payment-requests', { key: s.key, body: { amount: 5 } }))).json
    t.like(await refund(asked.transaction_id), refusal('svc_invalid_request'))
    await calls.update(s.key, asked.transaction_id, { status: 'C' })
    t.deepEqual(await said(refund(asked.transaction_id)), { refunded: true, recorded: true, sent: false })
    t.like(await refund(asked.transaction_id), refusal('svc_invalid_request'))
  },
)

test('J-TXN-02 M-TXN-06 X-TEN-01 a key for some stores sees and changes what belongs to them, and a stranger nothing', async (t) => {
  const { s, id } = await calls.sold()
  const { key, storeId } = await storeWithKey(s.accountId)
  const stranger = await shop(app)
  const touch = async (caller: string) => {
    const answers = await Promise.all([
      consoleCall(app, caller, 'get-transaction', { transaction_id: id }),
      calls.edit(caller, id, '{"title":"x"}'),
      calls.edit(caller, id, '{"id":"9"}'),
      consoleCall(app, caller, 'delete-transaction', { transaction_id: id }),
      consoleCall(app, caller, 'refund', { transaction_id: id }),
    ])
    return answers.map(({ status }) => status)
  }
  for (const caller of [key, stranger.key]) {
    t.deepEqual(await touch(caller), [404, 404, 404, 404, 404])
    t.deepEqual(await calls.idsOf(caller), [])
    t.is((await calls.csvOf(caller)).trim().split('\n').length, 1)
    t.is((await app.call('GET', `/v1/transactions?transaction_id=${id}`, { key: caller })).status, 404)
  }
  t.deepEqual(await saidOf(app, 'TransactionEditRefused', id), [])
  t.like(await calls.update(s.key, id, { store_id: storeId }), { store_id: String(storeId) })
  t.deepEqual([await calls.idsOf(key), await calls.idsOf(key, { store_id: String(storeId) })], [[id], [id]])
  t.deepEqual([await calls.idsOf(key, { store_id: '1' }), await calls.idsOf(s.key, { store_id: '1' })], [[], []])
  t.is((await calls.csvOf(key)).trim().split('\n').length, 2)
  t.like(await calls.update(key, id, { title: 'Ours' }), { title: 'Ours' })
  // It can be given to no store that the key is not for.
  t.like(await calls.edit(key, id, '{"store_id":"1"}'), refusal('svc_invalid_request'))
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

const refusal = (error_code: string) => ({ status: 400, json: { success: false, error_code } })

/** Another store, and a sub-key for that store alone, made on the log of the running service. */
const storeWithKey = async (accountId: string) => {
  const store = eventStoreDb(storeUrlOf(app))
  try {
    const ledger = ledgerOn(store, world)
    const sealed = { secret: 'v1.x', last4: 'last' }
    const cloudToken = { token: 'v1.x', tokenHash: world.secret(8) }
    const { state } = await ledger.stores.create(accountId, {
      label: null,
      webhookUrl: null,
      key: newApiKey(world, 'st').kept,
      cloudToken,
      secret: sealed,
    })
    const { apiKey, kept } = newApiKey(world, 'sa')
    const grants = { role: 'custom', roleName: null, displayName: null, storeScope: [state.last] } as const
    const permissions = [
      'transactions.view',
      'transactions.edit',
      'transactions.refund',
      'transactions.export',
    ] as const
    await ledger.team.create(accountId, { ...kept, ...grants, permissions })
    return { key: apiKey, storeId: state.last }
  } finally {
    await store.close()
  }
}
