import test, { type TestFn } from 'ava'
import { address, crypto } from 'bitcoinjs-lib'
import { BITCOIN_RANGE_MAX_BLOCKS, bitcoinChain } from '../../adapters/chains/bitcoin/bitcoin.ts'
import { chainContract } from '../contracts/chain.ts'
import { twoHosts } from '../contracts/chain-under-test.ts'
import {
  type Litecoind,
  litecoindPath,
  litecoinRegtest,
  startLitecoind,
  type TestOutput,
} from '../support/litecoind.ts'

/**
 * On a real node. What Bitcoin's nodes say otherwise is in bitcoin.test.ts; what they do wrong is in
 * bitcoin-faults.test.ts.
 */

const onNode = litecoindPath() ? test.serial : test.serial.skip

let node: Litecoind
test.before(async () => {
  if (litecoindPath()) node = await startLitecoind()
})
test.after.always(() => node?.stop())

/** One of each kind: address, and the script that it stands for (BIP-141, BIP-341, and Bitcoin's own of old). */
const digest = (n: number) => Buffer.from(crypto.hash160(Uint8Array.of(n)))
const program = Buffer.from(crypto.sha256(Uint8Array.of(4)))
const point = Buffer.from('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex')
const scripts: Readonly<Record<string, Buffer>> = {
  [address.toBech32(digest(1), 0, 'rltc')]: Buffer.from(`0014${digest(1).toString('hex')}`, 'hex'),
  [address.toBase58Check(digest(2), 0x6f)]: Buffer.from(`76a914${digest(2).toString('hex')}88ac`, 'hex'),
  [address.toBase58Check(digest(3), 0x3a)]: Buffer.from(`a914${digest(3).toString('hex')}87`, 'hex'),
  [address.toBech32(program, 0, 'rltc')]: Buffer.from(`0020${program.toString('hex')}`, 'hex'),
  [address.toBech32(point, 1, 'rltc')]: Buffer.from(`5120${point.toString('hex')}`, 'hex'),
}
const receivers = Object.keys(scripts)
const [a = '', b = ''] = receivers
const paying = (to: string, amount: bigint): TestOutput => ({ script: scripts[to] ?? Buffer.alloc(0), amount })

const connect = (...rpcUrls: string[]) => {
  const urls = rpcUrls.length > 0 ? rpcUrls : [node.url]
  return bitcoinChain({ network: 'ltc', chain: litecoinRegtest(), rpcUrls: urls, timeoutMs: 20_000 })
}

chainContract(
  { serial: onNode } as unknown as TestFn,
  'litecoind',
  async () => ({
    chain: connect(),
    byTwo: connect(...twoHosts(node.url)),
    addresses: receivers,
    nobody: address.toBech32(digest(9), 0, 'rltc'),
    native: 'ltc',
    pay: (_, to, amount) => node.pay(paying(to, amount)),
    payTwo: ([first, one], [second, two]) => node.pay(paying(first, one), paying(second, two)),
    mine: (blocks) => node.mineEmpty(blocks),
    reorg: (blocks) => node.reorg(blocks),
    rearrange: (...txs) => node.rearrange(...txs),
  }),
  {
    without: ['tokens', 'failed transactions'],
    nativeIndex: /^\d+$/,
    unknown: 'ab'.repeat(32),
    // In coins, 1.00000015 times 1e8 is not a whole number for a float.
    amount: 100_000_015n,
    change: true,
  },
)

onNode('a Litecoin chain is named by CAIP-2 and proves it by its first block', async (t) => {
  const chain = connect()
  t.is(chain.caip2, 'bip122:530827f38f93b43ed12af0b3ad25a288')
  await t.notThrowsAsync(chain.verifyChain())
  const [tip] = await chain.tips()
  t.deepEqual(tip, await chain.head())
  t.deepEqual(await chain.hashesAt(tip?.height ?? 0), [tip?.hash])
  t.is(await chain.hashAt((tip?.height ?? 0) + 1), undefined)
})

onNode('J-GEN-05 every kind of address is found, told apart by output, with the one who paid', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  const tx = await node.pay(...receivers.map((to, n) => paying(to, BigInt(n + 1))))
  const found = await chain.transfersIn(height + 1, height + 1, new Set(receivers))
  t.deepEqual(
    found.map(({ to, amount, index }) => [to, amount, index]),
    receivers.map((to, n) => [to, BigInt(n + 1), String(n)]),
  )
  const all = await chain.transfersOf(tx)
  t.deepEqual(all?.slice(0, receivers.length), [...found])
  t.is(all?.length, receivers.length + 1, 'the change is one more')
  t.is(found[0]?.from, await payerOf(tx))
})

onNode('two outputs of one transaction to one address are two payments', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  const tx = await node.pay(paying(a, 7n), paying(a, 7n))
  const found = await chain.transfersIn(height + 1, height + 1, new Set([a]))
  t.deepEqual(
    found.map((transfer) => [transfer.tx, transfer.index, transfer.amount]),
    [
      [tx, '0', 7n],
      [tx, '1', 7n],
    ],
  )
})

