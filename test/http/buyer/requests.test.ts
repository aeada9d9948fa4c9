import test from 'ava'
import { toUnits } from '../../../domain/kernel/money.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, offerOn, payPage, requestOf, saidIn } from '../../support/buyer.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, inLine, shop, USDC } from '../../support/sale.ts'
import { ok } from '../../support/seller.ts'

/** What the link of a payment request shows, from the amount to the receipt. */

const HOUR_MS = 3_600_000

/** The clock of the service; the chain keeps its own. */
let shift = 0
let app: TestApp
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + shift) } })
})
test.after.always(() => app?.stop())

test.serial(
  'J-PRQ-02 J-PRQ-03 a payment request is paid by its link, which then shows the receipt and takes nothing more',
  async (t) => {
    const s = await shop(app)
    const body = {
      amount: 2500.5,
      title: 'Invoice 7',
      note: 'Thank you',
      redirect: 'https://shop.example/done?x=1&y=2',
    }
    const path = await requestOf(app, s, body)
    t.regex(saidIn(await look(app, path)), /^Pay 2,500\.50 USD Invoice 7 Thank you Choose how to pay/)
    const page = await choose(app, path, 'eth')
    t.is(await choose(app, path, 'eth'), page, 'whoever holds the link pays the same')
    await payPage(app, page)
    await app.anvil.mine(6)
    const paid = await eventually('the receipt', async () => {
      const seen = await look(app, page)
      return /^Paid/.test(saidIn(seen)) && seen
    })
    t.regex(saidIn(paid), /For Invoice 7 Details Thank you Price 2,500\.50 USD/)
    t.true(paid.text.includes('href="https://shop.example/done?x=1&amp;y=2"'))
    t.regex(saidIn(await look(app, path)), /^Paid Seller Seller without a name For Invoice 7/)
    t.is((await look(app, `${path}?asset=eth`)).headers.get('location'), path)
  },
)

deepTest.serial(
  'J-PRQ-03 N-24 who pays a request that was paid in another coin is told that it bought nothing',
  async (t) => {
    const s = await shop(app)
    await inLine(() => app.anvil.deployToken(USDC, 10n ** 18n))
    await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
    const path = await requestOf(app, s, { amount: 20 })
    const [inEther, inDollars] = [await choose(app, path, 'eth'), await choose(app, path, 'usdc')]
    const { payTo, amount } = await offerOn(app, inDollars)
    await payPage(app, inEther)
    await app.anvil.mine(6)
    await eventually('the receipt', async () => /^Paid/.test(saidIn(await look(app, inEther))))
    const hash = await inLine(() => app.anvil.sendToken(USDC, payTo, toUnits(amount, 6)))
    await app.anvil.mine(6)
    const told = await eventually('the double', async () => {
      const seen = await look(app, inDollars)
      return /what it was for was paid already/.test(saidIn(seen)) && seen
    })
    t.regex(saidIn(told), /The seller has this money/)
    t.true(told.text.includes(hash))
    t.regex(saidIn(await look(app, inEther)), /^Paid/)
  },
)

deepTest.serial('J-PRQ-03 a request whose time is up takes no payment and says so', async (t) => {
  const s = await shop(app)
  shift = -2 * HOUR_MS
  const path = await requestOf(app, s, { amount: 3, expiry: '1h' })
  const page = await choose(app, path, 'eth')
  shift = 0
  for (const each of [path, page]) {
    const over = await look(app, each)
    t.is(over.status, 200)
    t.regex(saidIn(over), /^The time to pay is up/)
    t.regex(saidIn(over), /ask the seller for a new link/)
    t.notRegex(over.text, /asset=|data-copy/)
  }
  t.is((await look(app, `${path}?asset=eth`)).headers.get('location'), path)
})

test.serial('N-40 who pays chooses how much, where the request leaves that open', async (t) => {
  const s = await shop(app)
  const path = await requestOf(app, s, { title: 'Tip' })
  const form = await look(app, path)
  t.regex(saidIn(form), /^Pay what you choose Tip Amount in USD/)
  for (const wrong of ['0', '-1', 'a', '1e3', '1,000', '1.234', ''])
    t.regex(saidIn(await look(app, `${path}?amount=${wrong}`)), /not an amount above zero/, wrong)
  t.is((await look(app, `${path}?asset=eth`)).headers.get('location'), path)
  const chosen = `${path}?amount=12,5`
  t.regex(saidIn(await look(app, chosen)), /^Pay 12\.50 USD Tip Choose how to pay/)
  const page = await choose(app, chosen, 'eth')
  t.regex(saidIn(await look(app, page)), /^Pay 12\.50 USD Tip/)
  t.regex((await offerOn(app, page)).amount, /^0\.0050\d{4}$/)
})

test.serial('N-40 a price in coin is asked as it was agreed', async (t) => {
  const s = await shop(app)
  const path = await requestOf(app, s, { asset: 'eth', asset_amount: 1.25 })
  t.regex(saidIn(await look(app, path)), /^Pay 1\.25 ETH/)
  t.regex(saidIn(await look(app, await choose(app, path, 'eth'))), /^Pay 1\.25 ETH .*Send exactly 1\.25\d{6} ETH/)
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
