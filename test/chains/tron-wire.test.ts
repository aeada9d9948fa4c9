import test from 'ava'
import { TronWeb } from 'tronweb'
import { EVERY_TRANSFER, transfersOfTx, tronAssetsOf, wantedOf } from '../../adapters/chains/tron/transfers.ts'
import { asBlock, asInfo, asWhole, parseExact, type TronRawBlock } from '../../adapters/chains/tron/wire.ts'
import { assetOf, assetsOn } from '../../domain/kernel/assets.ts'
import { type Anvil, startAnvil, tokenCall } from '../support/anvil.ts'
import { startTronNode, type TronNode, tronTestChain } from '../support/tron-node.ts'
import { tronHex } from '../support/tron-wire.ts'
import captured from './tron-captured.json' with { type: 'json' }

const contract = assetOf('usdt_trx')?.contract ?? ''
const usdt = `0x${TronWeb.address.toHex(contract).slice(2)}`
const receiver = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const base58 = (address: string) => TronWeb.address.fromHex(tronHex(address))
const assets = tronAssetsOf('trx', assetsOn('trx', tronTestChain().caip2))

let anvil: Anvil
let node: TronNode
test.before(async () => {
  anvil = await startAnvil({ chainId: 728126428 })
  await anvil.deployToken(usdt, 10n ** 30n)
  node = await startTronNode({ rpcUrl: anvil.url })
})
test.after.always(() => {
  node?.close()
  return anvil?.stop()
})

/** A block of the height and time that an outcome names. */
const blockOf = ({ blockNumber, blockTimeStamp }: { blockNumber: number; blockTimeStamp: number }): TronRawBlock => {
  const raw_data = { number: blockNumber, timestamp: blockTimeStamp, parentHash: 'cd'.repeat(32) }
  return { blockID: blockNumber.toString(16).padStart(64, '0'), block_header: { raw_data } }
}
const read = (tx: object, info: { blockNumber: number; blockTimeStamp: number }) =>
  transfersOfTx(assets, blockOf(info), tx as never, info as never, EVERY_TRANSFER)

test('captured answers of a real node are read: a header, a plain transfer, a call, outcomes of a block', (t) => {
  const { header, transfer, transferInfo, call, callInfo, infosOfBlock } = captured
  t.is(asBlock(header, 66987565)?.blockID, header.blockID)
  t.throws(() => asBlock(header, 66987566), { message: 'another block than the one asked for' })
  t.is(asInfo(transferInfo, transferInfo.id)?.blockNumber, 27662687)
  t.deepEqual(read(transfer, transferInfo), [
    {
      network: 'trx',
      tx: 'c558bd35978267d8999baf6148703cbc94786f3f2e22893637588ca05437d7f0',
      index: 'native',
      asset: 'trx',
      // In the same place the documentation writes these addresses so.
      from: 'TPswDDCAWhJAZGdHPidFg5nEf8TkNToDX1',
      to: 'TUznHJfHe6gdYY7gvWmf6bNZHuPHDZtowf',
      amount: 10_000_000n,
      height: 27662687,
      blockHash: blockOf(transferInfo).blockID,
      minedAt: '2022-06-30T09:14:30.000Z',
    },
  ])
  t.deepEqual(read(call, callInfo), [], 'it moved neither coin nor tokens')
  const transactions = infosOfBlock.map(({ id }) => ({ ...transfer, txID: id }))
  t.is(asWhole({ ...header, transactions } as never, infosOfBlock).infos.size, 2)
})

test('coin in the internal transactions of a call', (t) => {
  const [sender, payee] = ['41'.padEnd(42, '1'), '41'.padEnd(42, '2')]
  const hex = (note: string) => Buffer.from(note).toString('hex')
  const moved = {
    caller_address: sender,
    transferTo_address: payee,
    callValueInfo: [{ callValue: 5 }],
    note: hex('call'),
  }
  const indexes = (list: object[], more = {}) =>
    read(captured.call, { ...captured.callInfo, log: [], internal_transactions: list, ...more } as never).map(
      ({ index, amount }) => [index, amount],
    )
  t.deepEqual(indexes([moved, { ...moved, note: hex('suicide') }]), [
    ['internal:0', 5n],
    ['internal:1', 5n],
  ])
  t.deepEqual(indexes([{ ...moved, rejected: true }, moved]), [['internal:1', 5n]])
  for (const note of ['freezeForEnergy', 'delegateResourceOfEnergy', 'unDelegateResourceOfBandwidth', 'voteWitness'])
    t.deepEqual(indexes([{ ...moved, note: hex(note) }, moved]), [['internal:0', 5n]], 'lent energy is no coin')
  t.deepEqual(indexes([{ ...moved, transferTo_address: sender }]), [], 'to itself')
  t.deepEqual(indexes([{ ...moved, callValueInfo: [{}, { tokenId: '1000001', callValue: 5 }] }]), [], 'a TRC-10 token')
  t.deepEqual(indexes([moved], { receipt: { result: 'OUT_OF_ENERGY' } }), [])
  t.deepEqual(indexes([moved], { result: 'FAILED' }), [])
})

