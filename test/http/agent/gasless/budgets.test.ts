import test from 'ava'
import { eventually } from '../../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { byLog } from '../../../support/by-log.ts'
import { deepTest } from '../../../support/deep-test.ts'
import { authorize, type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { NO, YES } from '../../../support/odd-wallets.ts'
import { freshAddress, saidOf } from '../../../support/sale.ts'
import { payWith, requirementOf, type SignedShop, signedShop, signFor } from '../../../support/signed-sale.ts'

/** What the relayer may lose in an hour, at the doors of the service. */

const OPERATOR = 'operator@daybook.test'

let app: TestApp
let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
  const env = { OPERATOR_EMAIL: OPERATOR, RELAY_LOSS_PER_HOUR: 'seller=0.01' }
  app = await startApp({ env: { ...chain.env, ...env } })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

deepTest.serial(
  'N-43 J-GAS-07 a seller whose payments fail takes none of new payers for an hour, others do',
  async (t) => {
    const [bad, good] = [await signedShop(app, { amount: 2 }), await signedShop(app, { amount: 2 })]
    const known = await chain.payer(9_000_000n)
    t.is((await payWith(app, good.checkout, await signFor(app, known, good.checkout))).status, 200)
    const turned = await signedInName(bad)
    await chain.client.setAutomine(false)
    t.teardown(() => chain.client.setAutomine(true))
    const paying = payWith(app, bad.path, turned)
    await eventually('it is sent', async () => (await saidOf(app, 'RelayTransactionSent', turned.nonce)).length > 0)
    await chain.setCode(turned.from, NO)
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    const [lost] = await eventually('the loss', async () => {
      const all = await saidOf(app, 'RelayLossCounted', turned.nonce)
      return all.length === 4 && all
    })
    t.true(Number(lost?.usd) > 100_000, `${lost?.usd} millionths`)
    const refused = await payWith(app, bad.path, await signFor(app, await chain.payer(9_000_000n), bad.path))
    t.deepEqual([refused.status, refused.json.error_code], [429, 'svc_rate_limited'], JSON.stringify(refused.json))
    t.is((await saidOf(app, 'AuthorizationAccepted', bad.resId)).length, 1)
    const other = await payWith(app, good.checkout, await signFor(app, await chain.payer(9_000_000n), good.checkout))
    t.is(other.status, 200, 'who is new pays elsewhere')
    t.not((await paying).status, 200)
  },
)

test.serial(
  'N-43 J-GAS-08 what was lost, and of how much, is said to whoever looks, and to the operator by letter',
  async (t) => {
    const lost = { usd: '7600000', authorizationId: 'a', tx: '0x1', source: 'a test', position: '1' }
    await byLog(app, ({ relayBudget }) => relayBudget.count('network:base', lost))
    const letter = await eventually('a letter', async () => {
      const { json } = await app.call('GET', '/dev/inbox.json')
      return (json as { to: string; subject: string; text: string }[]).find(({ to }) => to === OPERATOR)
    })
    t.is(letter.subject, 'The relayer of base has lost 75 % of what it may lose in an hour')
    t.regex(letter.text, /of 10 US dollars/)
    const { json } = await app.call('GET', '/readyz')
    const { base } = json.checks.relayers
    t.is(base.lost_usd_limit, '10')
    t.true(Number(base.lost_usd_last_hour) >= 7.6, base.lost_usd_last_hour)
    const metrics = await (await fetch(app.served().metricsUrl)).text()
    const [, said] = /daybook_relayer_lost_usd\{network="base"\} (\S+)/.exec(metrics) ?? []
    t.is(Number(said), Number(base.lost_usd_last_hour))
  },
)

/** What somebody signs in the name of a contract that says yes, for now. */
const signedInName = async (s: SignedShop) => {
  const from = freshAddress()
  await chain.setCode(from, YES)
  await chain.mint(from, 9_000_000n)
  const { maxAmountRequired } = await requirementOf(app, s.path)
  return authorize(await chain.payer(0n), { to: s.address, value: BigInt(maxAmountRequired), from })
}
