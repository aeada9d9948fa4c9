import test from 'ava'
import type { ChainNode } from '../../adapters/chains/rpc/chain-node.ts'
import { type ChainHealth, healthOf } from '../../adapters/chains/rpc/health.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import type { ChainHead } from '../../domain/kernel/ports.ts'
import { type Anvil, evmByAddress, evmTestChain, startAnvil } from '../support/anvil.ts'
import { fakeNode } from './fake-node.ts'

const DOWN = 'http://127.0.0.1:1/key-4711'
const MINUTE_MS = 60_000

let anvil: Anvil
let other: Anvil
test.before(async () => {
  ;[anvil, other] = await Promise.all([startAnvil(), startAnvil()])
  await anvil.mine(10)
  await other.mine(10)
})
test.after.always(() => Promise.all([anvil?.stop(), other?.stop()]))

const connect = (...rpcUrls: string[]) => evmByAddress({ network: 'eth', chain: evmTestChain(anvil.chainId), rpcUrls })

/** What is found of a chain; `cursor` is where the watch stands, `at` the time in milliseconds. */
const check = (node: ChainNode, { cursor, at = Date.now() }: { cursor?: number; at?: number } = {}) => {
  const network = networkOf('eth')
  if (!network) throw new Error('there is no network eth')
  return healthOf({ network, node, cursor: () => cursor, now: () => new Date(at) })
}

test.serial('a chain whose providers answer alike is well, and its watch is as far behind as it is', async (t) => {
  const { height } = await connect(anvil.url).head()
  const health = await check(connect(anvil.url, anvil.url), { cursor: height - 2 })
  t.like(health, { status: 'ok', head: height, cursorBehindBlocks: 2, answering: 2, disagree: false })
  t.deepEqual(health.providers, ['closed', 'closed'])
  t.true((health.headAgeSeconds ?? -1) >= 0)
  t.is((await check(connect(anvil.url))).cursorBehindBlocks, null)
})

test.serial('a chain that nobody answers for is down, and a check does not reject', async (t) => {
  const health = await check(connect(DOWN, DOWN))
  t.like(health, { status: 'down', head: null, answering: 0 })
  t.deepEqual(health.providers, ['open', 'open'])
  t.false(JSON.stringify(health).includes('4711'))
})

test.serial('one provider of several that is down is shown, and the chain is well', async (t) => {
  const node = connect(DOWN, anvil.url)
  t.like(await check(node), { status: 'ok', answering: 1 })
  t.deepEqual((await check(node)).providers, ['open', 'closed'])
})

test.serial('providers that have other blocks at one height disagree', async (t) => {
  await other.client.setNextBlockTimestamp({ timestamp: BigInt(Math.ceil(Date.now() / 1000) + 100) })
  await Promise.all([anvil.mine(10), other.mine(10)])
  t.like(await check(connect(anvil.url, other.url)), { status: 'disagree', disagree: true, answering: 2 })
})

test.serial(
  'a provider that is far behind another disagrees with it, one that is a little behind does not',
  async (t) => {
    const { height } = await connect(anvil.url).head()
    const late = (blocks: number) =>
      fakeNode(anvil.url, ({ method, params: [at] }) => {
        if (method !== 'eth_getBlockByNumber' || at !== 'latest') return 'pass'
        return { result: { number: `0x${(height - blocks).toString(16)}`, hash: '0x1', timestamp: '0x1' } }
      })
    for (const [blocks, disagree] of [
      [2, false],
      [9, true],
    ] as const) {
      const node = await late(blocks)
      t.teardown(node.close)
      t.is((await check(connect(anvil.url, node.url))).disagree, disagree, `${blocks} blocks behind`)
    }
  },
)

test.serial('a chain without a new block for long is stale; a watch far from its head is behind', async (t) => {
  const node = connect(anvil.url)
  const { height, minedAt = '' } = await node.head()
  const at = Date.parse(minedAt)
  t.is((await check(node, { at: at + 2 * MINUTE_MS })).status, 'ok')
  t.like(await check(node, { at: at + 3 * MINUTE_MS }), { status: 'stale', headAgeSeconds: 180 })
  t.is((await check(node, { at, cursor: height - 5 })).status, 'ok')
  t.like(await check(node, { at, cursor: height - 6 }), { status: 'behind', cursorBehindBlocks: 6 })
})

test('a chain that does not say when its blocks were made is not called stale', async (t) => {
  const tips = async (): Promise<ChainHead[]> => [{ height: 5, hash: 'a' }]
  const health: ChainHealth = await check({ ...connect(anvil.url), tips })
  t.like(health, { status: 'ok', headAgeSeconds: null })
})
