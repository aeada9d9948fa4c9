import test from 'ava'
import { PROVIDERS_MAX } from '../../adapters/chains/rpc/providers.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { type Anvil, evmByAddress, evmTestChain, startAnvil } from '../support/anvil.ts'
import { type Behaviour, fakeNode } from './fake-node.ts'

const usdc = assetOf('usdc')?.contract ?? ''
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/**
 * Milliseconds: short where a hang is waited for, more where another one has to answer within them, and long where a
 * busy machine must not pass for a hang.
 */
const [shortMs, busyMs, longMs] = [800, 4_000, 20_000]

let anvil: Anvil
test.before(async () => {
  anvil = await startAnvil()
  await anvil.deployToken(usdc, 10n ** 30n)
})
test.after.always(() => anvil?.stop())

const connectWithin = (timeoutMs: number, ...rpcUrls: string[]) =>
  evmByAddress({ network: 'eth', chain: evmTestChain(anvil.chainId), rpcUrls, timeoutMs })
const connect = (...rpcUrls: string[]) => connectWithin(longMs, ...rpcUrls)

test('a node that is down makes every method reject, without its URL', async (t) => {
  const chain = connect('http://127.0.0.1:1/key-4711')
  const calls = [chain.head(), chain.transfersOf(`0x${'ab'.repeat(32)}`), chain.transfersIn(0, 1, new Set())]
  for (const call of [...calls, chain.verifyChain()]) {
    const error = await t.throwsAsync(call, {
      message: /^eth: RPC URL 1 of 1: (eth_\w+|the proof of its chain): no connection$/,
    })
    t.false(`${error?.message}${error?.stack}${JSON.stringify(error)}`.includes('4711'))
    t.is(error?.cause, undefined)
  }
})

for (const fault of ['hang', 'hang-in-body'] as const)
  test(`a node that will ${fault} makes a call reject within its time limit`, async (t) => {
    const node = await fakeNode(anvil.url, () => fault)
    t.teardown(node.close)
    await t.throwsAsync(connectWithin(shortMs, node.url).head(), { message: /no answer within 800 ms/ })
  })

test('when the first of two URLs hangs the second answers, and the next call does not wait for the first again', async (t) => {
  const node = await fakeNode(anvil.url, () => 'hang')
  t.teardown(node.close)
  const chain = connectWithin(busyMs, node.url, anvil.url)
  await chain.head()
  t.is(node.calls.length, 1)
  await chain.head()
  await chain.transfersOf(`0x${'ab'.repeat(32)}`)
  t.is(node.calls.length, 1)
})

test('a URL set aside is asked again once its time is over', async (t) => {
  let isWell = false
  const node = await fakeNode(anvil.url, () => (isWell ? 'pass' : { status: 503 }))
  t.teardown(node.close)
  const rpcUrls = [node.url, anvil.url]
  const chain = evmByAddress({ network: 'eth', chain: evmTestChain(anvil.chainId), rpcUrls, setAsideMs: 2_000 })
  await chain.head()
  isWell = true
  await chain.head()
  t.is(node.calls.length, 1)
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  await chain.head()
  t.deepEqual(node.calls.slice(1), ['eth_chainId', 'eth_getBlockByNumber'])
})

for (const [words, behaviour] of [
  ['answers garbage', 'garbage'],
  ['wants a pause', { status: 429 }],
  ['wants a pause by its own code', { error: { code: 429, message: 'key-4711 is over its limit' } }],
  ['is broken', { status: 500 }],
] as const satisfies readonly (readonly [string, Behaviour])[])
  test(`a URL that ${words} gives way to the next`, async (t) => {
    const node = await fakeNode(anvil.url, () => behaviour)
    t.teardown(node.close)
    await t.notThrowsAsync(connect(node.url, anvil.url).head())
    const error = await t.throwsAsync(connect(node.url).head())
    t.false(error?.message.includes('4711'))
  })

test('another chain than configured is refused, and a URL on it is never used', async (t) => {
  const node = await fakeNode(anvil.url, ({ method }) => (method === 'eth_chainId' ? { result: '0x5' } : 'pass'))
  t.teardown(node.close)
  const message = 'eth: RPC URL 1 of 2 serves chain 5, configured is 31337'
  await t.throwsAsync(connect(node.url, anvil.url).verifyChain(), { message })
  await t.throwsAsync(connect(node.url).head(), { message: /serves chain 5, configured is 31337/ })
  const chain = connect(node.url, anvil.url)
  await chain.head()
  await chain.head()
  t.deepEqual(
    node.calls.filter((method) => method !== 'eth_chainId'),
    [],
  )
})

test('one URL that is down does not stop the start, when another proves the chain', async (t) => {
  await t.notThrowsAsync(connect('http://127.0.0.1:1', anvil.url).verifyChain())
})

