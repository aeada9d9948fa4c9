import test from 'ava'
import { startApp, type TestApp } from '../../../support/app.ts'
import { deepAfter, deepTest } from '../../../support/deep-test.ts'
import { authorize, type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { assertReplayEqual, inLine, saidOf } from '../../../support/sale.ts'
import { activeSeller, ok } from '../../../support/seller.ts'
import { payWith, requirementOf, sellSigned, signedShop, signFor } from '../../../support/signed-sale.ts'
import { strictly } from '../../strict.ts'

/** What one payer may spend on a resource. */

let app: TestApp
let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: chain.env })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

const CAP = { amount: 2, window_hours: 24 }

test('X-CLOSED-01 J-RES-05 L-JSN-09 I-CAP-01 Q-23 a payer who has reached the cap is refused with max_per_caller, and another is not', async (t) => {
  const s = await signedShop(app, { max_per_caller: CAP })
  const payer = await chain.payer(10_000_000n)
  for (let n = 1; n <= 2; n++) await sellSigned(app, payer, s.checkout)
  const third = await signFor(app, payer, s.checkout)
  const refused = await payWith(app, s.path, third)
  t.deepEqual([refused.status, refused.json.error], [402, 'max_per_caller'])
  t.is(refused.json.paymentRequirements.length, 1)
  t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 2)
  t.is((await saidOf(app, 'AuthorizationAccepted', payer.address)).length, 2, 'what is refused is not taken')
  const other = await chain.payer(10_000_000n)
  t.is((await payWith(app, s.path, await signFor(app, other, s.checkout))).status, 200)
})

deepTest(
  'J-RES-06 I-CAP-01 PUT null clears the cap, and who was refused is accepted; a new cap counts what was spent before',
  async (t) => {
    const s = await signedShop(app, { max_per_caller: CAP })
    const payer = await chain.payer(10_000_000n)
    for (let n = 1; n <= 2; n++) await sellSigned(app, payer, s.checkout)
    const third = await signFor(app, payer, s.checkout)
    t.is((await payWith(app, s.path, third)).status, 402)
    const call = strictly(t, app)
    const put = (max_per_caller: object | null) =>
      call('PUT', `/v1/resources?res_id=${s.resId}`, { key: s.key, body: { max_per_caller } })
    t.deepEqual((await put(null)).json, { res_id: s.resId, max_per_caller: null })
    t.is((await payWith(app, s.path, third)).status, 200)
    t.deepEqual((await put({ amount: 4, window_hours: 1 })).json.max_per_caller, { amount: 4, window_hours: 1 })
    await sellSigned(app, payer, s.checkout)
    t.is((await payWith(app, s.path, await signFor(app, payer, s.checkout))).json.error, 'max_per_caller')
  },
)

test('J-RES-05 I-CAP-01 of ten payments at once just as many are taken as the cap allows', async (t) => {
  const s = await signedShop(app, { max_per_caller: { amount: 3, window_hours: 24 } })
  const payer = await chain.payer(100_000_000n)
  const { payTo, maxAmountRequired } = await requirementOf(app, s.path)
  const signed = await Promise.all(
    Array.from({ length: 10 }, () => authorize(payer, { to: payTo, value: BigInt(maxAmountRequired) })),
  )
  const answers = await Promise.all(signed.map((each) => payWith(app, s.path, each)))
  t.is(answers.filter(({ status }) => status === 200).length, 3)
  const refused = answers.filter(({ status }) => status === 402)
  t.is(refused.length, 7)
  t.true(refused.every(({ json }) => json.error === 'max_per_caller'))
  t.is(await chain.balance(s.address), 3n * BigInt(maxAmountRequired))
})

deepTest('J-RES-05 Q-23 what was paid on chain counts towards the cap afterwards', async (t) => {
  const s = await signedShop(app, { max_per_caller: { amount: 1, window_hours: 24 } })
  const payer = await chain.payer(10_000_000n)
  const { json } = await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } }))
  const [offer] = json.accepts
  const hash = await inLine(() => chain.transfer(payer, s.address, BigInt(offer.amountAtomic)))
  await chain.mine(6)
  await ok(app.call('POST', '/v1/verify', { body: { challengeId: offer.challengeId, hash } }))
  const refused = await payWith(app, s.path, await signFor(app, payer, s.checkout))
  t.deepEqual([refused.status, refused.json.error], [402, 'max_per_caller'])
})

test('J-RES-11 the caller ledger tells each payer, its spend and its payments, to the seller alone', async (t) => {
  const s = await signedShop(app)
  const [one, two] = [await chain.payer(10_000_000n), await chain.payer(10_000_000n)]
  await sellSigned(app, one, s.checkout)
  await sellSigned(app, one, s.checkout)
  const call = strictly(t, app)
  const callers = (query = '', key = s.key) => call('GET', `/v1/resources?res_id=${s.resId}&callers=1${query}`, { key })
  t.deepEqual((await callers()).json, { callers: [{ caller: one.address, spend: 2, payments: 2 }] })
  await sellSigned(app, two, s.checkout)
  t.deepEqual((await callers()).json.callers, [
    { caller: two.address, spend: 1, payments: 1 },
    { caller: one.address, spend: 2, payments: 2 },
  ])
  t.deepEqual((await callers('&limit=1&offset=1')).json.callers, [{ caller: one.address, spend: 2, payments: 2 }])
  t.is((await callers('&limit=501')).status, 400)
  const stranger = await activeSeller(app)
  t.is((await callers('', stranger.key)).status, 404)
  t.is((await call('GET', `/v1/resources?res_id=${s.resId}&callers=1`)).status, 401)
  // Without the parameter it is the resource.
  t.is((await call('GET', `/v1/resources?res_id=${s.resId}`, { key: s.key })).json.res_id, s.resId)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
