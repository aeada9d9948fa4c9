/** Slots that are skipped, that a node does not have, and that change while they are read. */
import test from 'ava'
import { SOLANA_RANGE_MAX_SLOTS } from '../../adapters/chains/solana/solana.ts'
import { connectSolana, freshWallet } from '../contracts/solana.ts'
import { type LiteSolana, startLiteSolana } from '../support/lite-svm.ts'
import { openTill, type Till } from '../support/solana-till.ts'
import { type Behaviour, fakeNode } from './fake-node.ts'

const COIN = 1_000_000n
const BACK_FILL_SLOTS = 600

let node: LiteSolana
let till: Till
test.beforeEach(async () => {
  node = await startLiteSolana()
  till = await openTill(node)
})
test.afterEach.always(() => node?.stop())

const amountsIn = async (from: number, to: number, receiver: string, url = node.url) =>
  (await connectSolana(url).transfersIn(from, to, new Set([receiver]))).map(({ amount }) => amount)
const headOf = async () => (await connectSolana(node.url).head()).height

/** The node, with one answer instead of its own. */
const instead = (method: string, slot: number, behaviour: Behaviour) =>
  fakeNode(node.url, (call) => (call.method === method && call.params[0] === slot ? behaviour : 'pass'))

test.serial(
  'T-CHL-01 hundreds of slots that came while nobody looked, many of them skipped, hide no payment',
  async (t) => {
    const to = freshWallet()
    const first = (await headOf()) + 1
    const paid: bigint[] = []
    while ((await headOf()) < first + BACK_FILL_SLOTS) {
      node.skip(paid.length % 3)
      await till.sol(to, COIN + BigInt(paid.length))
      paid.push(COIN + BigInt(paid.length))
      await node.mine(10)
      node.skip(7)
    }
    t.true(paid.length > 25)
    t.deepEqual(await amountsIn(first, await headOf(), to), paid)
  },
)

test.serial('skipped slots are empty, at both ends of a range and in between, and have no hash', async (t) => {
  const to = freshWallet()
  const height = await headOf()
  node.skip(2)
  await till.sol(to, COIN)
  node.skip(3)
  await till.sol(to, COIN + 1n)
  node.skip(2)
  await node.mine(1)
  const chain = connectSolana(node.url)
  t.deepEqual(await amountsIn(height + 1, height + 9, to), [COIN, COIN + 1n])
  t.deepEqual(await amountsIn(height + 1, height + 2, to), [])
  t.deepEqual(await amountsIn(height + 4, height + 6, to), [])
  t.is(await chain.hashAt(height + 1), undefined)
  t.is(await chain.hashAt(height + 9), undefined)
  t.is(await chain.hashAt(height + 10), (await chain.head()).hash)
  await node.mine(40)
  t.is(await chain.hashAt(height + 1), undefined)
})

test.serial('slots that are still to come are refused, even when only skipped ones lie between', async (t) => {
  const height = await headOf()
  const [chain, message] = [connectSolana(node.url), `sol: slot ${height + 2} is not there yet`]
  node.skip(5)
  await t.throwsAsync(chain.transfersIn(height, height + 2, new Set()), { message })
  await t.throwsAsync(chain.hashAt(height + 2), { message })
})

test.serial('N-26 only confirmed blocks are read', async (t) => {
  const to = freshWallet()
  const height = await headOf()
  node.lag(2)
  const tx = await till.sol(to, COIN)
  const chain = connectSolana(node.url)
  t.is((await chain.head()).height, height - 1)
  t.is(await chain.transfersOf(tx), undefined)
  await t.throwsAsync(chain.transfersIn(height, height + 1, new Set([to])))
  await node.mine(2)
  t.is((await chain.transfersOf(tx))?.length, 1)
  t.deepEqual(await amountsIn(height + 1, height + 1, to), [COIN])
})

test.serial('a slot that a node leaves out of its list is missed, wherever it stands', async (t) => {
  const to = freshWallet()
  const height = await headOf()
  await node.mine(1)
  await till.sol(to, COIN)
  await node.mine(1)
  const [before, paid, after] = [height + 1, height + 2, height + 3]
  for (const [from, end, listed] of [
    [before, after, [before, after]],
    [paid, after, [after]],
    [before, paid, [before]],
    [paid, paid, []],
  ] as const) {
    const lying = await instead('getBlocks', from, { result: listed })
    t.teardown(lying.close)
    const nearby = [`sol: slot ${paid} is missing`, 'sol: the chain changed while it was read']
    const error = await t.throwsAsync(amountsIn(from, end, to, lying.url))
    t.true(nearby.includes(error?.message ?? ''), error?.message)
  }
  t.deepEqual(await amountsIn(before, after, to), [COIN])
})

