/** Real clients before the envelope: whether they take it, and whether what they send is understood. */
import test, { type ExecutionContext } from 'ava'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import type { PaymentWay } from '../../adapters/x402/envelope.ts'
import { isSignedByPayer } from '../../adapters/x402/judge.ts'
import { tokenDomainOf } from '../../adapters/x402/tokens.ts'
import { hasClients, startClients, startSeller } from '../support/clients.ts'
import { cases } from '../support/depth.ts'
import { FIXTURE_HASH, startDoor } from './fixture-door.ts'
import { startFacilitator } from './fixture-facilitator.ts'
import { SELLER } from './payments.ts'
import { BTC, coins, orders, SOL, TON, TRX, USDC_ARB, USDC_BASE, USDC_SEPOLIA } from './ways.ts'

type Clients = Awaited<ReturnType<typeof startClients>>

/** The first of each version is run each time, the others in the deep run. */
const V1 = cases(['x402-fetch', 'x402-axios'], 2)
const V2 = cases(['@x402/fetch', '@x402/fetch for both versions', '@x402/axios'], 3)

const withClients = hasClients() ? test.serial : test.serial.skip
let clients: Clients
let door: Awaited<ReturnType<typeof startDoor>>

test.before(async () => {
  if (!hasClients()) return
  clients = await startClients()
  door = await startDoor()
})
test.after.always(async () => {
  await clients?.stop()
  await door?.stop()
})

for (const client of [...V1, ...V2]) {
  withClients(
    `J-DOOR-05 J-GAS-01 N-42 ${client} pays where BTC, SOL, TRX and TON are taken too, in every order`,
    async (t) => {
      const all = [BTC, SOL, TRX, TON, USDC_SEPOLIA]
      for (const ways of orders(all)) await paysWith(t, client, ways, USDC_SEPOLIA)
    },
  )

  withClients(`J-DOOR-10 N-42 ${client} pays on Base itself, and wherever the page is`, async (t) => {
    await paysWith(t, client, [...coins, USDC_BASE], USDC_BASE, '?cloud=1&agent=1')
  })

  withClients(`N-42 ${client} sends nothing where nothing is gasless`, async (t) => {
    await sendsNothing(t, client, coins)
  })
}

for (const client of V1)
  withClients(`N-42 ${client} sends nothing for a chain that its version cannot name`, async (t) => {
    await sendsNothing(t, client, [...coins, USDC_ARB])
  })

for (const client of V2)
  withClients(`N-42 ${client} pays on a chain that version 1 cannot name`, async (t) => {
    await paysWith(t, client, [...coins, USDC_ARB], USDC_ARB)
  })

for (const [library, client] of [
  ['x402-express', 'x402-fetch'],
  ['@x402/express', '@x402/fetch'],
] as const)
  withClients(`N-42 a shop of ${library} and its buyer understand what a facilitator answers here`, async (t) => {
    const facilitator = await startFacilitator()
    const seller = await startSeller(library, facilitator.url, SELLER)
    t.teardown(() => Promise.all([seller.stop(), facilitator.stop()]))
    const key = generatePrivateKey()
    const { status, body, settlement } = await clients.pay(client, seller.url, key)
    t.deepEqual([status, body], [200, { paid: true }])
    t.like(settlement, { success: true, transaction: FIXTURE_HASH, payer: privateKeyToAddress(key) })
    t.deepEqual(facilitator.calls.slice(-2), ['/verify', '/settle'])
  })

/** The client pays the gasless way, and the payment that it sends is read and was signed by it. */
const paysWith = async (
  t: ExecutionContext,
  client: string,
  ways: readonly PaymentWay[],
  way: PaymentWay,
  query = '',
): Promise<void> => {
  const key = generatePrivateKey()
  door.offer(ways)
  const { status, settlement } = await clients.pay(client, door.url + query, key)
  t.is(status, 200)
  const payer = privateKeyToAddress(key)
  t.like(settlement, { success: true, transaction: FIXTURE_HASH, payer })
  const [read, ...more] = door.sent()
  t.deepEqual(more, [])
  if (read?.kind !== 'payment') return t.fail(JSON.stringify(read))
  const { payment } = read
  t.like(payment.authorization, { from: payer, to: way.address, value: way.amountAtomic })
  t.is(payment.caip2, way.chain)
  const domain = tokenDomainOf(way.chain, way.contract ?? '')
  t.true(domain && isSignedByPayer(payment, domain))
  t.is(payment.version, V1.includes(client) ? 1 : 2)
  if (payment.version === 2) t.is(payment.accepted?.challengeId, way.challengeId)
}

const sendsNothing = async (t: ExecutionContext, client: string, ways: readonly PaymentWay[]): Promise<void> => {
  door.offer(ways)
  await t.throwsAsync(clients.pay(client, door.url, generatePrivateKey()))
  t.deepEqual(door.sent(), [])
}
