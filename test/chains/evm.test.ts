import test from 'ava'
import { getAddress } from 'viem'
import { EVM_RANGE_MAX_BLOCKS } from '../../adapters/chains/evm/evm.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { chainContract } from '../contracts/chain.ts'
import { twoHosts } from '../contracts/chain-under-test.ts'
import { type Anvil, evmByAddress, evmTestChain, startAnvil, tokenCall } from '../support/anvil.ts'

const usdc = assetOf('usdc')?.contract ?? ''
const foreign = '0x1111111111111111111111111111111111111111'
const receivers = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
]

let anvil: Anvil
test.before(async () => {
  anvil = await startAnvil()
  await anvil.deployToken(usdc, 10n ** 30n)
  await anvil.deployToken(foreign, 10n ** 30n)
})
test.after.always(() => anvil?.stop())

const [a = '', b = ''] = receivers
const connect = (rpcUrls: readonly string[] = [anvil.url]) =>
  evmByAddress({ network: 'eth', chain: evmTestChain(anvil.chainId), rpcUrls, timeoutMs: 20_000 })

chainContract(test, 'anvil', async () => ({
  chain: connect(),
  byTwo: connect(twoHosts(anvil.url)),
  addresses: receivers,
  nobody: getAddress(`0x${'9'.repeat(40)}`),
  native: 'eth',
  token: 'usdc',
  foreign,
  pay: (asset, to, amount) => (asset === 'eth' ? anvil.send(to, amount) : anvil.sendToken(usdc, to, amount)),
  payTwo: ([first, one], [second, two]) =>
    anvil.transact({
      to: usdc,
      data: tokenCall('transferMany', [
        [first, second],
        [one, two],
      ]),
    }),
  payForeign: (to, amount) => anvil.sendToken(foreign, to, amount),
  payInVain: async (asset) => {
    if (asset === 'eth') return { tx: await anvil.transact({ to: usdc, value: 5n, gas: 100_000n }), to: usdc }
    const data = tokenCall('transfer', [a, 10n ** 40n])
    return { tx: await anvil.transact({ to: usdc, data, gas: 100_000n }), to: a }
  },
  mine: (blocks) => anvil.mine(blocks),
  reorg: (blocks) => anvil.reorg(blocks),
  rearrange: (...txs) => anvil.rearrange(...txs),
}))

test.serial('an EVM chain is named by CAIP-2 and knows its chain id', async (t) => {
  const chain = connect()
  t.is(chain.caip2, 'eip155:31337')
  await t.notThrowsAsync(chain.verifyChain())
})

test.serial('a transaction that waits to be mined is unknown', async (t) => {
  await anvil.client.setAutomine(false)
  const tx = await anvil.submit({ to: a, value: 1n })
  t.is(await connect().transfersOf(tx), undefined)
  await anvil.mine(1)
  await anvil.client.setAutomine(true)
  t.is((await connect().transfersOf(tx))?.length, 1)
})

test.serial('payments in one block come in the order of its transactions', async (t) => {
  const [token, coin] = [
    { to: usdc, data: tokenCall('transfer', [a, 1n]) },
    { to: a, value: 1n },
  ]
  await anvil.client.setAutomine(false)
  const paid: string[] = []
  for (const request of [token, coin, token, coin]) paid.push(await anvil.submit({ ...request, gas: 100_000n }))
  await anvil.mine(1)
  await anvil.client.setAutomine(true)
  const chain = connect()
  const { height } = await chain.head()
  const found = await chain.transfersIn(height, height, new Set([a]))
  t.deepEqual(
    found.map(({ tx }) => tx),
    paid,
  )
  t.is(new Set(found.map(({ blockHash }) => blockHash)).size, 1)
})

test.serial('a hash is one transaction in either letter case', async (t) => {
  const tx = await anvil.send(a, 1n)
  const upper = `0x${tx.slice(2).toUpperCase()}`
  t.deepEqual(await connect().transfersOf(upper), await connect().transfersOf(tx))
  t.is((await connect().transfersOf(upper))?.[0]?.tx, tx)
})

test.serial('nothing moved is no payment: no value, no tokens, a new contract', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  t.deepEqual(await chain.transfersOf(await anvil.send(a, 0n)), [])
  t.deepEqual(await chain.transfersOf(await anvil.sendToken(usdc, a, 0n)), [])
  t.deepEqual(await chain.transfersOf(await anvil.transact({ data: '0x00', value: 5n })), [])
  t.deepEqual(await chain.transfersIn(height + 1, height + 3, new Set(receivers)), [])
})

