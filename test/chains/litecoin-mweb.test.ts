import test from 'ava'
import { bitcoinChain } from '../../adapters/chains/bitcoin/bitcoin.ts'
import { type Litecoind, litecoindPath, litecoinRegtest, startLitecoind } from '../support/litecoind.ts'

/**
 * Since 2022 Litecoin's blocks carry an extension block, MWEB (LIP-0002, LIP-0003), and a last transaction that plain
 * parsing refuses.
 */

const onNode = litecoindPath() ? test.serial : test.serial.skip
const script = Buffer.from(`0014${'31'.repeat(20)}`, 'hex')
const receiver = 'rltc1qxycnzvf3xycnzvf3xycnzvf3xycnzvf3vjyp35'

let node: Litecoind
test.before(async () => {
  if (litecoindPath()) node = await startLitecoind({ mweb: true })
})
test.after.always(() => node?.stop())

const connect = () => bitcoinChain({ network: 'ltc', chain: litecoinRegtest(), rpcUrls: [node.url], timeoutMs: 20_000 })

onNode(
  'J-GEN-05 a payment beside the extension block is found, and every block since it began is read whole',
  async (t) => {
    const chain = connect()
    const tx = await node.send({ script, amount: 70_000_001n })
    await node.mine(1)
    const { height } = await chain.head()
    const found = await chain.transfersIn(430, height, new Set([receiver]))
    t.deepEqual(
      found.map((transfer) => [transfer.tx, transfer.amount, transfer.height]),
      [[tx, 70_000_001n, height]],
    )
    t.deepEqual(
      (await chain.transfersOf(tx))?.filter(({ to }) => to === receiver),
      [...found],
    )
  },
)

onNode('coins that leave the extension block for an address are a payment, by range and by hash', async (t) => {
  const chain = connect()
  const { height } = await chain.head()
  // With every open coin locked away, only hidden ones are left to pay with.
  const coins = await node.call<{ txid: string; vout: number; address: string }[]>('listunspent')
  const open = coins.filter((coin) => !coin.address.startsWith('tmweb'))
  await node.call(
    'lockunspent',
    false,
    open.map(({ txid, vout }) => ({ txid, vout })),
  )
  await node.call('sendtoaddress', receiver, 1.5)
  await node.mine(1)
  const found = await chain.transfersIn(height + 1, height + 1, new Set([receiver]))
  t.is(found[0]?.amount, 150_000_000n)
  t.deepEqual(
    (await chain.transfersOf(found[0]?.tx ?? ''))?.filter(({ to }) => to === receiver),
    [...found],
  )
  const block = await node.call<{ tx: string[] }>('getblock', found[0]?.blockHash)
  t.is(found[0]?.tx, block.tx.at(-1))
})
