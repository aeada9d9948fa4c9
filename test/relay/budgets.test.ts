import test from 'ava'
import type { Hex } from 'viem'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { eventually } from '../../src/demo/stage.ts'
import { world } from '../../src/settings/world.ts'
import { type GaslessChain, startGaslessChain } from '../support/gasless.ts'
import { NO, YES } from '../support/odd-wallets.ts'
import { freshAddress } from '../support/sale.ts'
import { contractPayerOn, honestPayersOn, NO_LIMITS, sceneOn } from './scene.ts'

/** Who may cost the relayer no more waits, and nobody else does. */

let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
})
test.after.always(() => chain?.stop())

const gas = '100000'
/** Times that the clock is asked in several rounds of the relayer. */
const LOOKS = 20

test.serial(
  'N-43 what wallets of one code have lost puts off those of that code for an hour, and nobody else',
  async (t) => {
    let now = Date.parse('2026-03-02T10:00:00.000Z')
    const limits = { ...NO_LIMITS, code: 1n }
    const { run, take, sent, stateOf } = await sceneOn(t, chain, { limits, now: () => new Date(now).toISOString() })
    const to = freshAddress()
    const turned = await contractPayerOn(chain, YES, to)
    await chain.client.setAutomine(false)
    t.teardown(() => chain.client.setAutomine(true))
    const first = await take(turned, true, { hash: '0xsame', gas })
    run()
    await eventually('it is sent', async () => (await sent()).length === 1)
    await chain.setCode(turned.from, NO)
    // One at a time may be on its way, of those that cost their payer nothing.
    const second = await take(await contractPayerOn(chain, YES, to), true, { hash: '0xsame', gas })
    const other = await take(await contractPayerOn(chain, YES, to), true, { hash: '0xother', gas })
    await eventually('another code goes meanwhile', async () => (await sent()).some(([id]) => id === other))
    await chain.client.mine({ blocks: 1 })
    await eventually('it was in vain', async () => (await stateOf(first)).reverts.length === 1)
    const [key] = await honestPayersOn(chain, 1, to)
    if (!key) throw new Error('nobody pays')
    const third = await take(key)
    await eventually('a key goes', async () => (await sent()).some((ids) => ids.includes(third)))
    t.false(
      (await sent()).some((ids) => ids.includes(second)),
      'its maker’s budget is spent',
    )
    await chain.client.setAutomine(true)
    now += 3_600_001
    await eventually('an hour later it goes', async () => (await sent()).some((ids) => ids.includes(second)))
    t.is(authorizationId(key), third)
    t.true((await chain.client.getCode({ address: turned.from as Hex })) === NO)
  },
)

test.serial('N-42 N-43 a payment that waits for its budget has failed once its time is over', async (t) => {
  const limits = { ...NO_LIMITS, code: 1n }
  let clock = world.now()
  let looks = 0
  const now = () => {
    looks++
    return clock.toISOString()
  }
  const { run, take, sent, stateOf } = await sceneOn(t, chain, { limits, now })
  const to = freshAddress()
  await chain.client.setAutomine(false)
  t.teardown(() => chain.client.setAutomine(true))
  const first = await take(await contractPayerOn(chain, YES, to), true, { hash: '0xone', gas })
  run()
  await eventually('one is on its way', async () => (await sent()).some((ids) => ids.includes(first)))
  const second = await take(await contractPayerOn(chain, YES, to), true, { hash: '0xone', gas })
  const { authorization } = await stateOf(second)
  await chain.client.setNextBlockTimestamp({ timestamp: BigInt(authorization.validBefore) })
  await chain.client.mine({ blocks: 1 })
  const before = looks
  await eventually('the relayer has looked again and again', async () => looks > before + LOOKS)
  t.is((await stateOf(second)).status, 'accepted', 'a chain whose time runs ahead ends nothing')
  clock = new Date(Number(authorization.validBefore) * 1000)
  await eventually('it has failed', async () => (await stateOf(second)).status !== 'accepted')
  t.like(await stateOf(second), { status: 'failed', reason: 'valid-before' })
  t.false((await sent()).some((ids) => ids.includes(second)))
})
