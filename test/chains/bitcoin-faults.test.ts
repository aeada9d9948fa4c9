import test from 'ava'
import { Block } from 'bitcoinjs-lib'
import { bitcoinChain } from '../../adapters/chains/bitcoin/bitcoin.ts'
import { chainOf, networkOf } from '../../domain/kernel/networks.ts'
import blocks from './bitcoin-blocks.json' with { type: 'json' }
import { bitcoinNode, idsOf, makeBlock, type RawBlock } from './bitcoin-node.ts'
import { type Behaviour, fakeNode } from './fake-node.ts'

const network = networkOf('btc')
const main = (network && chainOf(network)) ?? never()
const receiver = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const script = Buffer.from('0014751e76e8199196d454941c45d1b3a323f1433bd6', 'hex')
const genesis: RawBlock = { hash: blocks.bitcoinGenesis.hash, hex: '' }
const one = makeBlock(genesis.hash, [{ script, amount: 1n }])
const two = makeBlock(one.hash, [{ script, amount: 2n }])
/** Milliseconds: short where a hang is waited for, long where a busy machine must not pass for one. */
const [shortMs, longMs] = [800, 20_000]

type Misbehave = (call: { method: string; params: readonly unknown[] }) => Behaviour | undefined

/** A node that answers well, but where told otherwise. */
const nodeThat = (misbehave: Misbehave = () => undefined, chain: readonly RawBlock[] = [genesis, one, two]) => {
  const behave = bitcoinNode(chain)
  return fakeNode('', (call) => misbehave(call) ?? behave(call))
}
const connectWithin = (timeoutMs: number, ...rpcUrls: string[]) =>
  bitcoinChain({ network: 'btc', chain: main, rpcUrls, timeoutMs })
const connect = (...rpcUrls: string[]) => connectWithin(longMs, ...rpcUrls)
const read = (url: string) => connect(url).transfersIn(1, 2, new Set([receiver]))

test('a node that is down makes every method reject, without its URL or login', async (t) => {
  const chain = connect('http://user-4711:secret-4711@127.0.0.1:1/key-4711')
  const calls = [chain.head(), chain.transfersOf('ab'.repeat(32)), chain.transfersIn(0, 1, new Set()), chain.hashAt(1)]
  for (const call of [...calls, chain.verifyChain()]) {
    const message = /^btc: RPC URL 1 of 1: (get\w+|the proof of its chain): no connection$/
    const error = await t.throwsAsync(call, { message })
    t.false(`${error?.message}${error?.stack}${JSON.stringify(error)}`.includes('4711'))
    t.is(error?.cause, undefined)
  }
  t.deepEqual(await chain.tips(), [undefined])
  t.deepEqual(await chain.hashesAt(1), [undefined])
})

test('another chain than configured is refused, and a URL on it is never used', async (t) => {
  const other = await nodeThat(undefined, [{ hash: '00'.repeat(32), hex: '' }])
  const good = await nodeThat()
  t.teardown(other.close)
  t.teardown(good.close)
  const served = 'serves chain bip122:00000000000000000000000000000000'
  const message = `btc: RPC URL 1 of 2 ${served}, configured is bip122:000000000019d6689c085ae165831e93`
  await t.throwsAsync(connect(other.url, good.url).verifyChain(), { message })
  const chain = connect(other.url, good.url)
  t.is((await chain.head()).hash, two.hash)
  await chain.head()
  t.deepEqual(new Set(other.calls), new Set(['getblockhash']))
})

for (const [words, behaviour, reason] of [
  ['answers garbage', 'garbage', 'no usable answer'],
  ['answers nothing', { result: null }, 'no usable answer'],
  ['answers with another kind of thing', { result: { hash: 'key-4711' } }, 'no hash'],
  ['does not know its login', { status: 401 }, 'HTTP status 401'],
  ['has too many calls waiting', { status: 503 }, 'HTTP status 503'],
  ['wants a pause', { status: 429 }, 'HTTP status 429'],
  ['starts', { status: 500, error: { code: -28, message: 'Loading block index…' } }, 'not ready, error -28'],
] as const satisfies readonly (readonly [string, Behaviour, string])[])
  test(`a URL that ${words} gives way to the next`, async (t) => {
    const node = await nodeThat(({ method }) => (method === 'getbestblockhash' ? behaviour : undefined))
    const good = await nodeThat()
    t.teardown(node.close)
    t.teardown(good.close)
    t.is((await connect(node.url, good.url).head()).height, 2)
    const message = `btc: RPC URL 1 of 1: getblockheader: ${reason}`
    const error = await t.throwsAsync(connect(node.url).head(), { message })
    t.false(`${error?.stack}${JSON.stringify(error)}`.includes('4711'))
  })