onNode('a transaction that waits to be mined is unknown, and its id is one in either letter case', async (t) => {
  const chain = connect()
  const tx = await node.send(paying(a, 5n))
  t.is(await chain.transfersOf(tx), undefined)
  await node.mineOnly(tx)
  t.is((await chain.transfersOf(tx))?.[0]?.amount, 5n)
  t.deepEqual(await chain.transfersOf(tx.toUpperCase()), await chain.transfersOf(tx))
})

onNode('a transaction replaced for a higher fee stays unknown, and the one in its place is paid once', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  const replaced = await node.send(paying(b, 1_000_000n))
  const { txid } = await node.call<{ txid: string }>('bumpfee', replaced, { fee_rate: 100 })
  await node.mineOnly(txid)
  t.is(await chain.transfersOf(replaced), undefined)
  const found = await chain.transfersIn(height + 1, height + 1, new Set([b]))
  t.deepEqual(
    found.map(({ tx, amount }) => [tx, amount]),
    [[txid, 1_000_000n]],
  )
})

onNode('reorganised away and back: gone, mined again in another block, and the first block back', async (t) => {
  const chain = connect()
  const tx = await node.pay(paying(a, 9n))
  const first = await chain.head()
  const stale = await node.reorg(1)
  t.is(stale, first.hash)
  t.is(await chain.transfersOf(tx), undefined)
  t.not(await chain.hashAt(first.height), first.hash)
  await node.mineOnly(tx)
  t.is((await chain.transfersOf(tx))?.[0]?.height, first.height + 1)

  await node.call('invalidateblock', (await chain.hashAt(first.height)) ?? '')
  await node.call('reconsiderblock', stale)
  t.is((await chain.head()).hash, first.hash)
  const [again] = (await chain.transfersOf(tx)) ?? []
  t.like(again, { height: first.height, blockHash: first.hash, amount: 9n })
  t.deepEqual([...(await chain.transfersIn(first.height, first.height, new Set([a])))], again ? [again] : [])
})

onNode('500 blocks of back-fill lose nothing and tell nothing twice', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  const paid: string[] = []
  for (let n = 0; n < 10; n++) {
    paid.push(await node.pay(paying(n % 2 ? a : b, BigInt(n + 1))))
    await node.mineEmpty(49)
  }
  const found = await chain.transfersIn(height + 1, height + 500, new Set(receivers))
  t.deepEqual(
    found.map(({ tx }) => tx),
    paid,
  )
})

onNode('what a block pays to its own miner and what pays nobody is no payment', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  await node.call('generatetoaddress', 1, a)
  const block = await node.call<{ tx: string[] }>('getblock', await node.call('getbestblockhash'))
  t.deepEqual(await chain.transfersOf(block.tx[0] ?? ''), [])
  const tx = await node.pay({ script: Buffer.from('6a0568656c6c6f', 'hex'), amount: 0n }, paying(b, 0n), paying(b, 1n))
  const found = await chain.transfersIn(height + 1, height + 2, new Set([a, b]))
  t.deepEqual(
    found.filter((transfer) => transfer.tx === tx).map(({ index, amount }) => [index, amount]),
    [['2', 1n]],
  )
  t.false(found.some((transfer) => transfer.to === a && transfer.tx === block.tx[0]))
})

onNode(
  'a node without an index of transactions finds payments by range, and says what a look by hash needs',
  async (t) => {
    const bare = await startLitecoind({ txindex: false })
    t.teardown(bare.stop)
    const tx = await bare.pay(paying(a, 4n))
    const chain = connect(bare.url)
    const { height } = await chain.head()
    t.is((await chain.transfersIn(height, height, new Set([a])))[0]?.tx, tx)
    const message = 'ltc: RPC URL 1 of 1: getrawtransaction: the node needs txindex=1'
    await t.throwsAsync(chain.transfersOf(tx), { message })
  },
)

onNode('a range that is no range, or more than the bound, is refused before any call', async (t) => {
  const chain = connect('http://127.0.0.1:1')
  for (const [from, to] of [
    [-1, 5],
    [0.5, 5],
    [0, BITCOIN_RANGE_MAX_BLOCKS],
    [0, Number.NaN],
  ] as const)
    await t.throwsAsync(chain.transfersIn(from, to, new Set()), { message: /a range is at most 1000 blocks/ })
})

/** Whose coins a transaction spends first, as the node tells it. */
const payerOf = async (tx: string) => {
  type Raw = { vin: { txid: string; vout: number }[]; vout: { scriptPubKey: { addresses: string[] } }[] }
  const [input] = (await node.call<Raw>('getrawtransaction', tx, true)).vin
  const spent = await node.call<Raw>('getrawtransaction', input?.txid, true)
  return spent.vout[input?.vout ?? -1]?.scriptPubKey.addresses[0]
}

onNode(
  'N-24 a range that does not continue what was read before, or does not end in the block that was promised, is refused',
  async (t) => {
    const chain = connect()
    const { height } = await chain.head()
    await node.mineEmpty(10)
    const ends = { before: await chain.hashAt(height), last: await chain.hashAt(height + 10) }
    const read = (other: object) =>
      chain.transfersIn(height + 1, height + 10, new Set(), new Set(), { ...ends, ...other })
    t.deepEqual(await read({}), [])
    const message = /the chain changed while it was read/
    await t.throwsAsync(read({ before: await chain.hashAt(height - 1) }), { message })
    await t.throwsAsync(read({ last: await chain.hashAt(height + 9) }), { message })
  },
)
