import test from 'ava'
import type { Hex } from 'viem'
import { startApp, type TestApp } from '../../../support/app.ts'
import { type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { askJsonRpc, serveJsonRpc } from '../../../support/json-rpc-server.ts'
import { saidOf } from '../../../support/sale.ts'
import { payWith, signedShop, signFor } from '../../../support/signed-sale.ts'

/** A node that says what it likes of the tip, which whoever makes the block gets in full. */

/** 10,000 gwei: two dollars for each thousand gas. */
const ABSURD = 10n ** 13n
/** A tenth of a dollar for a usual payment of 80,000 gas, with ether at 2,500 dollars: half a gwei. */
const MOST = 500_000_000n

let app: TestApp
let chain: GaslessChain
let suggested = ABSURD
let stopNode: () => void
test.before(async () => {
  chain = await startGaslessChain()
  const node = await serveJsonRpc((method, params) =>
    method === 'eth_maxPriorityFeePerGas' ? `0x${suggested.toString(16)}` : askJsonRpc(chain.url, method, params),
  )
  stopNode = node.close
  app = await startApp({ env: { ...chain.env, CHAIN_BASE_RPC: node.url, RELAY_LOSS_PER_HOUR: 'network=1' } })
})
test.after.always(async () => {
  await app?.stop()
  stopNode?.()
  await chain?.stop()
})

/** The tip of a payment that somebody signs, and what its block was paid for each gas beyond the base fee. */
const tipOfSale = async () => {
  const s = await signedShop(app, { amount: 2 })
  const signed = await signFor(app, await chain.payer(5_000_000n), s.path)
  const { status } = await payWith(app, s.path, signed)
  const [sent] = await saidOf(app, 'RelayTransactionSent', signed.nonce)
  const receipt = await chain.client.getTransactionReceipt({ hash: sent?.hash as Hex })
  const { baseFeePerGas } = await chain.client.getBlock({ blockHash: receipt.blockHash })
  return { status, said: sent?.maxPriorityFeePerGas, paid: receipt.effectiveGasPrice - (baseFeePerGas ?? 0n) }
}

test.serial(
  'N-174 a tip costs a tenth of what the network may lose in an hour, whatever the node suggests',
  async (t) => {
    t.deepEqual(await tipOfSale(), { status: 200, said: String(MOST), paid: MOST })
  },
)

test.serial('N-174 a tip that is not too high is paid as the node suggests it', async (t) => {
  suggested = MOST / 5n
  await app.restart()
  t.deepEqual(await tipOfSale(), { status: 200, said: String(MOST / 5n), paid: MOST / 5n })
})
