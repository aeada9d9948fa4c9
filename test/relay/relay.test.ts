import test from 'ava'
import { evmChain } from '../../adapters/chains/evm.ts'
import { watchGas } from '../../adapters/relay/gas-watch.ts'
import { createRelayQueue } from '../../adapters/relay/queue.ts'
import { createRelayChain } from '../../adapters/relay/relay-chain.ts'
import { createRelayer } from '../../adapters/relay/relayer.ts'
import { createWallet } from '../../adapters/relay/wallet.ts'
import { eventStoreDb } from '../../adapters/store/eventstoredb.ts'
import type { Flow } from '../../domain/flows/flow.ts'
import { takeAuthorization } from '../../domain/flows/take-authorization.ts'
import { eventually } from '../../src/demo/eventually.ts'
import { world } from '../../src/world.ts'
import { flow as baseFlow } from '../domain/flow-setup.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { authorize, BASE_SEPOLIA, type GaslessChain, startGaslessChain } from '../support/gasless.ts'
import { ledgerOn } from '../support/ledger.ts'
import { freshAddress } from '../support/sale.ts'
import { activeSeller, ok } from '../support/seller.ts'

let chain: GaslessChain
let app: TestApp
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ env: chain.env })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

const log = { warn: console.error, error: console.error }

/** Another process beside the service: it takes payments, and leaves carrying them out to it. */
const taking = async (signal: AbortSignal) => {
  const store = eventStoreDb(app.env.EVENTSTORE_URL ?? '')
  const network = { id: String(BASE_SEPOLIA), caip2: `eip155:${BASE_SEPOLIA}`, test: true }
  const asks = createRelayChain({ network: 'base', chainId: BASE_SEPOLIA, urls: [chain.url] })
  const { address } = createWallet(chain.relayer.privateKey, BASE_SEPOLIA)
  const gas = watchGas({ chain: asks, address, rate: async () => '2500', log, network: 'base' }, signal)
  await gas.first
  const relayer = createRelayer({ network: 'base', chain: network, address, asks, gas, queue: createRelayQueue() })
  const flow: Flow = {
    ...baseFlow(store, world as never),
    ledger: ledgerOn(store, world as never),
    chains: new Map([['base', evmChain({ network: 'base', chain: network, rpcUrls: [chain.url] })]]),
    relayers: new Map([['base', relayer]]),
  }
  return { flow, store }
}

test('J-GAS-02 200 signed payments at once are all carried out, none twice', async (t) => {
  const closing = new AbortController()
  const { flow, store } = await taking(closing.signal)
  t.teardown(async () => {
    closing.abort()
    await store.close()
  })
  const { key } = await activeSeller(app)
  const address = freshAddress()
  await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address } }))
  const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 1 } }))
  const resource = await flow.ledger.resource.read(json.res_id)
  if (resource.status === 'none') throw new Error('no resource')
  const sale = { ...resource, resId: json.res_id as string, cap: resource.maxPerCaller }
  const payers = await Promise.all(Array.from({ length: 200 }, () => chain.payer(5_000_000n)))
  const signed = await Promise.all(payers.map((payer) => authorize(payer, { to: address, value: 1_000_000n })))
  const start = performance.now()
  const taken = await Promise.all(
    signed.map((authorization) =>
      takeAuthorization(flow, sale, { authorization, challengeId: undefined, exactly: false }),
    ),
  )
  t.deepEqual(
    taken.filter(({ fault }) => fault !== undefined),
    [],
  )
  const took = performance.now() - start
  await eventually('the money', async () => (await chain.balance(address)) === 200_000_000n || undefined)
  const mined = performance.now() - start
  const settled = async () => (await app.call('GET', '/v1/settlements?limit=200', { key })).json.settlements.length
  await eventually('200 settlements', async () => (await settled()) === 200, 20_000)
  t.log(`taken ${took} mined ${mined} settled ${performance.now() - start}`)
  const all = (await app.call('GET', '/v1/settlements?limit=200', { key })).json.settlements
  t.true(all.every(({ status }: { status: string }) => status === 'settled'))
})