test.serial('known limit: coin that a contract sends on is seen as paid to the contract only', async (t) => {
  const before = await anvil.balanceOf(b)
  const tx = await anvil.transact({ to: usdc, value: 5n, data: tokenCall('forward', [b]) })
  t.is(await anvil.balanceOf(b), before + 5n)
  t.deepEqual(
    (await connect().transfersOf(tx))?.map(({ to }) => to),
    [usdc],
  )
})

test.serial('a network without a coin of its own in the catalogue reports its tokens all the same', async (t) => {
  const base = { code: 'usdc_base', name: '', network: 'base', decimals: 6, displayDecimals: 6, contract: usdc }
  const chain = evmByAddress({
    network: 'base',
    chain: evmTestChain(anvil.chainId),
    rpcUrls: [anvil.url],
    assets: [base],
  })
  const { height } = await chain.head()
  await anvil.send(a, 5n)
  const tx = await anvil.sendToken(usdc, a, 6n)
  await anvil.mine(20)
  const found = await chain.transfersIn(height + 1, height + 22, new Set([a]))
  t.deepEqual(
    found.map(({ tx, asset, amount }) => [tx, asset, amount]),
    [[tx, 'usdc_base', 6n]],
  )
  t.deepEqual([...found], await chain.transfersOf(tx))
})

test.serial(
  'more contracts than one call takes are asked for in several, and a network may have no coin in the catalogue',
  async (t) => {
    const chain = evmByAddress({
      network: 'gnosis',
      chain: evmTestChain(anvil.chainId),
      rpcUrls: [anvil.url],
      timeoutMs: 20_000,
    })
    const { height } = await chain.head()
    const tx = await anvil.sendToken(foreign, a, 6n)
    const others = Array.from({ length: 1_200 }, (_, n) => getAddress(`0x${(n + 1).toString(16).padStart(40, 'c')}`))
    const found = await chain.transfersIn(height + 1, height + 1, new Set([a]), new Set([...others, foreign]))
    t.deepEqual(
      found.map((transfer) => [transfer.tx, transfer.asset]),
      [[tx, foreign]],
    )
    t.deepEqual(await chain.transfersIn(height + 1, height + 1, new Set([a])), [])
  },
)

test.serial('a long range is read in chunks and nothing is lost at their edges', async (t) => {
  const chain = evmByAddress({
    network: 'eth',
    chain: evmTestChain(anvil.chainId),
    rpcUrls: [anvil.url],
    logsMaxBlocks: 3,
  })
  const { height } = await chain.head()
  const paid: string[] = []
  for (let n = 0; n < 10; n++) paid.push(await anvil.sendToken(usdc, b, 1n))
  const found = await chain.transfersIn(height + 1, height + 10, new Set([b]))
  t.deepEqual(
    found.map(({ tx }) => tx),
    paid,
  )
})

test.serial('a range that is no range, or more than the bound, is refused before any call', async (t) => {
  const chain = evmByAddress({ network: 'eth', chain: evmTestChain(1), rpcUrls: ['http://127.0.0.1:1'] })
  for (const [from, to] of [
    [-1, 5],
    [0.5, 5],
    [0, EVM_RANGE_MAX_BLOCKS],
    [0, Number.NaN],
  ] as const)
    await t.throwsAsync(chain.transfersIn(from, to, new Set()), { message: /a range is at most 5000 blocks/ })
  t.throws(() =>
    evmByAddress({ network: 'eth', chain: evmTestChain(1), rpcUrls: ['http://127.0.0.1:1'], logsMaxBlocks: 0 }),
  )
})

test.serial(
  'N-24 a range that does not continue what was read before, or does not end in the block that was promised, is refused',
  async (t) => {
    const { height } = await connect().head()
    const tx = await anvil.sendToken(usdc, b, 1n)
    await anvil.mine(19)
    for (const network of ['eth', 'gnosis']) {
      const options = { network, chain: evmTestChain(anvil.chainId), rpcUrls: [anvil.url], logsMaxBlocks: 6 }
      const chain = evmByAddress(options)
      const ends = { before: await chain.hashAt(height), last: await chain.hashAt(height + 20) }
      const read = (between: object) =>
        chain.transfersIn(height + 1, height + 20, new Set([b]), new Set([usdc]), { ...ends, ...between })
      t.deepEqual(
        (await read({})).map((found) => found.tx),
        [tx],
      )
      const message = /the chain changed while it was read/
      await t.throwsAsync(read({ before: await chain.hashAt(height - 1) }), { message })
      await t.throwsAsync(read({ last: await chain.hashAt(height + 19) }), { message })
    }
  },
)
