import test, { type ExecutionContext } from 'ava'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { evmChain } from '../../adapters/chains/evm/evm.ts'
import { watchGas } from '../../adapters/relay/gas-watch.ts'
import { createRelayQueue } from '../../adapters/relay/queue.ts'
import { createRelayChain } from '../../adapters/relay/relay-chain.ts'
import { createRelayer } from '../../adapters/relay/relayer.ts'
import { createWallet } from '../../adapters/relay/wallet.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import type { Authorization } from '../../domain/selling/authorization-terms.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { takeAuthorization } from '../../domain/use-cases/gasless/take-authorization.ts'
import { eventually } from '../../src/demo/stage.ts'
import { world } from '../../src/settings/world.ts'
import { flow as baseFlow } from '../domain/flow-setup.ts'
import { startApp, storeUrlOf, type TestApp } from '../support/app.ts'
import { deepTest } from '../support/deep-test.ts'
import { runs } from '../support/depth.ts'
import {
  authorize,
  BASE_SEPOLIA,
  cancellation,
  type GaslessChain,
  startGaslessChain,
  TEST_USDC,
} from '../support/gasless.ts'
import { ledgerOn } from '../support/ledger.ts'
import { freshAddress, saidOf } from '../support/sale.ts'
import { activeSeller, ok } from '../support/seller.ts'
import { startService } from '../support/service.ts'

let chain: GaslessChain
let app: TestApp
test.before(async () => {
  chain = await startGaslessChain()
  app = await startApp({ store: 'eventstoredb', env: chain.env })
})
test.after.always(async () => {
  await app?.stop()
  await chain?.stop()
})

const log = { warn: console.error, error: console.error }

/** Another process beside the service: it takes payments, and leaves carrying them out to it. */
const taking = async (signal: AbortSignal) => {
  const store = eventStoreDb(storeUrlOf(app))
  const network = { id: String(BASE_SEPOLIA), caip2: `eip155:${BASE_SEPOLIA}`, test: true }
  const asks = createRelayChain({ network: 'base', chainId: BASE_SEPOLIA, urls: [chain.url], timeoutMs: 20_000 })
  const { address } = createWallet(chain.relayer.privateKey, BASE_SEPOLIA)
  const watching = { chain: asks, address, rate: async () => '2500', tipUsdMax: DOLLAR, log, network: 'base' }
  const gas = watchGas(watching, signal)
  await gas.first
  const relayer = createRelayer({ network: 'base', chain: network, address, asks, gas, queue: createRelayQueue() })
  const flow: UseCaseContext = {
    ...baseFlow(store, world as never),
    ledger: ledgerOn(store, world as never),
    chains: new Map([['base', evmChain({ network: 'base', chain: network, rpcUrls: [chain.url], timeoutMs: 20_000 })]]),
    relayers: new Map([['base', relayer]]),
  }
  return { flow, store }
}

/** A shop that sells for a dollar, and what somebody needs to take payments for it. */
const openShop = async (t: ExecutionContext) => {
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
  const resId = json.res_id as string
  const resource = await flow.ledger.resource.read(resId)
  if (resource.status === 'none') throw new Error('there is no resource')
  const sale = { ...resource, resId, cap: resource.maxPerCaller }
  const take = (authorization: Authorization) =>
    takeAuthorization(flow, sale, { authorization, challengeId: undefined, exactly: false })
  return { key, address, take }
}

const PAYMENTS = runs({ quick: 8, deep: 200 })

/** As many payers, each with a dollar and its signature. */
const signedBy = async (to: string, count = PAYMENTS) => {
  const payers = await Promise.all(Array.from({ length: count }, () => chain.payer(DOLLAR)))
  return Promise.all(payers.map((payer) => authorize(payer, { to, value: DOLLAR })))
}
const DOLLAR = 1_000_000n

const settlementsOf = async (key: string): Promise<{ status: string; payer: string }[]> =>
  (await ok(app.call('GET', '/v1/settlements?limit=500', { key }))).json.settlements

