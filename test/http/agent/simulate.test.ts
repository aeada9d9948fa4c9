import test from 'ava'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, payInFull, saidOf, shop, transactionOf, transactionsOf } from '../../support/sale.ts'
import { SIMULATE, sandboxKey, testSale } from '../../support/sandbox.ts'
import { offerOf, ok } from '../../support/seller.ts'
import { refused, strictly } from '../strict.ts'

let app: TestApp
/** The service's clock is ahead of ours by this much. */
let aheadMs = 0
const GONE = { status: 410, code: 'svc_gone' }

test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + aheadMs) } })
})
test.after.always(() => app?.stop())

test('J-RES-08 J-SIM-01 T-CHL-05 below test_confirmations the challenge stays open and tells the counters', async (t) => {
  const call = strictly(t, app)
  const { key, challengeId, resId } = await testSale(app, { test_confirmations: 3 })
  const counters = { test: true, minimum_confirmations: 3 }
  const first = await call('POST', SIMULATE, { body: { challengeId } })
  t.like(first.json, { settled: false, confirmations: 1, ...counters })
  t.like(await transactionOf(app, key, challengeId, 'P'), { status: 'P', is_test: '1', hash: first.json.hash })
  t.is((await call('GET', `/r/${resId}`)).status, 402)
  const second = await call('POST', SIMULATE, { body: { challengeId } })
  t.like(second.json, { settled: false, confirmations: 2, ...counters, hash: first.json.hash })
  const third = await call('POST', SIMULATE, { body: { challengeId } })
  t.deepEqual(third.json, { settled: true, confirmations: 3, ...counters, hash: first.json.hash })
  t.like(await transactionOf(app, key, challengeId, 'C'), { status: 'C' })
  t.is((await saidOf(app, 'PaymentSimulated', challengeId)).length, 3)
})

deepTest('J-SIM-01 J-SIM-02 several confirmations may come at once', async (t) => {
  const { challengeId } = await testSale(app, { test_confirmations: 5 })
  const two = await ok(app.call('POST', SIMULATE, { body: { challengeId, confirmations: 2 } }))
  t.like(two.json, { settled: false, confirmations: 2 })
  const all = await ok(app.call('POST', SIMULATE, { body: { challengeId, confirmations: 200 } }))
  t.like(all.json, { settled: true, confirmations: 202, minimum_confirmations: 5 })
})

test('J-SIM-03 E-403-03 K-SBX-09 a live challenge is not simulated, and nothing changes', async (t) => {
  const s = await shop(app)
  const { challengeId } = await offerOf(app, s.key, s.resId)
  const live = { status: 403, code: 'svc_not_sandbox' }
  const sandbox = await sandboxKey(app, s.key, 'secret')
  await refused(t, app, [
    { what: 'nobody', path: SIMULATE, body: { challengeId }, ...live },
    { what: 'the owner', path: SIMULATE, key: s.key, body: { challengeId, confirmations: 100 }, ...live },
    { what: 'a sandbox key', path: SIMULATE, key: sandbox, body: { challengeId }, ...live },
  ])
  t.deepEqual(await transactionsOf(app, s.key), [])
})

test('J-SIM-04 E-403-04 K-SBX-09 J-AUTH-07 a publishable key is refused; no key, a sandbox key and a live one will do', async (t) => {
  const { key, challengeId } = await testSale(app, { test_confirmations: 10 })
  const [secret, publishable] = [await sandboxKey(app, key, 'secret'), await sandboxKey(app, key, 'publishable')]
  await refused(t, app, [
    {
      what: 'pk_test_',
      path: SIMULATE,
      key: publishable,
      body: { challengeId },
      status: 403,
      code: 'svc_publishable_key',
    },
    {
      what: 'nonsense',
      path: SIMULATE,
      key: 'nonsense',
      body: { challengeId },
      status: 401,
      code: 'api-key-not-found',
    },
  ])
  for (const [n, each] of [undefined, secret, key].entries()) {
    const { status, json } = await strictly(t, app)('POST', SIMULATE, { key: each, body: { challengeId } })
    t.deepEqual([status, json.confirmations], [200, n + 1])
  }
})

test('J-AUTH-07 a buyer posts a hash with the public id of the challenge alone, and so does the seller with its key', async (t) => {
  const s = await shop(app)
  for (const key of [undefined, s.key]) {
    const offer = await offerOf(app, s.key, s.resId)
    const hash = await payInFull(app, offer)
    const { status, json } = await app.call('POST', '/v1/verify', {
      key,
      body: { challengeId: offer.challengeId, hash },
    })
    t.deepEqual([status, json], [200, { settled: true }])
  }
})

deepTest('J-RES-07 Q-09 verify says of a test sale what became of it, and that it is a test', async (t) => {
  const [settled, short] = [await testSale(app), await testSale(app)]
  const hash = 'test_any'
  await ok(app.call('POST', SIMULATE, { body: { challengeId: settled.challengeId } }))
  await ok(app.call('POST', SIMULATE, { body: { challengeId: short.challengeId, amount: '1' } }))
  const said = async ({ challengeId }: { challengeId: string }) =>
    (await strictly(t, app)('POST', '/v1/verify', { body: { challengeId, hash } })).json
  t.deepEqual(await said(settled), { settled: true, test: true })
  t.deepEqual(await said(short), { status: 'underpaid', paid: '1', asked: '5', missing: '4', test: true })
})

