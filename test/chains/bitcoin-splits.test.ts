import test, { type ExecutionContext } from 'ava'
import { bitcoinChain } from '../../adapters/chains/bitcoin/bitcoin.ts'
import { ProviderUnavailable, WrongChain } from '../../adapters/chains/rpc/providers.ts'
import { chainOf, networkOf } from '../../domain/kernel/networks.ts'
import { eventually } from '../../src/demo/stage.ts'
import { BITCOIN_MARKS, bitcoinNode, makeBlock } from './bitcoin-node.ts'
import { fakeNode } from './fake-node.ts'

/** Chains that split off Bitcoin and Litecoin and have their first block: a payment there is no payment here. */

const GENESIS = {
  btc: '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f',
  ltc: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2',
}
const BITCOIN_CASH_478559 = '000000000000000000651ef99cb9fcbe0dadde1d424bd9f15ff20136191a5eec'
const LITECOIN_1411200 = '92c85b76f3d4bffca76b23717e4eb1b667c77c96fd52d4dd5dd843bbee64cd73'
const other = (height: number): [number, string] => [height, 'ab'.repeat(32)]

/** A node of the main chain with these blocks above its first; they may be changed meanwhile. */
const nodeWith = async (t: ExecutionContext, network: 'btc' | 'ltc', marks: Map<number, string>) => {
  const first = { hash: GENESIS[network], hex: '' }
  const node = await fakeNode('', bitcoinNode([first, makeBlock(first.hash)], marks))
  t.teardown(node.close)
  return { ...node, marks }
}

const connect = (network: 'btc' | 'ltc', ...rpcUrls: string[]) => {
  const known = networkOf(network)
  const chain = known && chainOf(known)
  if (!chain) throw new Error(`there is no ${network}`)
  return bitcoinChain({ network, chain, rpcUrls, timeoutMs: 20_000, setAsideMs: 20 })
}

for (const [whose, network, marks, height] of [
  ['Bitcoin Cash', 'btc', [[478_559, BITCOIN_CASH_478559], other(840_000)], 478_559],
  ['Bitcoin Cash, still below 840,000', 'btc', [[478_559, BITCOIN_CASH_478559]], 478_559],
  ['a chain that split off Bitcoin later', 'btc', [...BITCOIN_MARKS].slice(0, 1).concat([other(840_000)]), 840_000],
  ['Litecoin Cash', 'ltc', [other(1_411_200)], 1_411_200],
] as [string, 'btc' | 'ltc', [number, string][], number][])
  test(`J-GEN-05 a node of ${whose} is not taken for one of the chain it split off, whose first block it has`, async (t) => {
    const split = await nodeWith(t, network, new Map(marks))
    const chain = connect(network, split.url)
    const message = new RegExp(`^${network}: RPC URL 1 of 1 serves a chain that split off bip122:.*: block ${height} `)
    await t.throwsAsync(chain.verifyChain(), { instanceOf: WrongChain, message })
    for (const asked of [chain.head(), chain.transfersIn(0, 1, new Set()), chain.transfersOf('ab'.repeat(32))])
      await t.throwsAsync(asked, { instanceOf: WrongChain })
    t.deepEqual(chain.providers?.(), ['wrong-chain'])
    t.deepEqual(new Set(split.calls), new Set(['getblockhash']), 'it was asked for nothing else')
  })

test('J-GEN-05 a node of the right chain is asked after one of Bitcoin Cash was found out', async (t) => {
  const cash = await nodeWith(t, 'btc', new Map([[478_559, BITCOIN_CASH_478559], other(840_000)]))
  const right = await nodeWith(t, 'btc', new Map(BITCOIN_MARKS))
  const chain = connect('btc', cash.url, right.url)
  t.is((await chain.head()).height, 1)
  t.deepEqual(chain.providers?.(), ['wrong-chain', 'closed'])
})

for (const [network, marks, height] of [
  ['btc', BITCOIN_MARKS, 478_559],
  ['btc', BITCOIN_MARKS, 840_000],
  ['ltc', new Map([[1_411_200, LITECOIN_1411200]]), 1_411_200],
] as ['btc' | 'ltc', ReadonlyMap<number, string>, number][])
  test(`J-GEN-05 a node of ${network} that has not come to block ${height} is not believed yet, and is once it has`, async (t) => {
    const below = [...marks].filter(([each]) => each < height)
    const node = await nodeWith(t, network, new Map(below))
    const chain = connect(network, node.url)
    const message = new RegExp(`: it has not come to block ${height} yet, which proves its chain$`)
    await t.throwsAsync(chain.verifyChain(), { instanceOf: ProviderUnavailable, message })
    await t.throwsAsync(chain.head(), { instanceOf: ProviderUnavailable })
    t.false(node.calls.includes('getbestblockhash'))
    for (const [each, hash] of marks) node.marks.set(each, hash)
    const head = await eventually('its head', () => chain.head().catch(() => false as const))
    t.is(head.height, 1)
    await t.notThrowsAsync(chain.verifyChain())
    t.deepEqual(chain.providers?.(), ['closed'])
  })

test('J-GEN-05 a node that has an error of its own for a block that it has not come to is asked again, too', async (t) => {
  const behave = bitcoinNode([{ hash: GENESIS.btc, hex: '' }, makeBlock(GENESIS.btc)])
  let isThere = false
  const node = await fakeNode('', (call) =>
    call.params[0] === 840_000 && !isThere
      ? { error: { code: -1, message: 'Block number out of range' } }
      : behave(call),
  )
  t.teardown(node.close)
  const chain = connect('btc', node.url)
  await t.throwsAsync(chain.verifyChain(), { instanceOf: ProviderUnavailable, message: /has not come to block 840000/ })
  isThere = true
  t.is((await eventually('its head', () => chain.head().catch(() => false as const))).height, 1)
})

test('a test chain has no such blocks: one of ten blocks is believed', async (t) => {
  const genesis = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'
  const node = await fakeNode('', bitcoinNode([{ hash: genesis, hex: '' }, makeBlock(genesis)], new Map()))
  t.teardown(node.close)
  const network = networkOf('btc')
  const chain = network && chainOf(network, 'regtest')
  if (!chain) throw new Error('there is no regtest of btc')
  const reader = bitcoinChain({ network: 'btc', chain, rpcUrls: [node.url], timeoutMs: 20_000 })
  await t.notThrowsAsync(reader.verifyChain())
  t.is((await reader.head()).height, 1)
})