const allSettledOnce = async (t: ExecutionContext, key: string, address: string) => {
  await eventually('every payment settles', async () => (await settlementsOf(key)).length >= PAYMENTS, SETTLE_MS)
  const settlements = await settlementsOf(key)
  t.is(settlements.filter(({ status }) => status === 'settled').length, PAYMENTS)
  t.is(new Set(settlements.map(({ payer }) => payer)).size, PAYMENTS)
  t.is(await chain.balance(address), BigInt(PAYMENTS) * DOLLAR)
}
const SETTLE_MS = 60_000
/** Blocks more that Base asks for before what is gone counts as gone. */
const GONE_AFTER = 6

test.serial('N-42 many signed payments at once through one relayer all settle, none twice', async (t) => {
  const { key, address, take } = await openShop(t)
  const taken = await Promise.all((await signedBy(address)).map(take))
  t.deepEqual(
    taken.filter(({ fault }) => fault !== undefined),
    [],
  )
  await allSettledOnce(t, key, address)
})

test.serial('J-GAS-08 how many signed payments wait, and how long the oldest has, is said', async (t) => {
  const { take, address } = await openShop(t)
  const [signed] = (await signedBy(address, 1)) as [Authorization]
  const shown = async () => (await app.call('GET', '/readyz')).json.checks.relayers.base
  await chain.client.setAutomine(false)
  try {
    t.is((await take(signed)).fault, undefined)
    await eventually('it waits', async () => (await shown()).oldest_seconds >= 1, SETTLE_MS)
    t.is((await shown()).waiting, 1)
    const metrics = await (await fetch(app.served().metricsUrl)).text()
    t.regex(metrics, /daybook_relayer_oldest_seconds\{network="base"\} [1-9]/)
  } finally {
    await chain.client.setAutomine(true)
  }
  await chain.mine(1)
  await eventually('none waits', async () => (await shown()).oldest_seconds === null, SETTLE_MS)
})

deepTest.serial(
  'N-42 with the service killed in the middle, many signed payments all settle, none twice',
  async (t) => {
    const { key, address, take } = await openShop(t)
    const signed = await signedBy(address)
    const paid = async () => (await chain.balance(address)) / DOLLAR
    await app.restart(async () => {
      const service = await startService(app.env)
      const taken = Promise.all(signed.map(take))
      await eventually('some are carried out', async () => (await paid()) > 0n, SETTLE_MS)
      await service.kill()
      t.deepEqual(
        (await taken).filter(({ fault }) => fault !== undefined),
        [],
      )
      t.log(`killed when ${await paid()} of ${PAYMENTS} were carried out`)
    })
    await allSettledOnce(t, key, address)
  },
)

/** One payment, carried out or not. */
const payOne = async (t: ExecutionContext) => {
  const { key, address, take } = await openShop(t)
  const payer = await chain.payer(DOLLAR)
  const taken = await take(await authorize(payer, { to: address, value: DOLLAR }))
  t.is(taken.fault, undefined)
  return {
    settled: () =>
      eventually(
        'it settles',
        async () => (await settlementsOf(key)).some(({ status }) => status === 'settled'),
        SETTLE_MS,
      ),
    paid: async () => (await chain.balance(address)) === DOLLAR,
    count: async () => (await settlementsOf(key)).length,
  }
}

test.serial('N-42 a payment whose block is reorganised away is sent again, and was settled once', async (t) => {
  const { settled, paid, count } = await payOne(t)
  await settled()
  await chain.reorg(1)
  t.false(await paid())
  await eventually('it is carried out again', paid, SETTLE_MS)
  t.is(await count(), 1)
})

test.serial('N-24 N-42 a sale whose block is reorganised away stays sold while it can be sent again', async (t) => {
  const { key, address, take } = await openShop(t)
  const payer = await chain.payer(DOLLAR)
  t.is((await take(await authorize(payer, { to: address, value: DOLLAR }))).fault, undefined)
  await eventually('it settles', async () => (await settlementsOf(key))[0]?.status === 'settled', SETTLE_MS)
  await chain.reorg(1)
  await eventually('it is carried out again', async () => (await chain.balance(address)) === DOLLAR, SETTLE_MS)
  await chain.mine(2 * GONE_AFTER)
  const moved = await eventually('the place', async () => {
    const [row] = await settlementsOf(key)
    return row?.status === 'settled' && row
  })
  t.is(moved.payer, payer.address)
  t.is((await saidOf(app, 'PaymentReversed', payer.address)).length, 0)
})