test('no URL, too many URLs and a URL that is none are refused without being shown', (t) => {
  t.throws(() => connect(), { message: /give 1 to 5 RPC URLs/ })
  t.throws(() => connect(...Array(PROVIDERS_MAX + 1).fill(anvil.url)), { message: /give 1 to 5 RPC URLs/ })
  t.throws(() => connect('ftp://key-4711'), { message: 'eth: RPC URL 1 of 1: not an http URL' })
})

test.serial('a range that a provider refuses is halved until it fits', async (t) => {
  const node = await fakeNode(anvil.url, ({ method, params }) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>
    const isTooLong = method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 2
    return isTooLong ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : 'pass'
  })
  t.teardown(node.close)
  const chain = connect(node.url)
  const { height } = await chain.head()
  for (let n = 0; n < 9; n++) await anvil.sendToken(usdc, receiver, 1n)
  t.is((await chain.transfersIn(height + 1, height + 9, new Set([receiver]))).length, 9)
})

test.serial('a provider that refuses even one block makes the range reject', async (t) => {
  const node = await fakeNode(anvil.url, ({ method }) =>
    method === 'eth_getLogs' ? { error: { code: -32005, message: 'key-4711' } } : 'pass',
  )
  t.teardown(node.close)
  const message = 'eth: RPC URL 1 of 1: eth_getLogs: error -32005'
  await t.throwsAsync(connect(node.url).transfersIn(0, 1, new Set()), { message })
  t.is(node.calls.filter((method) => method === 'eth_getLogs').length, 2)
})

test.serial('a range that takes too long rejects in time, and the next one asks for less', async (t) => {
  const node = await fakeNode(anvil.url, ({ method, params }) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>
    return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 2 ? 'hang' : 'pass'
  })
  t.teardown(node.close)
  const rpcUrls = [node.url]
  const chain = evmByAddress({
    network: 'eth',
    chain: evmTestChain(anvil.chainId),
    rpcUrls,
    timeoutMs: shortMs,
    logsMaxBlocks: 4,
  })
  await anvil.mine(4)
  const { height } = await chain.head()
  const read = () => chain.transfersIn(height - 3, height, new Set([receiver]))
  await t.throwsAsync(read(), { message: /eth_getLogs: no answer within 800 ms/ })
  t.deepEqual(await read(), [])
})

test.serial('logs that a lagging node leaves out are noticed by the bloom filter and asked for by block', async (t) => {
  const node = await fakeNode(anvil.url, ({ method, params }) => {
    const isByRange = method === 'eth_getLogs' && 'fromBlock' in (params[0] as object)
    return isByRange ? { result: [] } : 'pass'
  })
  t.teardown(node.close)
  const tx = await anvil.sendToken(usdc, receiver, 21n)
  await anvil.mine(1)
  const { height } = await connect(node.url).head()
  const found = await connect(node.url).transfersIn(height - 1, height, new Set([receiver]))
  t.deepEqual([...found], await connect(anvil.url).transfersOf(tx))
})

test.serial('blocks that change while they are read make the range reject', async (t) => {
  await anvil.sendToken(usdc, receiver, 22n)
  const { height } = await connect(anvil.url).head()
  const blockHash = `0x${'cd'.repeat(32)}`
  const log = { blockHash, blockNumber: `0x${height.toString(16)}` }
  const node = await fakeNode(anvil.url, ({ method }) => (method === 'eth_getLogs' ? { result: [log] } : 'pass'))
  t.teardown(node.close)
  const message = 'eth: the chain changed while it was read'
  await t.throwsAsync(connect(node.url).transfersIn(height, height, new Set([receiver])), { message })
})

test('M-SET-06 a balance that cannot be read is an error and never 0, and gives way to the next URL', async (t) => {
  for (const [asset, method, result] of [
    ...[null, '', '0x', '0xzz', 7, {}, `0x${'f'.repeat(65)}`].map((result) => ['eth', 'eth_getBalance', result]),
    ...[null, 7, 'nope', '0xzz'].map((result) => ['usdc', 'eth_call', result]),
  ] as [string, string, unknown][]) {
    const node = await fakeNode(anvil.url, (call) => (call.method === method ? { result } : 'pass'))
    t.teardown(node.close)
    const message = new RegExp(`^eth: RPC URL 1 of 1: ${method}: no (balance|usable answer)$`)
    await t.throwsAsync(connect(node.url).balanceOf(receiver, asset), { message })
    const both = connect(node.url, anvil.url)
    t.is(await both.balanceOf(receiver, asset), await connect(anvil.url).balanceOf(receiver, asset))
  }
})

test('a token that says no number or fails is no fault of its node', async (t) => {
  for (const behaviour of [
    { result: '0x' },
    { result: `0x${'0'.repeat(128)}` },
    { error: { code: 3, message: 'execution reverted' } },
  ]) {
    const node = await fakeNode(anvil.url, ({ method }) => (method === 'eth_call' ? behaviour : 'pass'))
    t.teardown(node.close)
    const chain = connect(node.url)
    await t.throwsAsync(chain.balanceOf(receiver, usdc), { message: /a contract that tells no balance$|error 3$/ })
    t.deepEqual(chain.providers?.(), ['closed'])
  }
})
