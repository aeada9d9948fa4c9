import test from 'ava'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { lettersTo } from '../../support/people.ts'
import { assertReplayEqual, freshAddress, payInFull, sell, transactionsOf, verify } from '../../support/sale.ts'
import { SIMULATE } from '../../support/sandbox.ts'
import { offerOf, ok, seller } from '../../support/seller.ts'

/** Letters about what happens to a seller's sales, an hour apart. Every test runs alone: they share the clock. */

let app: TestApp
let shiftMs = 0
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shiftMs) } })
  await app.anvil.mine(10)
})
test.after.always(() => app?.stop())

const HOUR_MS = 3_600_000

const sellerWith = async (email: boolean) => {
  const s = await seller(app, { amount: 100, address: freshAddress(), webhook: true })
  await ok(app.call('PUT', '/v1/settings', { key: s.key, body: { notifications: { email } } }))
  return s
}

const news = async (to: string): Promise<{ subject: string; text: string }[]> =>
  (await lettersTo(app, to))
    .filter(({ subject }) => /settle|too low|delivered/.test(subject))
    .map(({ subject, text }) => ({ subject, text }))

const subjects = async (to: string) => (await news(to)).map(({ subject }) => subject).sort()

const hasCome = (to: string, wanted: readonly string[]) =>
  eventually(`${wanted}`, async () => equal(await subjects(to), wanted))

const equal = (a: readonly string[], b: readonly string[]) => JSON.stringify(a) === JSON.stringify(b.toSorted())

test.serial(
  'N-33 J-VER-03 W-RTY-01 an underpayment, money that settles nothing, and a webhook that fails are told in letters of their own',
  async (t) => {
    const s = await sellerWith(true)
    // Of some minutes ago, so that an odd payment may be taken for it.
    shiftMs = -120_000
    const offer = await offerOf(app, s.key, s.resId)
    shiftMs = 0
    const hash = await payInFull(app, offer, BigInt(offer.amountAtomic) / 2n)
    t.is((await verify(app, offer.challengeId, hash)).json.status, 'underpaid')
    await hasCome(s.email, ['A payment was too low'])
    await payInFull(app, offer, 777n)
    await hasCome(s.email, ['A payment was too low', 'A payment has come that settles nothing'])
    app.receiver.answer.status = 500
    try {
      await sell(app, s)
      await hasCome(s.email, [
        'A payment was too low',
        'A payment has come that settles nothing',
        'A payment has settled',
        'A webhook could not be delivered',
      ])
    } finally {
      app.receiver.answer.status = 200
    }
    const [{ text: low = '' } = {}] = (await news(s.email)).filter(({ subject }) => subject.includes('too low'))
    t.true(low.includes(offer.challengeId))
    const [{ text: failed = '' } = {}] = (await news(s.email)).filter(({ subject }) => subject.includes('webhook'))
    t.regex(failed, /transaction \d+: your server answered 500/)
  },
)

deepTest.serial(
  'N-33 J-SET-01 X-SBX-01 a sale is told by letter at once, those after it an hour later together, and a test never',
  async (t) => {
    const s = await sellerWith(true)
    const silent = await sellerWith(false)
    await sell(app, silent)
    const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 5, test: true } }))
    const minted = await ok(app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: json.res_id } }))
    await ok(app.call('POST', SIMULATE, { body: { challengeId: minted.json.accepts[0].challengeId } }))
    await sell(app, s)
    await hasCome(s.email, ['A payment has settled'])
    for (let n = 0; n < 2; n++) await sell(app, s)
    await eventually('three sales', async () => (await transactionsOf(app, s.key)).length === 3)
    shiftMs += HOUR_MS
    await hasCome(s.email, ['A payment has settled', '2 payments have settled'])
    const sold = (await transactionsOf(app, s.key)).filter(({ is_test }) => is_test === '0').map(({ id }) => id ?? '')
    const texts = (await news(s.email)).map(({ text }) => text)
    for (const id of sold) t.is(texts.filter((text) => text.includes(`100 USD, transaction ${id}`)).length, 1, id)
    t.deepEqual(await subjects(silent.email), [])
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