test.serial(
  'N-24 N-42 J-GAS-02 a sale whose block is reorganised away is taken back, with fee and gas, once its payer has cancelled it',
  async (t) => {
    const { key, address, take } = await openShop(t)
    const credit = async () => (await ok(app.call('GET', '/v1/me', { key }))).json.credit_balance
    const before = await credit()
    const payer = await chain.payer(DOLLAR)
    const authorization = await authorize(payer, { to: address, value: DOLLAR })
    t.is((await take(authorization)).fault, undefined)
    await eventually('it settles', async () => (await settlementsOf(key))[0]?.status === 'settled', SETTLE_MS)
    await eventually('gas is billed', async () => (await saidOf(app, 'CreditDebited', 'gasless-fee')).length > 0)
    await chain.client.setAutomine(false)
    await chain.reorg(1)
    await chain.client.request({ method: 'anvil_dropAllTransactions' } as never)
    const data = await cancellation(payer, authorization.nonce)
    // Dearer than what the relayer sends, so that it is mined first; but the node asks for its tip from then on.
    await chain.submit({ to: TEST_USDC, data, gasPrice: 20n * 10n ** 9n } as never)
    await chain.mine(1)
    await chain.client.setAutomine(true)
    await chain.mine(GONE_AFTER)
    await eventually('it is taken back', async () => (await settlementsOf(key))[0]?.status === 'reversed', SETTLE_MS)
    t.is(await chain.balance(address), 0n)
    await eventually('the credit', async () => Math.abs((await credit()) - before) < 1e-9, SETTLE_MS)
    const again = await take(authorization)
    t.is(again.fault === undefined && again.authorization.status, 'failed')
    t.is((await saidOf(app, 'AuthorizationReversed', payer.address)).length, 1)
  },
)

test.serial('N-42 a payment that falls behind a rising base fee is sent with a higher one', async (t) => {
  await chain.client.setAutomine(false)
  t.teardown(() => chain.client.setAutomine(true))
  const { settled, paid } = await payOne(t)
  await eventually('it is sent', async () => (await chain.client.getTxpoolStatus()).pending > 0, SETTLE_MS)
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 400n * 10n ** 9n })
  await chain.mine(1)
  t.false(await paid())
  const minedNow = async () => {
    await chain.mine(1)
    return paid()
  }
  await eventually('a dearer one is mined', minedNow, SETTLE_MS)
  await settled()
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
  await chain.mine(1)
})

deepTest.serial('N-42 a payment whose nonce something else has used is sent under another one', async (t) => {
  await chain.client.setAutomine(false)
  t.teardown(() => chain.client.setAutomine(true))
  const { settled } = await payOne(t)
  await eventually('it is sent', async () => (await chain.client.getTxpoolStatus()).pending > 0, SETTLE_MS)
  await chain.client.request({ method: 'anvil_dropAllTransactions' } as never)
  // The same key, in somebody else's hands, is faster.
  const other = privateKeyToAccount(chain.relayer.privateKey)
  const wallet = createWalletClient({ account: other, transport: http(chain.url) })
  await wallet.sendTransaction({ to: freshAddress() as Hex, value: 1n, chain: null, gasPrice: 10n ** 12n })
  await chain.mine(1)
  await chain.client.setAutomine(true)
  await settled()
})

test.serial('J-GAS-08 a relayer that runs out of coin says so, and goes on once it has some', async (t) => {
  const { address } = chain.relayer
  const shown = async () => (await app.call('GET', '/readyz')).json.checks.relayers.base
  const metrics = async () => (await fetch(app.served().metricsUrl)).text()
  await eventually('what was sent before is over', async () => (await shown()).waiting === 0, SETTLE_MS)
  t.like(await shown(), { status: 'ok', address, waiting: 0, oldest_seconds: null })
  t.true(BigInt((await shown()).balance) > 0n)
  t.regex(await metrics(), /daybook_relayer_short\{network="base"\} 0/)

  const balance = await chain.balanceOf(address)
  await chain.client.setBalance({ address: address as Hex, value: 1n })
  await eventually('it is short', async () => (await shown()).status === 'short', SETTLE_MS)
  t.regex(await metrics(), /daybook_relayer_short\{network="base"\} 1/)
  t.is((await app.call('GET', '/readyz')).status, 200)

  await chain.client.setBalance({ address: address as Hex, value: balance })
  await eventually('it is well again', async () => (await shown()).status === 'ok', SETTLE_MS)
})
