import { base58 } from '@scure/base'
import test from 'ava'
import { solanaChain } from '../../adapters/chains/solana/solana.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { networkOf } from '../../domain/kernel/networks.ts'
import { connectSolana, freshWallet, UNKNOWN_SIGNATURE } from '../contracts/solana.ts'
import { type LiteSolana, startLiteSolana } from '../support/lite-svm.ts'
import { startOwnTime } from '../support/own-time.ts'
import { localnet } from '../support/solana-node.ts'
import { openTill } from '../support/solana-till.ts'
import { type Behaviour, fakeNode } from './fake-node.ts'

/** Milliseconds. */
const SHORT_MS = 800
const MAIN_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const DEVNET_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'

let node: LiteSolana
test.before(async () => {
  node = await startLiteSolana()
  await node.mine(4)
})
test.after.always(() => node?.stop())

const everyMethod = (chain: ReturnType<typeof connectSolana>) => [
  chain.head(),
  chain.hashAt(1_001),
  chain.transfersOf(UNKNOWN_SIGNATURE),
  chain.transfersIn(1_001, 1_002, new Set([freshWallet()])),
  chain.verifyChain(),
]

for (const [words, behaviour, reason] of [
  ['is down', { status: 503 }, /HTTP status 503$/],
  ['wants a pause', { status: 429 }, /HTTP status 429$/],
  [
    'wants a pause by its own code',
    { error: { code: 429, message: 'key-4711 is over its limit' } },
    /no usable answer$/,
  ],
  ['is behind the others', { error: { code: -32005, message: 'Node is behind by 42 slots' } }, /no usable answer$/],
  ['answers garbage', 'garbage', /no usable answer$/],
  ['refuses', { error: { code: -32015, message: 'key-4711' } }, /error -32015$/],
] as const satisfies readonly (readonly [string, Behaviour, RegExp])[]) {
  test(`a node that ${words} makes every method reject, without its URL or its words`, async (t) => {
    const faulty = await fakeNode(node.url, () => behaviour)
    t.teardown(faulty.close)
    for (const call of everyMethod(connectSolana(faulty.url))) {
      const error = await t.throwsAsync(call, { message: reason })
      t.true(error?.message.startsWith('sol: RPC URL 1 of 1: '))
      t.false(`${error?.message}${error?.stack}${JSON.stringify(error)}`.includes('4711'))
      t.is(error?.cause, undefined)
    }
  })

  test(`a URL that ${words} gives way to the next`, async (t) => {
    const faulty = await fakeNode(node.url, () => behaviour)
    t.teardown(faulty.close)
    const chain = connectSolana(faulty.url, node.url)
    const { height } = await chain.head()
    t.deepEqual(await chain.transfersIn(height - 2, height, new Set([freshWallet()])), [])
    t.is(await chain.transfersOf(UNKNOWN_SIGNATURE), undefined)
  })
}

test('a node that nobody reaches makes every method reject, without its URL', async (t) => {
  for (const call of everyMethod(connectSolana('http://127.0.0.1:1/key-4711'))) {
    const error = await t.throwsAsync(call, { message: /^sol: RPC URL 1 of 1: .*: no connection$/ })
    t.false(`${error?.message}${error?.stack}`.includes('4711'))
  }
})

for (const fault of ['hang', 'hang-in-body'] as const)
  test(`a node that will ${fault} makes a call reject within its time limit`, async (t) => {
    const faulty = await fakeNode(node.url, () => fault)
    t.teardown(faulty.close)
    const chain = solanaChain({ network: 'sol', chain: localnet, rpcUrls: [faulty.url], timeoutMs: SHORT_MS })
    const ownTime = startOwnTime()
    await t.throwsAsync(chain.head(), { message: /no answer within 800 ms$/ })
    t.true(ownTime() < SHORT_MS + 2_000)
  })

