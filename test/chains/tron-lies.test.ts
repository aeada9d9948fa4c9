import test from 'ava'
import { fromHex, toHex } from 'tronweb/utils'
import { tronChain } from '../../adapters/chains/tron/tron.ts'
import { assetOf } from '../../domain/kernel/assets.ts'
import { type Anvil, startAnvil } from '../support/anvil.ts'
import { instead, type Meddle, startTronNode, type TronNode, tronTestChain } from '../support/tron-node.ts'
import { tronHex } from '../support/tron-wire.ts'

const usdt = `0x${toHex(assetOf('usdt_trx')?.contract ?? '').slice(2)}`
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const watched = new Set([fromHex(tronHex(receiver))])
const hash = 'ab'.repeat(32)

let anvil: Anvil
let honest: TronNode
test.before(async () => {
  anvil = await startAnvil({ chainId: 728126428 })
  await anvil.deployToken(usdt, 10n ** 30n)
  honest = await startTronNode({ rpcUrl: anvil.url })
})
test.after.always(() => {
  honest?.close()
  return anvil?.stop()
})

const nodeThat = async (t: { teardown(fn: () => void): void }, meddle: Meddle) => {
  const node = await startTronNode({ rpcUrl: anvil.url, meddle })
  t.teardown(node.close)
  return node
}
const options = (...rpcUrls: string[]) => ({
  network: 'trx',
  chain: tronTestChain(),
  rpcUrls,
  timeoutMs: 20_000,
})
const connect = (...rpcUrls: string[]) => tronChain(options(...rpcUrls))
/** The block of a payment just made. */
const paid = async (amount = 7n) => {
  const tx = (await anvil.sendToken(usdt, receiver, amount)).slice(2)
  return { tx, height: (await connect(honest.url).head()).height }
}

const lies: readonly (readonly [string, Parameters<typeof instead>[0], RegExp])[] = [
  [
    'has no block yet',
    { getblockbynum: (own, { params }) => (params.num === 0 ? own : '{}') },
    /: it is not there yet$/,
  ],
  ['has the block without what came of it', { gettransactioninfobyblocknum: () => '[]' }, /are not all there$/],
  ['answers {} for what came of it', { gettransactioninfobyblocknum: () => '{}' }, /are not all there$/],
  [
    'has what came of another block with the same transactions',
    {
      gettransactioninfobyblocknum: (own) => own.replaceAll(/"blockTimeStamp":\d+/g, '"blockTimeStamp":1777445121000'),
    },
    /are not all there$/,
  ],
  [
    'has what came of more transactions than the block has',
    {
      gettransactioninfobyblocknum: (own) => own.replace('[', `[${own.slice(1, -1).replace(/"id":"../, '"id":"zz')},`),
    },
    /are not all there$/,
  ],
  [
    'has an empty block under the header of a full one',
    {
      getblockbynum: (own) => JSON.stringify({ ...JSON.parse(own), transactions: undefined }),
      gettransactioninfobyblocknum: () => '[]',
    },
    /its transactions are not there$/,
  ],
  [
    'answers with another block',
    { getblockbynum: (own, { params }) => (params.num === 0 ? own : own.replace(/"number":\d+/, '"number":1')) },
    /another block than the one asked for$/,
  ],
]
for (const [words, answers, message] of lies)
  test.serial(`a provider that ${words} gives way to the next; alone it makes the range reject`, async (t) => {
    const { tx, height } = await paid()
    const node = await nodeThat(t, instead(answers))
    const found = await connect(node.url, honest.url).transfersIn(height, height, watched)
    t.deepEqual(
      found.map((transfer) => transfer.tx),
      [tx],
    )
    await t.throwsAsync(connect(node.url).transfersIn(height, height, watched), { message })
  })

