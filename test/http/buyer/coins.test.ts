import test from 'ava'
import { toUnits } from '../../../domain/kernel/money.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { choose, look, offerOn, saidIn } from '../../support/buyer.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { assertReplayEqual, freshAddress, shop } from '../../support/sale.ts'
import { ok, signUp } from '../../support/seller.ts'

/** What a page says where a coin is not as usual: play money, a seller's own token, an amount that is nobody's own. */

/** More challenges than so small a price has amounts to be told apart by. */
const TOO_MANY = 175

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

test.serial('J-SIM-01 Q-13 a test sale says on every page that no money moves, and is paid by playing', async (t) => {
  const s = await shop(app)
  const body = { amount: 5, test: true, test_confirmations: 2 }
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body }))).json
  const list = await look(app, `/r/${res_id}`)
  const page = await choose(app, `/r/${res_id}`, 'eth')
  const waiting = await look(app, page)
  t.notRegex(waiting.text, /<svg|href="ethereum:/)
  const { challengeId } = await offerOn(app, page)
  const play = () => ok(app.call('POST', '/v1/simulate-payment', { body: { challengeId } }))
  await play()
  const seen = await look(app, page)
  t.regex(saidIn(seen), /^Payment seen .*1 of 2 confirmations/)
  await play()
  const paid = await look(app, page)
  t.regex(saidIn(paid), /^Paid Seller Seller without a name Price 5\.00 USD Received/)
  for (const { text } of [list, waiting, seen, paid]) t.true(text.includes('Test – no money moves'))
})

test.serial('Q-13 a test sale of a seller without wallets is in play money', async (t) => {
  const { key } = await signUp(app)
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5, test: true } }))).json
  t.regex(saidIn(await look(app, `/r/${res_id}`)), /Test money on the test network ≈ 5 TEST/)
  t.regex(saidIn(await look(app, await choose(app, `/r/${res_id}`, 'test'))), /^Pay 5\.00 USD .*Send exactly 5 TEST/)
})

deepTest.serial('J-TOK-08 a token of the seller’s own is named, priced and linked as what it is', async (t) => {
  const s = await shop(app)
  const contract = freshAddress()
  const token = {
    type: 'erc-20',
    code: 'shop_coin',
    contract_address: contract,
    decimals: 3,
    name: 'Shop Coin',
    rate: '2',
  }
  await ok(app.call('POST', '/v1/custom-tokens', { key: s.key, body: token }))
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'shop_coin', address: s.address } }))
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 3000 } }))).json
  t.regex(saidIn(await look(app, `/r/${res_id}`)), /Shop Coin on the Ethereum network ≈ 1,500 SHOP/)
  const page = await choose(app, `/r/${res_id}`, 'shop_coin')
  const { amount, payTo } = await offerOn(app, page)
  t.is(payTo, s.address)
  const link = `ethereum:${contract}@${app.anvil.chainId}/transfer?address=${payTo}&amp;uint256=${toUnits(amount, 3)}`
  t.true((await look(app, page)).text.includes(`href="${link}"`))
})

deepTest.serial(
  'Q-55 N-21 when the amounts run out the page says so, and asks for nothing that could not be told apart',
  async (t) => {
    const s = await shop(app, { amount: 0.25, webhook: false })
    for (let n = 0; n < TOO_MANY; n += 25)
      await Promise.all(
        Array.from({ length: 25 }, () => app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } })),
      )
    t.is((await app.call('POST', '/v1/challenge', { key: s.key, body: { res_id: s.resId } })).status, 503)
    await t.throwsAsync(choose(app, `/r/${s.resId}`, 'eth'), { message: /answered 503/ })
  },
)

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))
