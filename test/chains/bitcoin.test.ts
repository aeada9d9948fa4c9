import { randomBytes } from 'node:crypto'
import test from 'ava'
import { address } from 'bitcoinjs-lib'
import { bitcoinChain } from '../../adapters/chains/bitcoin/bitcoin.ts'
import { readBlock } from '../../adapters/chains/bitcoin/block.ts'
import { chainOf, type NetworkChain, networkOf } from '../../domain/kernel/networks.ts'
import blocks from './bitcoin-blocks.json' with { type: 'json' }
import { bitcoinNode, idsOf, makeBlock, type RawBlock } from './bitcoin-node.ts'
import { fakeNode } from './fake-node.ts'

/**
 * What is Bitcoin's own, by blocks of its public chains; on a real node the same adapter is tested in litecoin.test.ts.
 */

const chainNamed = (network: string, id: string): NetworkChain => {
  const known = networkOf(network)
  const chain = known && chainOf(known, id)
  if (!chain) throw new Error(`no chain ${id} of ${network}`)
  return chain
}

/** The first block proves the chain; those that follow stand at heights 1, 2, 3 whatever they have in truth. */
const nodeOf = async (network: string, id: string, first: string, ...after: readonly RawBlock[]) => {
  const fake = await fakeNode('', bitcoinNode([{ hash: first, hex: '' }, ...after]))
  const login = fake.url.replace('//', '//daybook:p%254711%40@')
  const chain = bitcoinChain({ network, chain: chainNamed(network, id), rpcUrls: [login], timeoutMs: 20_000 })
  return { ...fake, chain }
}
const TESTNET = '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943'

test('J-GEN-05 a block of the main chain is read to the satoshi, by range and by hash, and its payers where they show', async (t) => {
  const { bitcoinGenesis, bitcoin2018 } = blocks
  const { chain, close, logins } = await nodeOf('btc', 'mainnet', bitcoinGenesis.hash, bitcoin2018)
  t.teardown(close)
  await t.notThrowsAsync(chain.verifyChain())
  const paid = [
    ['1AVqNQ2CdLK5FtjFYnq4Cvbg7TULzCZNPr', '1D69P8wysTnTw6CEvX7ShcYFZQaothNGbL', 750_000n, '0'],
    ['1AVqNQ2CdLK5FtjFYnq4Cvbg7TULzCZNPr', '14mrcvcB1fgk7x7PJXUzBxwsU5j9bfPXJh', 19_248_870n, '1'],
    ['3KbN5gzgh7abayT7DJVwgTt5jvZjwEQD41', '3HXqvg1xnpL4iHn2LFn7yznEWhc1u3LsBe', 1_627_238n, '0'],
    ['3KbN5gzgh7abayT7DJVwgTt5jvZjwEQD41', 'bc1qg8m8gcgses87cypwsvzn6nq2u4h6kx7a92ckrn', 1_150n, '1'],
    ['1vXZAqpzKVzUtxF9GHane9QpMkKt34Z2Q', '1K7JmKRpyAEDENgbkRKrdSaT3Q1bdY1YVn', 32_514n, '0'],
    ['1vXZAqpzKVzUtxF9GHane9QpMkKt34Z2Q', '37ag8geFBRVMqB9bGTLCWqZ1LUVjbrcs8n', 43_753_861n, '1'],
  ] as const
  const found = await chain.transfersIn(1, 1, new Set(paid.map(([, to]) => to)))
  t.deepEqual(
    found.map(({ from, to, amount, index }) => [from, to, amount, index] as const),
    [...paid],
  )
  const place = { height: 1, blockHash: bitcoin2018.hash, minedAt: '2018-09-20T07:48:47.000Z' }
  t.true(found.every((transfer) => transfer.asset === 'btc' && transfer.network === 'btc'))
  t.like(found[0], place)
  t.deepEqual(await chain.head(), { height: 1, hash: bitcoin2018.hash, minedAt: place.minedAt })
  t.deepEqual(
    await chain.transfersOf('6c6e3849acf1b570db352dc08f7776e99c344a56fbb2f019e1865d1b6e044889'),
    found.slice(2, 4),
  )
  t.deepEqual([...logins], [`Basic ${btoa('daybook:p%4711@')}`])
})

