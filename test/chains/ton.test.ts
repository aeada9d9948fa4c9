import test from 'ava'
import { TON_RANGE_MAX_BLOCKS } from '../../adapters/chains/ton/ton.ts'
import { chainContract } from '../contracts/chain.ts'
import { type ChainUnderTest, twoHosts } from '../contracts/chain-under-test.ts'
import { startTonNode } from '../support/ton-node.ts'
import { arrivedAt, connectTon, payJetton, payTon, TON_USDT, tonAddress } from '../support/ton-payer.ts'
import { startTonSandbox, type TonSandbox } from '../support/ton-sandbox.ts'

const foreign = tonAddress(1)
const receivers = [tonAddress(2), tonAddress(3), tonAddress(4)]
const [a = '', b = ''] = receivers
const nobody = tonAddress(5)

let sandbox: TonSandbox
let node: Awaited<ReturnType<typeof startTonNode>>
test.before(async () => {
  sandbox = await startTonSandbox()
  await sandbox.deployJetton(TON_USDT, 10n ** 30n)
  await sandbox.deployJetton(foreign, 10n ** 30n)
  node = await startTonNode(sandbox)
})
test.after.always(() => node?.stop())

const connect = () => connectTon([node.url])

const open = async (): Promise<ChainUnderTest> => ({
  chain: connect(),
  byTwo: connectTon(twoHosts(node.url)),
  addresses: receivers,
  nobody: tonAddress(6),
  native: 'ton',
  token: 'usdt_ton',
  foreign,
  pay: (asset, to, amount) =>
    asset === 'ton' ? payTon(sandbox, to, amount) : payJetton(sandbox, TON_USDT, to, amount),
  async payTwo([first, one], [second, two]) {
    const sent = await sandbox.send(
      await sandbox.jettonMessage(TON_USDT, first, one),
      await sandbox.jettonMessage(TON_USDT, second, two),
    )
    return arrivedAt(sent, await sandbox.jettonWallet(TON_USDT, second))
  },
  payForeign: (to, amount) => payJetton(sandbox, foreign, to, amount),
  async payInVain(asset) {
    if (asset === 'ton')
      return { tx: arrivedAt(await sandbox.send({ to: nobody, value: 10n ** 9n }), nobody), to: nobody }
    const sent = await sandbox.send(await sandbox.jettonMessage(TON_USDT, a, 10n ** 31n))
    return { tx: arrivedAt(sent, await sandbox.jettonWallet(TON_USDT, sandbox.payer)), to: a }
  },
  mine: async (blocks) => sandbox.mine(blocks),
})
chainContract(test, 'TON', open, { without: ['reorganisations'], unknown: 'ab'.repeat(32) })

test.serial('TON is named by CAIP-2, and a provider on its other chain is refused', async (t) => {
  t.is(connect().caip2, 'tvm:-239')
  await t.notThrowsAsync(connect().verifyChain())
  const test = connectTon([node.url], 20_000, 'testnet')
  t.is(test.caip2, 'tvm:-3')
  await t.throwsAsync(test.verifyChain(), { message: 'ton: RPC URL 1 of 1 serves chain -239, configured is -3' })
  const testNode = await startTonNode(sandbox, { globalId: -3 })
  t.teardown(testNode.stop)
  await t.notThrowsAsync(connectTon([testNode.url], 20_000, 'testnet').verifyChain())
})

test.serial('heights and hashes are those of the masterchain, and say what each provider has', async (t) => {
  const chain = connectTon([node.url, 'http://127.0.0.1:1'])
  const head = await chain.head()
  t.is(await chain.hashAt(head.height), head.hash)
  t.regex(head.hash, /^[0-9a-f]{64}$/)
  t.is(await chain.hashAt(head.height + 1), undefined)
  t.deepEqual(await chain.tips(), [head, undefined])
  t.deepEqual(await chain.hashesAt(head.height), [head.hash, undefined])
})

test.serial('after a pause, 500 blocks are read without loss in two calls each', async (t) => {
  const { height } = await connect().head()
  const paid: string[] = []
  for (let n = 0; n < 5; n++) {
    sandbox.mine(98)
    paid.push(await payTon(sandbox, n % 2 ? a : b, BigInt(n + 1)))
    paid.push(await payJetton(sandbox, TON_USDT, n % 2 ? a : b, BigInt(n + 1)))
  }
  const before = node.calls.length
  const found = await connect().transfersIn(height + 1, height + 500, new Set(receivers))
  t.deepEqual(
    found.map(({ tx }) => tx),
    paid,
  )
  t.true(node.calls.length - before <= 2 * 500 + 20, `${node.calls.length - before} calls`)
  const message = `ton: a range is at most ${TON_RANGE_MAX_BLOCKS} blocks from block 0 on`
  for (const [from, to] of [
    [1, 1 + TON_RANGE_MAX_BLOCKS],
    [-1, 1],
    [0.5, 1],
  ] as const)
    await t.throwsAsync(connect().transfersIn(from, to, new Set(receivers)), { message })
})
