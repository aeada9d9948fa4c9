import test from 'ava'
import { fromHex, toHex } from 'tronweb/utils'
import { TRON_RANGE_MAX_BLOCKS, tronChain } from '../../adapters/chains/tron/tron.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { chainContract } from '../contracts/chain.ts'
import { twoHosts } from '../contracts/chain-under-test.ts'
import { type Anvil, startAnvil, tokenCall } from '../support/anvil.ts'
import { deepTest } from '../support/deep-test.ts'
import { startTronNode, type TronNode, tronTestChain } from '../support/tron-node.ts'
import { tronHex } from '../support/tron-wire.ts'

const base58 = (address: string) => fromHex(tronHex(address))
const evmForm = (address: string) => `0x${toHex(address).slice(2)}`
const usdt = evmForm(assetOf('usdt_trx')?.contract ?? '')
const foreign = '0x1111111111111111111111111111111111111111'
const receivers = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
]
const [a = '', b = ''] = receivers

let anvil: Anvil
let node: TronNode
test.before(async () => {
  anvil = await startAnvil({ chainId: 728126428 })
  await anvil.deployToken(usdt, 10n ** 30n)
  await anvil.deployToken(foreign, 10n ** 30n)
  node = await startTronNode({ rpcUrl: anvil.url })
})
test.after.always(() => {
  node?.close()
  return anvil?.stop()
})

const connect = (rpcUrls = [node.url]) =>
  tronChain({ network: 'trx', chain: tronTestChain(), rpcUrls, timeoutMs: 20_000 })
const bare = async (hash: Promise<string>) => (await hash).slice(2)
const scan = async (from: number, ...addresses: string[]) =>
  connect().transfersIn(from, (await connect().head()).height, new Set(addresses.map(base58)))

chainContract(test, 'tron', async () => ({
  chain: connect(),
  byTwo: connect([...twoHosts(node.url)]),
  addresses: receivers.map(base58),
  nobody: base58(`0x${'9'.repeat(40)}`),
  native: 'trx',
  token: 'usdt_trx',
  foreign: base58(foreign),
  pay: (asset, to, amount) =>
    bare(asset === 'trx' ? anvil.send(evmForm(to), amount) : anvil.sendToken(usdt, evmForm(to), amount)),
  payTwo: ([first, one], [second, two]) =>
    bare(
      anvil.transact({
        to: usdt,
        data: tokenCall('transferMany', [
          [evmForm(first), evmForm(second)],
          [one, two],
        ]),
      }),
    ),
  payForeign: (to, amount) => bare(anvil.sendToken(foreign, evmForm(to), amount)),
  payInVain: async (asset) => {
    if (asset === 'trx')
      return { tx: await bare(anvil.transact({ to: usdt, value: 5n, gas: 100_000n })), to: base58(usdt) }
    const data = tokenCall('transfer', [a, 10n ** 40n])
    return { tx: await bare(anvil.transact({ to: usdt, data, gas: 100_000n })), to: base58(a) }
  },
  mine: (blocks) => anvil.mine(blocks),
  reorg: (blocks) => anvil.reorg(blocks),
  rearrange: (...txs) => anvil.rearrange(...txs.map((tx) => `0x${tx}`)),
}))

test.serial('Tron is named by CAIP-2, and its first block proves it', async (t) => {
  t.is(connect().caip2, 'tron:0x2b6653dc')
  await t.notThrowsAsync(connect().verifyChain())
})

test.serial('a block costs two calls, the newest one a call for its header alone', async (t) => {
  const reader = connect()
  await anvil.send(a, 5n)
  await reader.verifyChain()
  node.calls.length = 0
  const { height } = await reader.head()
  await reader.hashAt(height)
  await reader.transfersIn(height, height, new Set(receivers.map(base58)))
  t.deepEqual(
    node.calls.map(({ method, params }) => [method, params]),
    [
      ['getblock', { detail: false }],
      ['getblock', { id_or_num: String(height), detail: false }],
      ['getblockbynum', { num: height }],
      ['gettransactioninfobyblocknum', { num: height }],
    ],
  )
})

test.serial('a hash is one transaction with or without 0x, in either letter case', async (t) => {
  const tx = await bare(anvil.send(a, 1n))
  const found = await connect().transfersOf(tx)
  t.is(found?.[0]?.tx, tx)
  for (const form of [`0x${tx}`, tx.toUpperCase(), `0X${tx.toUpperCase()}`])
    t.deepEqual(await connect().transfersOf(form), found)
})

test.serial('a transaction that waits to be mined is unknown', async (t) => {
  await anvil.client.setAutomine(false)
  const tx = await anvil.submit({ to: a, value: 1n })
  t.is(await connect().transfersOf(tx), undefined)
  await anvil.mine(1)
  await anvil.client.setAutomine(true)
  t.is((await connect().transfersOf(tx))?.length, 1)
})