test('J-SIM-05 E-410-02 a settled challenge is gone', async (t) => {
  const { challengeId } = await testSale(app)
  await ok(app.call('POST', SIMULATE, { body: { challengeId } }))
  await refused(t, app, [{ what: 'again', path: SIMULATE, body: { challengeId }, ...GONE }])
  t.is((await saidOf(app, 'ChallengeSettled', challengeId)).length, 1)
})

test.serial('J-SIM-05 E-410-01 an expired challenge is gone', async (t) => {
  t.teardown(() => {
    aheadMs = 0
  })
  const { challengeId } = await testSale(app, { test_confirmations: 2 })
  await ok(app.call('POST', SIMULATE, { body: { challengeId } }))
  aheadMs = 3_601_000
  await refused(t, app, [{ what: 'late', path: SIMULATE, body: { challengeId }, ...GONE }])
  t.is((await saidOf(app, 'ChallengeSettled', challengeId)).length, 0)
})

deepTest('Q-13 N-25 a test may be paid too little, and the rest after that, or too much, which settles', async (t) => {
  const call = strictly(t, app)
  const short = await testSale(app, { test_confirmations: 2 })
  const body = { challengeId: short.challengeId, amount: '4.999999' }
  t.like((await call('POST', SIMULATE, { body })).json, { settled: false, confirmations: 1 })
  const under = await call('POST', SIMULATE, { body })
  t.like(under.json, { settled: false, status: 'underpaid', test: true, confirmations: 2, minimum_confirmations: 2 })
  t.like(await transactionOf(app, short.key, short.challengeId, 'X'), {
    status: 'X',
    is_test: '1',
    hash: under.json.hash,
  })
  // The very same payment is played once.
  await refused(t, app, [{ what: 'again', path: SIMULATE, body, ...GONE }])
  const rest = { challengeId: short.challengeId, amount: '0.000001', confirmations: 2 }
  t.like((await call('POST', SIMULATE, { body: rest })).json, { settled: true })
  const generous = await testSale(app)
  const over = await call('POST', SIMULATE, { body: { challengeId: generous.challengeId, amount: '7.5' } })
  t.is(over.json.settled, true)
  const { challengeId } = await testSale(app)
  const invalid = { path: SIMULATE, status: 400, code: 'svc_invalid_request' }
  await refused(
    t,
    app,
    ['0', '0.0', '-1', '1e3', '0.0000001', 'five', 5, ''].map((amount) => ({
      what: String(amount),
      body: { challengeId, amount },
      ...invalid,
    })),
  )
})

test('J-SIM-02 many calls at once settle once, and each is told the truth', async (t) => {
  const { key, challengeId } = await testSale(app, { test_confirmations: 4 })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => app.call('POST', SIMULATE, { body: { challengeId } })),
  )
  const settled = answers.filter(({ json }) => json.settled === true)
  t.deepEqual([settled.length, settled[0]?.json.confirmations], [1, 4])
  t.is(answers.filter(({ json }) => json.settled === false).length, 3)
  t.is(answers.filter(({ status }) => status === 410).length, 6)
  t.is((await saidOf(app, 'ChallengeSettled', challengeId)).length, 1)
  t.is((await transactionsOf(app, key, '?is_test=1')).length, 1)
})

test('what is no challenge, or asks for no confirmations, is refused', async (t) => {
  const { challengeId } = await testSale(app)
  const notFound = { status: 404, code: 'svc_not_found' }
  const invalid = { status: 400, code: 'svc_invalid_request' }
  const nobody = `ch_${'a'.repeat(26)}`
  await refused(t, app, [
    ...['x', nobody, `${nobody}.eth`, challengeId.replace('.test', '.eth')].map((id) => ({
      what: id,
      path: SIMULATE,
      body: { challengeId: id },
      ...notFound,
    })),
    ...[0, -1, 1.5, 1_001, '1', null].map((confirmations) => ({
      what: String(confirmations),
      path: SIMULATE,
      body: { challengeId, confirmations },
      ...invalid,
    })),
    { what: 'nothing', path: SIMULATE, body: {}, ...invalid },
  ])
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

deepTest('J-SIM-02 two payments of one amount are told apart by their names', async (t) => {
  const { challengeId } = await testSale(app)
  const { json } = await ok(app.call('POST', SIMULATE, { body: { challengeId, amount: '0.000001', payment: 'a' } }))
  const again = await app.call('POST', SIMULATE, { body: { challengeId, amount: '0.000001', payment: 'a' } })
  t.not(again.status, 200)
  const other = await ok(app.call('POST', SIMULATE, { body: { challengeId, amount: '0.000001', payment: 'b' } }))
  t.deepEqual([json.status, other.json.status], ['underpaid', 'underpaid'])
  t.not(json.hash, other.json.hash)
})