test.serial('blocks that do not follow each other make the range reject', async (t) => {
  const { height } = await paid()
  const node = await nodeThat(
    t,
    instead({
      getblockbynum: (own, { params }) =>
        params.num === height ? own.replace(/("parentHash":"\w{60})\w{4}/, '$1ffff') : own,
    }),
  )
  const message = 'trx: the chain changed while it was read'
  await t.throwsAsync(connect(node.url).transfersIn(height - 1, height, watched), { message })
})

test.serial('blocks that are not between the ends that were seen make the range reject', async (t) => {
  const { height } = await paid()
  const chain = connect(honest.url)
  const [before, last] = [await chain.hashAt(height - 1), await chain.hashAt(height)]
  const read = (ends: object) => chain.transfersIn(height, height, watched, undefined, ends)
  t.is((await read({ before, last })).length, 1)
  const message = 'trx: the chain changed while it was read'
  for (const ends of [{ before: last }, { last: before }, { before, last: 'ab'.repeat(32) }])
    await t.throwsAsync(read(ends), { message })
  t.deepEqual(await chain.transfersIn(height + 1, height, watched, undefined, { before, last: before }), [])
})

test.serial('a transaction that is not in the block it names makes the call reject', async (t) => {
  const { tx } = await paid()
  const other = instead({ gettransactioninfobyid: (own) => own.replace(/"blockNumber":\d+/, '"blockNumber":1') })
  const message = 'trx: the chain changed while it was read'
  await t.throwsAsync(connect((await nodeThat(t, other)).url).transfersOf(tx), { message })
  const stranger = instead({ gettransactioninfobyid: (own) => own.replace(tx, hash) })
  await t.throwsAsync(connect((await nodeThat(t, stranger)).url).transfersOf(tx), {
    message: /another transaction than the one asked for$/,
  })
})

test.serial('a plain transfer that failed pays nothing', async (t) => {
  const tx = (await anvil.send(receiver, 9n)).slice(2)
  const { height } = await connect(honest.url).head()
  const faults = [
    { getblockbynum: (own: string) => own.replace('"contractRet":"SUCCESS"', '"contractRet":"FAILED"') },
    {
      gettransactioninfobyid: (own: string) => own.replace('{', '{"result":"FAILED",'),
      gettransactioninfobyblocknum: (own: string) => own.replace('{', '{"result":"FAILED",'),
    },
  ]
  for (const answers of faults) {
    const chain = connect((await nodeThat(t, instead(answers))).url)
    t.deepEqual(await chain.transfersOf(tx), [])
    t.deepEqual(await chain.transfersIn(height, height, watched), [])
  }
})

test.serial('what each provider has is told apart', async (t) => {
  const { height } = await paid()
  const behind = await nodeThat(
    t,
    instead({ getblock: (own, { params }) => (params.id_or_num === String(height) ? '{}' : own) }),
  )
  const chain = connect(honest.url, behind.url, 'http://127.0.0.1:1')
  const hash = await connect(honest.url).hashAt(height)
  t.deepEqual(await chain.hashesAt(height), [hash, undefined, undefined])
  t.deepEqual(
    (await chain.tips()).map((tip) => tip?.height),
    [height, height, undefined],
  )
  t.is(await connect(behind.url).hashAt(height), undefined)
})

test.serial('what was read of a range is not thrown away when a provider wants a pause', async (t) => {
  const { height } = await connect(honest.url).head()
  const { tx } = await paid()
  await anvil.mine(19)
  let [left, refusedAt] = [9, 0]
  const node = await nodeThat(t, (_, own) => {
    if (left-- > 0) return own()
    if (left < -3) left = 12
    refusedAt++
    return { status: 503 }
  })
  const chain = tronChain({ ...options(node.url), pausesMs: [1, 1, 1, 1, 1] })
  const found = await chain.transfersIn(height + 1, height + 20, watched)
  t.deepEqual(
    found.map((transfer) => transfer.tx),
    [tx],
  )
  t.true(refusedAt > 3)
  const read = node.calls.filter(({ method }) => method === 'gettransactioninfobyblocknum')
  t.true(read.length < 40, 'no range was begun anew')
  left = 9
  const impatient = tronChain({ ...options(node.url), pausesMs: [] })
  await t.throwsAsync(impatient.transfersIn(height + 1, height + 20, watched), { message: /HTTP status 503$/ })
})

test.serial('a pause ends when the chain is closed', async (t) => {
  const { height } = await paid()
  await anvil.mine(3)
  const node = await nodeThat(
    t,
    instead({ getblockbynum: (own, { params }) => (Number(params.num) > height ? '{}' : own) }),
  )
  const chain = tronChain({ ...options(node.url), pausesMs: [60_000] })
  const reading = chain.transfersIn(height - 1, height + 3, watched)
  setTimeout(() => void chain.close(), 300)
  await t.throwsAsync(reading, { name: 'AbortError' })
})

test.serial('M-SET-06 a balance that cannot be read is an error and never 0, and a large one is exact', async (t) => {
  const to = fromHex(tronHex(receiver))
  const hex = tronHex(receiver)
  const word = `"constant_result":["${'0'.repeat(63)}7"]`
  for (const [asset, method, answer, message] of [
    ['trx', 'getaccount', '[]', /no usable answer$/],
    ['trx', 'getaccount', `{"address":"41${'9'.repeat(40)}","balance":7}`, /another account than the one asked for$/],
    ['trx', 'getaccount', `{"address":"${hex}","balance":-7}`, /no balance$/],
    ['trx', 'getaccount', `{"address":"${hex}","balance":1.5}`, /no balance$/],
    ['trx', 'getaccount', `{"address":"${hex}","balance":"7"}`, /no balance$/],
    ['usdt_trx', 'triggerconstantcontract', '{}', /no usable answer$/],
    ['usdt_trx', 'triggerconstantcontract', `{"result":{"code":"CONTRACT_VALIDATE_ERROR"}}`, /tells no balance$/],
    ['usdt_trx', 'triggerconstantcontract', `{"result":{"result":true,"message":"52"},${word}}`, /tells no balance$/],
    ['usdt_trx', 'triggerconstantcontract', '{"result":{"result":true},"constant_result":[""]}', /tells no balance$/],
    ['usdt_trx', 'triggerconstantcontract', '{"result":{"result":true}}', /tells no balance$/],
  ] as const) {
    const node = await nodeThat(t, instead({ [method]: () => answer }))
    await t.throwsAsync(connect(node.url).balanceOf(to, asset), { message })
  }
  for (const [asset, method, answer, balance] of [
    ['trx', 'getaccount', `{"address":"${hex}","balance":9007199254740993}`, 2n ** 53n + 1n],
    ['trx', 'getaccount', `{"address":"${hex}"}`, 0n],
    ['usdt_trx', 'triggerconstantcontract', `{"result":{"result":true},${word}}`, 7n],
  ] as const) {
    const node = await nodeThat(t, instead({ [method]: () => answer }))
    t.is(await connect(node.url).balanceOf(to, asset), balance)
  }
})