for (const fault of ['hang', 'hang-in-body'] as const)
  test(`a node that will ${fault} makes a call reject within its time limit`, async (t) => {
    const node = await nodeThat(() => fault)
    t.teardown(node.close)
    await t.throwsAsync(connectWithin(shortMs, node.url).head(), { message: /no answer within 800 ms/ })
  })

const raw = Buffer.from(one.hex, 'hex')
const flipped = Buffer.from(raw).fill(raw[100] === 1 ? 2 : 1, 100, 101)
for (const [words, hex, reason] of [
  ['another block than asked for', two.hex, 'a block that is not the one asked for'],
  ['a block cut short', one.hex.slice(0, -20), 'a block that cannot be read'],
  ['a block cut in its header', one.hex.slice(0, 100), 'a block that cannot be read'],
  ['a block with something behind it', `${one.hex}00`, 'a block with something behind it'],
  [
    'a block with other transactions than its own',
    flipped.toString('hex'),
    'a block with other transactions than its own',
  ],
  ['a block without its last transaction', withoutLast(one.hex), 'a block with other transactions than its own'],
  ['a block that is no hex', `${one.hex.slice(0, -2)}zz`, 'no hex'],
] as const)
  test(`${words} is never read as an empty one, and another URL's is taken`, async (t) => {
    const node = await nodeThat(({ method, params }) =>
      method === 'getblock' && params[0] === one.hash ? { result: hex } : undefined,
    )
    const good = await nodeThat()
    t.teardown(node.close)
    t.teardown(good.close)
    await t.throwsAsync(read(node.url), { message: `btc: RPC URL 1 of 1: getblock: ${reason}` })
    t.is((await connect(node.url, good.url).transfersIn(1, 2, new Set([receiver]))).length, 2)
  })

test('an answer above the bound is not read on', async (t) => {
  const node = await nodeThat(({ method }) => (method === 'getblock' ? { result: '00'.repeat(9_000_000) } : undefined))
  t.teardown(node.close)
  await t.throwsAsync(read(node.url), { message: /getblock: an answer above 16777216 bytes$/ })
})

test('blocks that do not follow each other are a chain that changed while it was read', async (t) => {
  const stranger = makeBlock('cd'.repeat(32), [{ script, amount: 3n }])
  const node = await nodeThat(undefined, [genesis, one, stranger])
  t.teardown(node.close)
  await t.throwsAsync(read(node.url), { message: 'btc: the chain changed while it was read' })
})

test('a transaction that is not the one asked for is the fault of its node', async (t) => {
  const [, wanted = ''] = idsOf(one)
  const node = await nodeThat(({ method }) =>
    method === 'getrawtransaction'
      ? { result: { hex: two.hex.slice(162), blockhash: one.hash, confirmations: 2 } }
      : undefined,
  )
  t.teardown(node.close)
  const message = 'btc: RPC URL 1 of 1: getrawtransaction: a transaction that is not the one asked for'
  await t.throwsAsync(connect(node.url).transfersOf(wanted), { message })
})

const words = 'No such mempool transaction. Blockchain transactions are still in the process of being indexed.'
for (const [what, error, message] of [
  ['is not there', { code: -5, message: 'No such mempool or blockchain transaction.' }, undefined],
  ['is not there, in the words of another node', { code: -1, message: 'TX not found.' }, undefined],
  [
    'may be there once the index is complete',
    { code: -5, message: words },
    /its index of transactions is not complete yet$/,
  ],
  ['cannot be read from the disk', { code: -1, message: "Can't read block from disk" }, /getrawtransaction: error -1$/],
] as const)
  test(`a transaction that ${what}: in the form of older and of newer nodes`, async (t) => {
    for (const behaviour of [{ error }, { status: 500, error }]) {
      const node = await nodeThat(({ method }) => (method === 'getrawtransaction' ? behaviour : undefined))
      t.teardown(node.close)
      const asked = connect(node.url).transfersOf('ab'.repeat(32))
      if (message) await t.throwsAsync(asked, { message })
      else t.is(await asked, undefined)
    }
  })