test('three blocks of the test network follow each other, and are read under its own addresses', async (t) => {
  const { chain, close } = await nodeOf('btc', 'testnet', TESTNET, ...blocks.testnet)
  t.teardown(close)
  // In the test network's form of 1Fytzz49d65iqxtnnC8MwzoFbWwiBYkY9F.
  const to = 'mvVrJ398S7Wyd5NQVm6jmv1aTWYR6jVQTZ'
  const found = await chain.transfersIn(1, 3, new Set([to]))
  t.deepEqual(
    found.filter(({ height }) => height === 3).map(({ amount, index }) => [amount, index]),
    [
      [7_800n, '0'],
      [170_000n, '1'],
    ],
  )
  t.deepEqual(await chain.transfersIn(1, 3, new Set(['1Fytzz49d65iqxtnnC8MwzoFbWwiBYkY9F'])), [])
})

test('BIP-341 a taproot output is a payment to its bc1p address', async (t) => {
  const script = Buffer.from(`5120${'53a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343'}`, 'hex')
  const to = 'bc1p2wsldez5mud2yam29q22wgfh9439spgduvct83k3pm50fcxa5dps59h4z5'
  const block = makeBlock(blocks.bitcoinGenesis.hash, [{ script, amount: 2_099_999_999_999_999n }])
  const { chain, close } = await nodeOf('btc', 'mainnet', blocks.bitcoinGenesis.hash, block)
  t.teardown(close)
  const [found] = await chain.transfersIn(1, 1, new Set([to]))
  t.like(found, { to, from: '', amount: 2_099_999_999_999_999n, tx: idsOf(block)[1] ?? '' })
  t.deepEqual(await chain.transfersOf(idsOf(block)[1] ?? ''), found ? [found] : [])
})

test('a block with an extension is read without a node, and the first block of Bitcoin pays nobody', (t) => {
  const { litecoinRegtestMweb: mweb, bitcoinGenesis: genesis } = blocks
  const { transactions } = readBlock(Buffer.from(mweb.hex, 'hex'), mweb.hash)
  t.is(transactions.at(-1)?.outs.find(({ value }) => value === 150_000_000n)?.script.length, 22)
  t.is(readBlock(Buffer.from(genesis.hex, 'hex'), genesis.hash).minedAt, '2009-01-03T18:15:05.000Z')
})

test('a block of 3,500 transactions costs with 100,000 watched addresses at most twice what it costs with 1,000', async (t) => {
  const outputs = Array.from({ length: 8_000 }, () => ({ script: outputScript(), amount: 5_000n }))
  const transactions = Array.from({ length: 3_500 }, (_, n) => outputs.filter((_, at) => at % 3_500 === n))
  const block = makeBlock(blocks.bitcoinGenesis.hash, ...transactions)
  const { chain, close } = await nodeOf('btc', 'mainnet', blocks.bitcoinGenesis.hash, block)
  t.teardown(close)
  const paid = address.toBech32(outputs[4_000]?.script.subarray(2) ?? new Uint8Array(), 0, 'bc')
  const others = Array.from({ length: 100_000 }, () => address.toBech32(randomBytes(20), 0, 'bc'))
  const [few, many] = [new Set([paid, ...others.slice(0, 1_000)]), new Set([paid, ...others])]
  const costs = new Map<Set<string>, number[]>()
  for (let round = 0; round < 9; round++)
    for (const watched of [few, many]) {
      const start = performance.now()
      t.is((await chain.transfersIn(1, 1, watched)).length, 1)
      costs.set(watched, [...(costs.get(watched) ?? []), performance.now() - start])
    }
  const median = (watched: Set<string>) => costs.get(watched)?.toSorted((a, b) => a - b)[4] ?? 0
  t.log(`${median(few).toFixed(0)} ms and ${median(many).toFixed(0)} ms`)
  t.true(median(many) <= 2 * median(few))
})

const outputScript = () => Buffer.concat([Buffer.from('0014', 'hex'), randomBytes(20)])
