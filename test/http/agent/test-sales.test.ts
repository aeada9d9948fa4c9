import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import {
  assertReplayEqual,
  logOf,
  me,
  payInFull,
  postFor,
  saidOf,
  shop,
  transactionOf,
  verify,
  webhookLog,
} from '../../support/sale.ts'
import { SIMULATE, testSale } from '../../support/sandbox.ts'
import { activeSeller, type Offer, offerOf, ok } from '../../support/seller.ts'
import { strictly } from '../strict.ts'

let app: TestApp

test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test('J-RES-07 I-FEE-05 J-SIM-02 T-CHL-06 a test resource needs no wallet, settles by one call for nothing, and says that it is a test', async (t) => {
  const call = strictly(t, app)
  const { key } = await activeSeller(app)
  const before = await me(app, key)
  const resource = await call('POST', '/v1/resources', { key, body: { amount: 5, test: true } })
  t.like(resource.json, { amount: 5, accepted_assets: [], test: true })
  const door = await call('GET', `/r/${resource.json.res_id}`)
  t.is(door.status, 402)
  t.is(door.json.test, true)
  t.is(door.json.accepts.length, 1)
  const [offer] = door.json.accepts
  t.like(offer, {
    asset: 'test',
    network: 'test',
    amount: '5',
    amountAtomic: '5000000',
    test: true,
    requiredConfirmations: 1,
  })
  const { status, json } = await call('POST', SIMULATE, { body: { challengeId: offer.challengeId } })
  t.is(status, 200)
  const { hash, ...rest } = json
  t.deepEqual(rest, { settled: true, test: true, confirmations: 1, minimum_confirmations: 1 })
  t.regex(hash, /^test_[a-z2-7]{26}$/)
  t.deepEqual((await call('GET', `/r/${resource.json.res_id}`)).json, {
    res_id: resource.json.res_id,
    settled: true,
    amount: 5,
    currency: 'USD',
    test: true,
  })
  const record = await transactionOf(app, key, offer.challengeId)
  t.like(record, { is_test: '1', status: 'C', hash, cryptocurrency: 'test', amount: '5', amount_fiat: '5' })
  t.deepEqual(await me(app, key), before)
})

deepTest('J-SIM-02 the seller is told by a webhook that says that it is a test', async (t) => {
  const { key, challengeId } = await testSale(app, {}, { webhook: true })
  await ok(app.call('POST', SIMULATE, { body: { challengeId } }))
  const post = await postFor(app, challengeId)
  const { transaction, test: marked } = JSON.parse(post.body)
  t.is(marked, true)
  t.like(transaction, { is_test: '1', status: 'C' })
  t.regex(post.headers['x-webhook-signature'] ?? '', /^t=\d+,v1=[0-9a-f]{64}$/)
  const [row] = await webhookLog(app, key, transaction.id)
  t.like(row, { test: true, state: 'accepted' })
})

test('K-SBX-07 X-SBX-01 I-FEE-05 with wallets a test offers their coins, asks no chain, holds no amount and is not watched', async (t) => {
  const s = await shop(app)
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 100, test: true } }))
  t.deepEqual(json.accepted_assets, ['eth'])
  const [offer] = (await app.call('GET', `/r/${json.res_id}`)).json.accepts
  t.like(offer, { asset: 'eth', network: 'eth', payTo: s.address, amount: '0.04', test: true, match: 'amount' })
  t.deepEqual(await saidOf(app, 'AmountReserved', offer.challengeId), [])
  const before = await me(app, s.key)
  await ok(app.call('POST', SIMULATE, { body: { challengeId: offer.challengeId } }))
  t.deepEqual(await me(app, s.key), before)
  t.like(before, { settlements_count: 0, total_earned: 0, credit_balance: 5 })
  const types = (await logOf(app)).filter(({ data }) => JSON.stringify(data).includes(offer.challengeId))
  t.false(types.some(({ type }) => type === 'CreditDebited' || type === 'TransferClaimed'))
})

test('X-SBX-01 a payment on the chain settles no test, neither when it is posted nor when it is seen', async (t) => {
  const s = await shop(app)
  const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 100, test: true } }))
  const offer: Offer = (await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: json.res_id } }))).json
    .accepts[0]
  const hash = await payInFull(app, offer)
  const posted = await verify(app, offer.challengeId, hash)
  t.is(posted.status, 400)
  // A live sale of the same seller, paid later, shows that the watch has come past it.
  const live = await offerOf(app, s.key, s.resId)
  const paid = await payInFull(app, live)
  t.deepEqual((await ok(verify(app, live.challengeId, paid))).json, { settled: true })
  t.deepEqual(await saidOf(app, 'ChallengeSettled', offer.challengeId), [])
  t.is((await ok(app.call('POST', SIMULATE, { body: { challengeId: offer.challengeId } }))).json.settled, true)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