test('another chain than configured is refused, and a URL on it is never used', async (t) => {
  const [mainnet, devnet, , local] = networkOf('sol')?.chains ?? []
  const serving = async (genesis: string) => {
    const front = await fakeNode(node.url, ({ method }) => (method === 'getGenesisHash' ? { result: genesis } : 'pass'))
    t.teardown(front.close)
    return front
  }
  const [main, dev] = [await serving(MAIN_GENESIS), await serving(DEVNET_GENESIS)]
  const on = (chain: typeof mainnet, ...rpcUrls: string[]) =>
    solanaChain({ network: 'sol', chain: chain ?? localnet, rpcUrls, timeoutMs: 20_000 })
  await t.notThrowsAsync(on(mainnet, main.url).verifyChain())
  await t.notThrowsAsync(on(devnet, dev.url).verifyChain())
  await t.notThrowsAsync(on(local, node.url).verifyChain())
  const message = `sol: RPC URL 1 of 1 serves chain solana:${DEVNET_GENESIS.slice(0, 32)}, configured is ${mainnet?.caip2}`
  await t.throwsAsync(on(mainnet, dev.url).verifyChain(), { message })
  await t.throwsAsync(on(local, dev.url).head(), { message: /configured is solana:localnet$/ })
  await t.throwsAsync(on(mainnet, node.url).head(), { message: /configured is solana:5eykt/ })
  const before = dev.calls.length
  const chain = on(mainnet, dev.url, main.url)
  await chain.head()
  await chain.head()
  t.deepEqual(dev.calls.slice(before), ['getGenesisHash'])
})

test('what cannot be a signature is unknown, and no node is asked', async (t) => {
  const front = await fakeNode(node.url, () => 'pass')
  t.teardown(front.close)
  const chain = connectSolana(front.url)
  const tooShort = freshWallet()
  for (const text of [
    tooShort,
    `0x${'ab'.repeat(32)}`,
    UNKNOWN_SIGNATURE.slice(1),
    `${UNKNOWN_SIGNATURE}1`,
    'l'.repeat(88),
  ])
    t.is(await chain.transfersOf(text), undefined)
  t.deepEqual(front.calls, [])
})

test('a URL that is none is refused without being shown', (t) => {
  t.throws(() => connectSolana('ftp://key-4711'), { message: 'sol: RPC URL 1 of 1: not an http URL' })
})

test.serial('J-GEN-05 a wallet of more lamports than a double holds is read exactly', async (t) => {
  const till = await openTill(node)
  const to = freshWallet()
  await till.sol(to, 2n ** 60n + 1n)
  const tx = await till.sol(to, 1n)
  t.deepEqual(
    (await connectSolana(node.url).transfersOf(tx))?.map(({ amount }) => amount),
    [1n],
  )
})

test.serial('M-SET-06 a balance that cannot be read is an error and never 0, and a large one is exact', async (t) => {
  const till = await openTill(node)
  const to = freshWallet()
  await till.sol(to, 2n ** 60n + 1n)
  await till.usdc(to, 7n)
  t.is(await connectSolana(node.url).balanceOf(to, 'sol'), 2n ** 60n + 1n)
  const accountOf = (owner: string, mint: string) => Buffer.concat([base58.decode(mint), base58.decode(owner), u64(7n)])
  const accounts = (...data: readonly Uint8Array[]) => ({
    value: data.map((bytes) => ({ account: { data: [Buffer.from(bytes).toString('base64'), 'base64'] } })),
  })
  const usdc = assetOf('usdc_sol')?.contract ?? ''
  for (const [asset, method, result] of [
    ...[{}, { value: null }, { value: 1.5 }, { value: -1 }, { value: '7' }].map((given) => [
      'sol',
      'getBalance',
      given,
    ]),
    ...[
      {},
      { value: null },
      { value: [{}] },
      accounts(accountOf(to, usdc).subarray(0, 71)),
      accounts(accountOf(to, usdc), accountOf(freshWallet(), usdc)),
      accounts(accountOf(to, till.foreign)),
    ].map((given) => ['usdc_sol', 'getTokenAccountsByOwner', given]),
  ] as [string, string, object][]) {
    const front = await fakeNode(node.url, (call) => (call.method === method ? { result } : 'pass'))
    t.teardown(front.close)
    await t.throwsAsync(connectSolana(front.url).balanceOf(to, asset), {
      message: /^sol: RPC URL 1 of 1: get\w+: .*\w$/,
    })
    t.true(((await connectSolana(front.url, node.url).balanceOf(to, asset)) ?? 0n) > 0n)
  }
})

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
