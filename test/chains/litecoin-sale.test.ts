import { randomBytes } from 'node:crypto'
import test from 'ava'
import { address as bitcoinjs } from 'bitcoinjs-lib'
import { toUnits } from '../../domain/kernel/money.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { choose, look, offerOn, saidIn } from '../support/buyer.ts'
import { type Litecoind, litecoindPath, startLitecoind } from '../support/litecoind.ts'
import { assertReplayEqual, verify } from '../support/sale.ts'
import { activeSeller, ok } from '../support/seller.ts'

/** One sale in Litecoin, as its buyer sees it. */

const onNode = litecoindPath() ? test.serial : test.serial.skip

let node: Litecoind
let app: TestApp
test.before(async () => {
  if (!litecoindPath()) return
  node = await startLitecoind()
  app = await startApp({ env: { CHAIN_LTC_RPC: node.url, CHAIN_LTC_ID: 'regtest' } })
})
test.after.always(async () => {
  await app?.stop()
  await node?.stop()
})

onNode('J-DOOR-03 J-GEN-05 J-VER-01 a sale in Litecoin, from the page and its link to the settlement', async (t) => {
  const hash = randomBytes(20)
  const payTo = bitcoinjs.toBech32(hash, 0, 'rltc')
  const script = Buffer.concat([Buffer.from('0014', 'hex'), hash])
  const { key } = await activeSeller(app)
  const wallet = (address: string) => app.call('POST', '/v1/wallets', { key, body: { asset: 'ltc', address } })
  t.is((await wallet('ltc1qhdhvrwe6rgqns8fz28tee0hphr5x7ulw5exv4w')).status, 400, 'of the main chain')
  await ok(wallet(payTo))
  const { res_id } = (await ok(app.call('POST', '/v1/resources', { key, body: { amount: 20 } }))).json
  const page = await choose(app, `/r/${res_id}`, 'ltc')
  const { challengeId, amount } = await offerOn(app, page)
  const waiting = await look(app, page)
  t.true(waiting.text.includes(`href="litecoin:${payTo}?amount=${amount}`))
  t.regex(saidIn(waiting), /Litecoin/)

  const tx = await node.pay({ script, amount: toUnits(amount, 8) })
  t.not((await verify(app, challengeId, tx)).json.settled, true)
  await node.mineEmpty(5)
  t.true((await ok(verify(app, challengeId, tx))).json.settled)
  t.regex(saidIn(await look(app, page)), /^Paid/)
  await assertReplayEqual(t, app)
})
