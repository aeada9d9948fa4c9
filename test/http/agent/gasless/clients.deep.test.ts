import test from 'ava'
import { bitcoinNode, makeBlock } from '../../../chains/bitcoin-node.ts'
import { fakeNode } from '../../../chains/fake-node.ts'
import { startAnvil } from '../../../support/anvil.ts'
import { startApp, type TestApp } from '../../../support/app.ts'
import { hasClients, startClients, startSeller } from '../../../support/clients.ts'
import { authorize, type GaslessChain, startGaslessChain } from '../../../support/gasless.ts'
import { startLiteSolana } from '../../../support/lite-svm.ts'
import { freshAddress, saidOf } from '../../../support/sale.ts'
import { activeSeller, ok } from '../../../support/seller.ts'
import { encoded, type Requirement, v1Payload, v2Payload } from '../../../support/signed-sale.ts'
import { startTonNode } from '../../../support/ton-node.ts'
import { startTonSandbox } from '../../../support/ton-sandbox.ts'
import { startTronNode } from '../../../support/tron-node.ts'

/** Third-party x402 clients and sellers' libraries, unmodified, against the service and real chains. */

const withClients = hasClients() ? test.serial : test.serial.skip

/** What the clients pay by themselves, and more than the gas. */
const PRICE = 0.5

let app: TestApp
let chain: GaslessChain
let clients: Awaited<ReturnType<typeof startClients>>
const stops: (() => unknown)[] = []

test.before(async () => {
  if (!hasClients()) return
  clients = await startClients()
  chain = await startGaslessChain()
  await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 1_000_000n })
  await chain.mine(1)
  app = await startApp({ env: { ...chain.env, ...(await otherChains()) } })
})
test.after.always(async () => {
  await clients?.stop()
  await app?.stop()
  await chain?.stop()
  for (const stop of stops) await stop()
})

for (const client of ['x402-fetch', 'x402-axios', '@x402/fetch', '@x402/fetch for both versions', '@x402/axios'])
  withClients(
    `J-DOOR-05 J-DOOR-10 J-GAS-01 N-42 ${client} pays for a resource that is sold for BTC, SOL, TRX, TON and more too`,
    async (t) => {
      const s = await everyCoinShop()
      for (const url of [s.url, s.checkout]) {
        const payer = await chain.payer(5_000_000n)
        const { status, body, settlement } = await clients.pay(client, url, payer.key)
        t.deepEqual([status, (body as { settled: boolean }).settled], [200, true])
        t.like(settlement, { success: true, payer: payer.address })
      }
      t.is((await saidOf(app, 'ChallengeSettled', s.resId)).length, 2)
      t.true((await chain.balance(s.address)) >= 1_000_000n)
    },
  )

for (const [library, client] of [
  ['x402-express', 'x402-fetch'],
  ['@x402/express', '@x402/fetch'],
] as const)
  withClients(
    `N-42 J-GAS-06 a shop of ${library} has Daybook for its facilitator: a payment buys there, and buys once`,
    async (t) => {
      const { key } = await activeSeller(app)
      const address = freshAddress()
      await ok(app.call('POST', '/v1/wallets', { key, body: { asset: 'usdc_base', address } }))
      const shop = await startSeller(library, `${app.served().origin}/v1/x402`, address, { price: `$${PRICE}`, key })
      t.teardown(() => shop.stop())
      const payer = await chain.payer(5_000_000n)
      const { status, body, settlement } = await clients.pay(client, shop.url, payer.key)
      t.deepEqual([status, body], [200, { paid: true }])
      t.like(settlement, { success: true, payer: payer.address })
      t.is(await chain.balance(address), 500_000n)

      const answers = await bought(shop.url, library)
      t.is(answers.filter((each) => each === 200).length, 1, answers.join())
      t.is(await chain.balance(address), 1_000_000n)
      const { json } = await ok(app.call('GET', '/v1/settlements', { key }))
      t.is(json.settlements.length, 2)

      const poor = await chain.payer(0n)
      t.not((await clients.pay(client, shop.url, poor.key)).status, 200)
    },
  )