test.serial('TRX that a contract sends on is paid to who gets it, and to the contract that passed it on', async (t) => {
  const { height } = await connect().head()
  const tx = await bare(anvil.transact({ to: usdt, value: 5n, data: tokenCall('forward', [b]) }))
  const moves = (await connect().transfersOf(tx))?.map(({ index, asset, from, to, amount }) => [
    index,
    asset,
    from,
    to,
    amount,
  ])
  t.deepEqual(moves, [
    ['native', 'trx', base58(anvil.payer), base58(usdt), 5n],
    ['internal:0', 'trx', base58(usdt), base58(b), 5n],
  ])
  t.deepEqual(
    (await scan(height + 1, b)).map(({ index }) => index),
    ['internal:0'],
  )
})

test.serial('amounts are exact up to the last unit that 64 bits hold', async (t) => {
  const most = 2n ** 63n - 1n
  await anvil.client.setBalance({ address: anvil.payer as `0x${string}`, value: 2n ** 70n })
  const { height } = await connect().head()
  await anvil.send(a, most)
  await anvil.transact({ to: usdt, value: most, data: tokenCall('forward', [a]) })
  t.deepEqual(
    (await scan(height + 1, a)).map(({ amount }) => amount),
    [most, most],
  )
})

test.serial('nothing moved is no payment: no coin, no tokens, a new contract', async (t) => {
  const { height } = await connect().head()
  t.deepEqual(await connect().transfersOf(await anvil.sendToken(usdt, a, 0n)), [])
  t.deepEqual(await connect().transfersOf(await anvil.transact({ data: '0x00', value: 5n })), [])
  t.deepEqual(await scan(height + 1, ...receivers), [])
})

test.serial('payments in one block come in the order of its transactions', async (t) => {
  await anvil.client.setAutomine(false)
  const paid: string[] = []
  const token = { to: usdt, data: tokenCall('transfer', [a, 1n]) }
  for (const request of [token, { to: a, value: 1n }, token, { to: a, value: 1n }])
    paid.push(await bare(anvil.submit({ ...request, gas: 100_000n })))
  await anvil.mine(1)
  await anvil.client.setAutomine(true)
  const { height } = await connect().head()
  t.deepEqual(
    (await scan(height, a)).map(({ tx }) => tx),
    paid,
  )
})

deepTest.serial('500 blocks of back-fill lose nothing and find nothing twice', async (t) => {
  const { height } = await connect().head()
  const paid: string[] = []
  for (let n = 0; n < 10; n++) {
    paid.push(await bare(n % 2 ? anvil.send(a, 7n) : anvil.sendToken(usdt, a, 7n)))
    await anvil.mine(49)
  }
  t.deepEqual(
    (await scan(height + 1, a)).map(({ tx }) => tx),
    paid,
  )
  const last = await connect().transfersIn(height + 500, height + 500, new Set([base58(a)]))
  t.deepEqual(last, [])
})

test.serial('a range may begin at the first block, whose coins nobody was paid', async (t) => {
  t.deepEqual(await connect().transfersIn(0, 1, new Set(receivers.map(base58))), [])
})

test.serial('a test chain has contracts of its own: those of the main chain are strangers there', async (t) => {
  const nile = tronTestChain('nile')
  const other = await startTronNode({ rpcUrl: anvil.url, reference: nile.caip2.slice(-8) })
  t.teardown(other.close)
  const onNile = tronChain({ network: 'trx', chain: nile, rpcUrls: [other.url], timeoutMs: 20_000 })
  const ours = evmForm(assetOf('usdt_trx')?.testContracts?.[nile.caip2] ?? '')
  await anvil.deployToken(ours, 10n ** 30n)
  const { height } = await onNile.head()
  const paid = [await bare(anvil.sendToken(usdt, a, 6n)), await bare(anvil.sendToken(ours, a, 7n))]
  const found = await onNile.transfersIn(height + 1, height + 2, new Set([base58(a)]))
  t.deepEqual(
    found.map(({ tx, asset, amount }) => [tx, asset, amount]),
    [[paid[1], 'usdt_trx', 7n]],
  )
  t.deepEqual(
    (await onNile.transfersOf(paid[0] ?? ''))?.map(({ asset }) => asset),
    [base58(usdt)],
  )
})

test('a range that is no range, or more than the bound, is refused before any call', async (t) => {
  for (const [from, to] of [
    [-1, 5],
    [0.5, 5],
    [0, TRON_RANGE_MAX_BLOCKS],
    [0, Number.NaN],
  ] as const)
    await t.throwsAsync(connect(['http://127.0.0.1:1']).transfersIn(from, to, new Set()), {
      message: /a range is at most 5000 blocks/,
    })
})