test('a transaction in a block that another one replaced is unknown', async (t) => {
  const [, tx = ''] = idsOf(one)
  const node = await nodeThat(({ method }) =>
    method === 'getblockheader'
      ? { result: { hash: one.hash, height: 1, confirmations: -1, time: 1_760_000_000 } }
      : undefined,
  )
  t.teardown(node.close)
  t.is(await connect(node.url).transfersOf(tx), undefined)
})

test('a malformed hash is asked of nobody, and a URL that is none is refused without being shown', async (t) => {
  const chain = connect('http://127.0.0.1:1')
  for (const malformed of ['', '0x', `0x${'ab'.repeat(32)}`, 'ab'.repeat(31), 'zz'.repeat(32), 'ab'.repeat(5_000)])
    t.is(await chain.transfersOf(malformed), undefined)
  t.throws(() => connect('ftp://key-4711'), { message: 'btc: RPC URL 1 of 1: not an http URL' })
  t.throws(() => connect('http://key 4711'), { message: 'btc: RPC URL 1 of 1: not an http URL' })
})

const scanning = (behaviour: Behaviour) =>
  nodeThat(({ method, params }) => {
    if (method !== 'scantxoutset') return undefined
    return params[0] === 'start' ? behaviour : { result: true }
  })
/** TypeScript does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

// Alone: a node has three seconds, and what the other tests do meanwhile counts.
test.serial(
  'M-SET-06 what is unspent of an address is read exactly, and never as 0 when it cannot be read',
  async (t) => {
    for (const [total, units] of [
      ['0.00000000', 0n],
      ['0.00000001', 1n],
      ['20999999.97690001', 2_099_999_997_690_001n],
      ['90071992.54740993', 2n ** 53n + 1n],
    ] as const) {
      const node = await scanning({ result: { success: true, total_amount: rawJSON(total) } })
      t.teardown(node.close)
      t.is(await connect(node.url).balanceOf(receiver, 'btc'), units)
    }
    for (const result of [
      {},
      { success: false, total_amount: rawJSON('1.0') },
      { success: true },
      { success: true, total_amount: rawJSON('1e3') },
      { success: true, total_amount: rawJSON('0.000000001') },
      { success: true, total_amount: rawJSON('-1') },
    ]) {
      const node = await scanning({ result })
      t.teardown(node.close)
      const message = 'btc: RPC URL 1 of 1: scantxoutset: no total'
      await t.throwsAsync(connect(node.url).balanceOf(receiver, 'btc'), { message })
    }
  },
)

for (const [words, error] of [
  ['cannot look through what is unspent', { code: -32601, message: 'Method not found' }],
  ['looks for somebody else', { code: -8, message: 'Scan already in progress, use action "abort" or "status"' }],
] as const)
  test(`M-SET-06 a node that ${words} leaves a balance untold`, async (t) => {
    const node = await scanning({ error })
    t.teardown(node.close)
    t.is(await connect(node.url).balanceOf(receiver, 'btc'), undefined)
  })

test('a node that would take too long is told to stop, is left alone with it, and reads blocks as before', async (t) => {
  const node = await scanning('hang')
  t.teardown(node.close)
  const chain = connect(node.url)
  const asked = [chain.balanceOf(receiver, 'btc'), chain.balanceOf(receiver, 'btc')]
  t.is((await chain.head()).hash, two.hash)
  t.deepEqual(await Promise.all(asked), [undefined, undefined])
  t.is(await chain.balanceOf(receiver, 'btc'), undefined)
  t.is(node.calls.filter((method) => method === 'scantxoutset').length, 2, 'one start, one stop')
  t.deepEqual(chain.providers?.(), ['closed'])
})

/** The same header over one transaction less. */
function withoutLast(hex: string): string {
  const [first] = Block.fromHex(hex).transactions ?? []
  return `${hex.slice(0, 160)}01${first?.toHex()}`
}

function never(): never {
  throw new Error('there is no Bitcoin')
}