withClients('N-42 a shop whose wallet is not that of its key sells nothing', async (t) => {
  const { key } = await activeSeller(app)
  const shop = await startSeller('x402-express', `${app.served().origin}/v1/x402`, freshAddress(), {
    price: `$${PRICE}`,
    key,
  })
  t.teardown(() => shop.stop())
  const payer = await chain.payer(5_000_000n)
  t.is((await clients.pay('x402-fetch', shop.url, payer.key)).status, 402)
  t.is(await chain.balance(payer.address), 5_000_000n)
})

/** Sends one payment three times at once and once more; answers the statuses. */
const bought = async (url: string, library: string): Promise<number[]> => {
  const asked = await fetch(url)
  const header = asked.headers.get('payment-required')
  const v2 = header === null ? undefined : JSON.parse(Buffer.from(header, 'base64').toString())
  const [entry] = (v2 ?? (await asked.json())).accepts as (Requirement & { amount?: string })[]
  if (!entry) throw new Error(`${library} asks for nothing`)
  const value = BigInt(entry.amount ?? entry.maxAmountRequired)
  const signed = await authorize(await chain.payer(5_000_000n), { to: entry.payTo, value })
  const headers: Record<string, string> = v2
    ? { 'payment-signature': encoded(v2Payload(signed, entry, url)) }
    : { 'x-payment': encoded(v1Payload(signed)) }
  const send = async () => (await fetch(url, { headers })).status
  const together = await Promise.all([send(), send(), send()])
  return [...together, await send()]
}

const WALLETS = {
  btc: 'bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh',
  sol: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  trx: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
  ton: 'UQAaGHUHfkpWFGs428ETmym4vbvRNxCA1o4sTkwqigKjgaJ6',
}

/** Paid in every coin whose chain is there. */
const everyCoinShop = async () => {
  everyCoinSeller ??= sellerOfEveryCoin()
  const { key, address, wallets } = await everyCoinSeller
  const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount: PRICE } }))
  const url = `${app.served().origin}/r/${json.res_id}`
  const { json: asked } = await app.call('GET', `/r/${json.res_id}`)
  const offered = asked.accepts.map(({ code }: { code: string }) => code).sort()
  if (offered.join() !== Object.keys(wallets).sort().join()) throw new Error(`only ${offered} are offered`)
  return { resId: json.res_id as string, url, checkout: json.checkout_url as string, address }
}

const BITCOIN_GENESIS = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'

const otherChains = async () => {
  const bitcoin = await fakeNode('', bitcoinNode([{ hash: BITCOIN_GENESIS, hex: '' }, makeBlock(BITCOIN_GENESIS)]))
  const solana = await startLiteSolana()
  const ton = await startTonNode(await startTonSandbox())
  const anvil = await startAnvil({ chainId: 728126428 })
  const tron = await startTronNode({ rpcUrl: anvil.url })
  stops.push(
    () => tron.close(),
    () => anvil.stop(),
    () => bitcoin.close(),
    () => solana.stop(),
    () => ton.stop(),
  )
  return {
    CHAIN_BTC_RPC: bitcoin.url,
    CHAIN_TON_RPC: ton.url,
    CHAIN_TRX_RPC: tron.url,
    CHAIN_SOL_RPC: solana.url,
    CHAIN_SOL_ID: 'localnet',
  }
}

/** One for all clients, because an address is one account's alone. */
let everyCoinSeller: ReturnType<typeof sellerOfEveryCoin> | undefined
const sellerOfEveryCoin = async () => {
  const { key } = await activeSeller(app)
  const address = freshAddress()
  const wallets = { ...WALLETS, eth: address, usdc: address, usdc_base: address }
  for (const [asset, own] of Object.entries(wallets))
    await ok(app.call('POST', '/v1/wallets', { key, body: { asset, address: own } }))
  return { key, address, wallets }
}
