import test from 'ava'
import { gasFor } from '../../adapters/relay/calls.ts'
import { watchGas } from '../../adapters/relay/gas-watch.ts'
import { createRelayChain } from '../../adapters/relay/relay-chain.ts'
import { BASE_SEPOLIA, type GaslessChain, startGaslessChain } from '../support/gasless.ts'
import { answering, EATER, NO } from '../support/odd-wallets.ts'

/** What networks take for putting data on the layer below. */

const OP_ORACLE = '0x420000000000000000000000000000000000000F'
const ARBITRUM_NODE = '0x00000000000000000000000000000000000000C8'

let chain: GaslessChain
test.before(async () => {
  chain = await startGaslessChain()
})
test.after.always(() => chain?.stop())

const asksOn = (network: string) =>
  createRelayChain({ network, chainId: BASE_SEPOLIA, urls: [chain.url], timeoutMs: 20_000 })

/** What one payment costs on a network, in millionths of a US dollar, with ether at 2,500 dollars. */
const costOn = async (network: string, gas?: bigint) => {
  const closing = new AbortController()
  const quiet = { warn: () => {}, error: () => {} }
  const { address } = chain.relayer
  const parts = {
    chain: asksOn(network),
    address,
    rate: async () => '2500',
    tipUsdMax: 1_000_000n,
    log: quiet,
    network,
  }
  const watch = watchGas(parts, closing.signal)
  await watch.first
  closing.abort()
  await watch.ended
  return watch.cost(gas)
}

test.serial('J-GAS-01 J-GAS-02 what Base and OP Mainnet take for data is in the price of gas', async (t) => {
  await chain.setCode(OP_ORACLE, '0x')
  const bare = Number(await costOn('base'))
  // 0.0004 ether is a dollar.
  await chain.setCode(OP_ORACLE, answering(4n * 10n ** 14n))
  t.deepEqual(await asksOn('op').dataFee(), { wei: 4n * 10n ** 14n, gas: 0n })
  t.is(Number(await costOn('base')), bare + 1_000_000)
  t.is(Number(await costOn('polygon')), bare, 'where there is no such fee, nobody asks for it')
})

test.serial('J-GAS-01 J-GAS-02 the gas that Arbitrum takes for data is in the price, and allowed for', async (t) => {
  await chain.setCode(ARBITRUM_NODE, answering(40_000n))
  const data = await asksOn('arb').dataFee()
  t.deepEqual(data, { wei: 0n, gas: 40_000n })
  const [bare, dearer] = [Number(await costOn('polygon')), Number(await costOn('arb'))]
  t.true(Math.abs(dearer - (bare * 120) / 80) <= 1, `${bare} ${dearer}`)
  const none = { data: { wei: 0n, gas: 0n } }
  const key = { byContract: false }
  t.is(gasFor([key], { data }) - gasFor([key], none), 60_000n)
  t.is(gasFor([key, key], { data }) - gasFor([key, key], none), 120_000n)
  // A contract that was tried there has it in what it took.
  const tried = { byContract: true, code: { hash: '0x', gas: '100000' } }
  t.is(gasFor([tried], { data }), 150_000n)
})

test.serial(
  'J-GAS-01 an oracle that does not answer leaves the price of gas unknown, so that nothing is offered',
  async (t) => {
    for (const code of [EATER, NO]) {
      await chain.setCode(OP_ORACLE, code)
      t.is(await costOn('base'), undefined)
    }
  },
)