test.serial('a node that has cleaned up its first blocks makes the range reject', async (t) => {
  const first = await headOf()
  await node.mine(9)
  node.forgetBefore(first + 5)
  const chain = connectSolana(node.url)
  await t.throwsAsync(chain.transfersIn(first + 1, first + 9, new Set()), { message: /is missing/ })
  await t.throwsAsync(chain.hashAt(first + 1), { message: /is missing/ })
  t.deepEqual(await chain.transfersIn(first + 6, first + 9, new Set()), [])
})

for (const [words, code] of [
  ['cleaned up', -32001],
  ['not available', -32004],
  ['skipped', -32007],
  ['skipped in the long-term storage', -32009],
  ['not available yet', -32014],
  ['of a newer kind of transaction', -32015],
] as const)
  test.serial(`a block in the list that is then said to be ${words} makes the range reject`, async (t) => {
    const to = freshWallet()
    await till.sol(to, COIN)
    const slot = await headOf()
    const lying = await instead('getBlock', slot, { error: { code, message: 'key-4711' } })
    t.teardown(lying.close)
    const message = `sol: RPC URL 1 of 1: getBlock: error ${code}`
    await t.throwsAsync(amountsIn(slot, slot, to, lying.url), { message })
  })

test.serial('a block that one of several nodes behind a URL does not have yet is asked for again', async (t) => {
  const to = freshWallet()
  await till.sol(to, COIN)
  const slot = await headOf()
  let asked = 0
  const lagging = await fakeNode(node.url, ({ method }) => {
    const isEarly = method === 'getBlock' && ++asked <= 2
    return isEarly ? { error: { code: -32004, message: 'Block not available for slot' } } : 'pass'
  })
  t.teardown(lagging.close)
  t.deepEqual(await amountsIn(slot, slot, to, lagging.url), [COIN])
})

for (const [words, result] of [
  ['null', null],
  ['empty', {}],
  ['without transactions', { blockhash: 'x', previousBlockhash: 'y', parentSlot: 1, blockTime: 1 }],
  ['without the outcome of a transaction', block({ meta: null })],
  ['without token balances', block({ meta: { err: null, preBalances: [1], postBalances: [2] } })],
  ['short of balances', block({ meta: { err: null, preBalances: [], postBalances: [], ...noTokens() } })],
] as const)
  test.serial(`a block that is ${words} makes the range reject`, async (t) => {
    const slot = await headOf()
    const lying = await instead('getBlock', slot, { result })
    t.teardown(lying.close)
    await t.throwsAsync(amountsIn(slot, slot, freshWallet(), lying.url), { message: /^sol: / })
  })

function block(transaction: object) {
  const keys = { signatures: ['s'], accountKeys: [{ pubkey: 'k' }] }
  const transactions = [{ transaction: keys, version: 'legacy', ...transaction }]
  return { blockhash: 'x', previousBlockhash: 'y', parentSlot: 1, blockTime: 1, transactions }
}

function noTokens() {
  return { preTokenBalances: [], postTokenBalances: [] }
}

test.serial('blocks that change while they are read make the range reject', async (t) => {
  const height = await headOf()
  await node.mine(8)
  let isForked = false
  const forking = await fakeNode(node.url, ({ method, params }) => {
    if (method === 'getBlock' && params[0] === height + 5 && !isForked) {
      isForked = true
      node.reorg(6)
    }
    return 'pass'
  })
  t.teardown(forking.close)
  const message = 'sol: the chain changed while it was read'
  await t.throwsAsync(connectSolana(forking.url).transfersIn(height + 1, height + 8, new Set()), { message })
})

test.serial('a range has a bound, and begins at slot 0 at the earliest', async (t) => {
  const chain = connectSolana(node.url)
  for (const [from, to] of [
    [0, SOLANA_RANGE_MAX_SLOTS],
    [-1, 5],
    [0.5, 5],
    [0, Number.NaN],
  ] as const)
    await t.throwsAsync(chain.transfersIn(from, to, new Set()), { message: /a range is at most 5000 slots/ })
})

test.serial(
  'N-24 a range that does not continue what was read before, or does not end in the block that was promised, is refused',
  async (t) => {
    const chain = connectSolana(node.url)
    const before = await headOf()
    node.skip(2)
    await node.mine(5)
    const end = await headOf()
    const ends = { before: await chain.hashAt(before), last: await chain.hashAt(end) }
    const read = (other: object) => chain.transfersIn(before + 1, end, new Set(), new Set(), { ...ends, ...other })
    t.deepEqual(await read({}), [])
    // The head of a range that is all skipped is tied by the block after it.
    t.deepEqual(await chain.transfersIn(before + 1, before + 2, new Set(), new Set(), { before: ends.before }), [])
    const message = /the chain changed while it was read/
    await t.throwsAsync(read({ before: await chain.hashAt(before - 1) }), { message })
    await t.throwsAsync(read({ last: await chain.hashAt(end - 1) }), { message })
  },
)