test('TRC-10 tokens and logs that only look like transfers are no payment', (t) => {
  const { transfer, transferInfo, call, callInfo } = captured
  const [{ parameter } = { parameter: undefined }] = transfer.raw_data.contract
  const raw_data = { contract: [{ type: 'TransferAssetContract', parameter }] }
  t.deepEqual(read({ ...transfer, raw_data }, transferInfo), [])
  const topic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const topics = [topic, '1'.repeat(64), '2'.repeat(64)]
  const log = { address: usdt.slice(2), topics, data: '5'.padStart(64, '0') }
  const found = (...logs: object[]) =>
    read(call, { ...callInfo, log: logs } as never).map(({ index, asset, amount }) => [index, asset, amount])
  t.deepEqual(found(log, log), [
    ['0', 'usdt_trx', 5n],
    ['1', 'usdt_trx', 5n],
  ])
  const alike = [
    { ...log, topics: [...topics, '3'.repeat(64)] },
    { ...log, topics: topics.slice(0, 2) },
    { ...log, topics: ['0'.repeat(64), ...topics.slice(1)] },
    { ...log, data: `${log.data}00` },
    { address: log.address },
  ]
  t.deepEqual(found(...alike, log), [['5', 'usdt_trx', 5n]])
  t.true(wantedOf(assets, new Set(), new Set([base58(receiver)])).contract(receiver.slice(2).toLowerCase()))
})

test('whole numbers of JSON are exact, whatever their size', (t) => {
  const most = '9223372036854775807'
  t.deepEqual(parseExact(`{"a":${most},"b":[-${most}],"c":"${most}","d":1.5,"e":7}`), {
    a: BigInt(most),
    b: [-BigInt(most)],
    c: most,
    d: 1.5,
    e: 7,
  })
  t.throws(() => parseExact('{"a":12345678901234567'))
})

/** What stands where, without the values; `fee`, `net_…` and `energy_…` come and go with what was used. */
const shapeOf = (value: unknown, path = ''): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap((each) => shapeOf(each, `${path}[]`)))]
  if (typeof value !== 'object' || value === null) return [`${path} ${typeof value}`]
  const fields = Object.entries(value).filter(([name]) => !/^(fee|(net|energy)_\w+)$/.test(name))
  return fields.flatMap(([name, each]) => shapeOf(each, `${path}.${name}`)).sort()
}

test.serial('the node of the tests writes what a real one writes', async (t) => {
  const ask = async (method: string, body: object) =>
    (await fetch(`${node.url}/wallet/${method}`, { method: 'POST', body: JSON.stringify(body) })).json()
  const plain = (await anvil.send(receiver, 5n)).slice(2)
  const data = tokenCall('forward', [receiver])
  const called = (await anvil.transact({ to: usdt, data })).slice(2)
  const tokens = (await anvil.sendToken(usdt, receiver, 5n)).slice(2)
  t.deepEqual(shapeOf(await ask('getblock', { detail: false })), shapeOf(captured.header))
  t.deepEqual(shapeOf(await ask('gettransactionbyid', { value: plain })), shapeOf(captured.transfer))
  t.deepEqual(shapeOf(await ask('gettransactioninfobyid', { value: plain })), shapeOf(captured.transferInfo))
  t.deepEqual(shapeOf(await ask('gettransactionbyid', { value: called })), shapeOf(captured.call))
  // The captured call has a log and internal transactions; ours have one of the two each.
  const ours = [called, tokens].map((value) => ask('gettransactioninfobyid', { value }))
  const shapes = new Set((await Promise.all(ours)).flatMap((info) => shapeOf(info)))
  t.deepEqual([...shapes].sort(), shapeOf(captured.callInfo))
  const { blockNumber } = (await ask('gettransactioninfobyid', { value: plain })) as { blockNumber: number }
  t.deepEqual(shapeOf(await ask('gettransactioninfobyblocknum', { num: blockNumber })), shapeOf(captured.infosOfBlock))
  for (const [method, body] of [
    ['getblockbynum', { num: 10 ** 9 }],
    ['gettransactionbyid', { value: 'ab'.repeat(32) }],
    ['gettransactioninfobyid', { value: 'ab'.repeat(32) }],
    ['gettransactioninfobyblocknum', { num: 0 }],
  ] as const)
    t.deepEqual(await ask(method, body), {}, 'what is unknown')
})

test.serial('the real tronweb sees the same balances and transactions on the node of the tests', async (t) => {
  const tronweb = new TronWeb({ fullHost: node.url })
  const payee = base58('0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC')
  const before = await tronweb.trx.getBalance(payee)
  const coin = (await anvil.send(`0x${TronWeb.address.toHex(payee).slice(2)}`, 5_000n)).slice(2)
  const token = (await anvil.sendToken(usdt, `0x${TronWeb.address.toHex(payee).slice(2)}`, 6_000n)).slice(2)
  t.is(await tronweb.trx.getBalance(payee), before + 5_000)
  const asked = [{ type: 'address', value: payee }]
  const { constant_result } = await tronweb.transactionBuilder.triggerConstantContract(
    ...([contract, 'balanceOf(address)', {}, asked, payee] as const),
  )
  t.is(BigInt(`0x${constant_result[0]}`), 6_000n)
  const [call] = (await tronweb.trx.getTransaction(coin)).raw_data.contract
  t.like(call?.parameter.value, { amount: 5_000, to_address: TronWeb.address.toHex(payee) })
  const info = await tronweb.trx.getUnconfirmedTransactionInfo(token)
  t.is(info.receipt.result, 'SUCCESS')
  t.is(BigInt(`0x${info.log[0]?.data}`), 6_000n)
  t.is((await tronweb.trx.getBlock(info.blockNumber)).transactions?.[0]?.txID, token)
  t.is((await tronweb.trx.getCurrentBlock()).block_header.raw_data.number, info.blockNumber)
  t.deepEqual(await tronweb.trx.getTransactionInfo(token), {}, 'not solid yet')
  await anvil.mine(19)
  t.is((await tronweb.trx.getTransactionInfo(token)).blockNumber, info.blockNumber)
  await t.throwsAsync(tronweb.trx.getTransaction('ab'.repeat(32)), { message: 'Transaction not found' })
})
