import test from 'ava'
import { fixedRates } from '../../../adapters/rates/quotes/fixed.ts'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { BALANCE_ADDRESSES_MAX } from '../../../domain/use-cases/selling/challenges/own-balances.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepTest } from '../../support/deep-test.ts'
import { freshAddress, inLine, USDC } from '../../support/sale.ts'
import { activeSeller, ok } from '../../support/seller.ts'

/** get-balances of the merchant console, on a real EVM chain with the test token. Of other chains none is connected. */

const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
/** Beyond what a double holds exactly. */
const WEI = 9_007_199_254_740_993n

let app: TestApp
let aheadMs = 0
test.before(async () => {
  app = await startApp({ world: { now: () => new Date(Date.now() + aheadMs) } })
  await app.anvil.deployToken(USDC, 10n ** 30n)
})
test.after.always(() => app?.stop())

test.serial(
  'M-SET-06 N-63 a merchant sees what its addresses hold, coin by coin and all addresses together, and what that is worth',
  async (t) => {
    const { key, ...m } = await merchant('eth', 'usdc', 'btc')
    const own = freshAddress()
    await app.anvil.deployToken(own, 10n ** 30n)
    const token = { type: 'erc-20', contract_address: own, decimals: 18, name: 'Points', rate: '0.5' }
    await ok(app.call('POST', '/v1/custom-tokens', { key, body: { ...token, code: 'points' } }))
    await setWallet(key, 'points', m.first)
    await ok(app.call('PUT', '/v1/settings', { key, body: { currency: 'EUR' } }))
    await app.anvil.send(m.first, WEI)
    await app.anvil.send(m.second, 10n ** 18n)
    await app.anvil.sendToken(USDC, m.second, 2_500_001n)
    await app.anvil.sendToken(own, m.first, 3n * 10n ** 18n + 1n)

    const { balances, total_fiat, currency } = await balancesOf(key)
    const [ether, euro] = await Promise.all(['eth', 'EUR'].map((code) => fixedRates().usdPer(code)))
    const inEuro = (units: bigint, decimals: number, rate: string) =>
      (units * 10n ** 6n * toUnits(rate, 12)) / (toUnits(euro ?? '', 12) * 10n ** BigInt(decimals))
    const worths = [
      inEuro(10n ** 18n + WEI, 18, ether ?? ''),
      inEuro(2_500_001n, 6, '1'),
      inEuro(3n * 10n ** 18n + 1n, 18, '0.5'),
    ]
    const [eth, usdc, points] = worths.map((worth) => toDecimal(worth, 6))
    t.deepEqual(balances, {
      eth: { amount: '1.009007199254740993', fiat: eth, currency: 'EUR', addresses: 2 },
      usdc: { amount: '2.500001', fiat: usdc, currency: 'EUR', addresses: 2 },
      points: { amount: '3.000000000000000001', fiat: points, currency: 'EUR', addresses: 1 },
      btc: { amount: null, fiat: null, currency: 'EUR', addresses: 1 },
    })
    const total = worths.reduce((sum, worth) => sum + worth, 0n)
    t.deepEqual([total_fiat, currency], [toDecimal(total, 6), 'EUR'])
  },
)

deepTest.serial(
  'M-SET-06 an answer is kept for some seconds, and a paused or removed coin is left out at once',
  async (t) => {
    const { key, first } = await merchant('eth', 'usdc')
    const eth = async () => (await balancesOf(key)).balances.eth?.amount
    t.is(await eth(), '0')
    await app.anvil.send(first, 5n)
    t.is(await eth(), '0')
    aheadMs += 15_000
    t.is(await eth(), '0.000000000000000005')
    await ok(app.call('PUT', '/v1/wallets?asset=eth', { key, body: { active: false } }))
    t.deepEqual(Object.keys((await balancesOf(key)).balances), ['usdc'])
    await ok(app.call('DELETE', '/v1/wallets?asset=usdc', { key }))
    t.deepEqual(await balancesOf(key), { balances: {}, total_fiat: '0', currency: 'USD' })
  },
)

test('X-TEN-01 M-SET-06 a merchant sees its own addresses only', async (t) => {
  const [one, other] = await Promise.all([merchant('eth'), merchant('eth')])
  await inLine(() => app.anvil.send(one.first, 7n))
  t.is((await balancesOf(one.key)).balances.eth?.amount, '0.000000000000000007')
  t.is((await balancesOf(other.key)).balances.eth?.amount, '0')
})

deepTest('M-SET-06 a token that tells no balance, and one without a price, cost the other coins nothing', async (t) => {
  const { key, first } = await merchant('eth')
  const silent = { type: 'erc-20', contract_address: freshAddress(), decimals: 6, name: 'Silent', rate: '1' }
  const unpriced = { type: 'erc-20', contract_address: USDC, decimals: 6, name: 'Unpriced' }
  for (const [code, token] of Object.entries({ silent, unpriced })) {
    await ok(app.call('POST', '/v1/custom-tokens', { key, body: { ...token, code } }))
    await setWallet(key, code, first)
  }
  const { balances, total_fiat } = await balancesOf(key)
  t.like(balances.silent, { amount: null, fiat: null, addresses: 1 })
  t.like(balances.unpriced, { amount: '0', fiat: null, addresses: 1 })
  t.like(balances.eth, { amount: '0', fiat: '0' })
  t.is(total_fiat, '0')
})

deepTest(
  'M-SET-06 so many addresses are asked about in one call, and a coin is told of as a whole or not at all',
  async (t) => {
    const { key } = await activeSeller(app)
    const many = (count: number) => Array.from({ length: count }, freshAddress).join()
    const half = BALANCE_ADDRESSES_MAX / 2
    for (const [asset, count] of [
      ['eth', half],
      ['usdc', half],
      ['usdt', 1],
    ] as const)
      await setWallet(key, asset, many(count))
    const { balances } = await balancesOf(key)
    t.like(balances.usdt, { addresses: 1 })
    t.deepEqual([balances.eth?.addresses, balances.usdc?.addresses], [half, half])
    t.is([balances.eth, balances.usdc].filter((balance) => balance?.amount === null).length, 1)
  },
)

test('M-AUT-03 only a live key is told, and what is no form is refused', async (t) => {
  const { key } = await merchant('eth')
  t.like(await form('function=get-balances', {}), { status: 401, json: { error_code: 'api-key-not-found' } })
  t.is((await form('function=get-balances', { 'x-api-key': `${key}x` })).status, 401)
  const sandbox = await ok(app.call('POST', '/v1/sandbox-keys', { key, body: { kind: 'secret' } }))
  const refused = await form('function=get-balances', { 'x-api-key': sandbox.json.api_key })
  t.like(refused.json, { success: false, error_code: 'svc_sandbox_key_rejected' })
  t.is((await form('function=get-balances&function=get-balances', { 'x-api-key': key })).status, 400)
})

type Balances = {
  balances: Record<string, { amount: string | null; fiat: string | null; currency: string; addresses: number }>
  total_fiat: string | null
  currency: string
}

const form = (body: string, headers: Record<string, string>) =>
  app.call('POST', '/api.php', { body, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } })

const balancesOf = async (key: string): Promise<Balances> => {
  const { json } = await ok(form('function=get-balances', { 'x-api-key': key }))
  return json.response
}

const setWallet = (key: string, asset: string, address: string) =>
  ok(app.call('POST', '/v1/wallets', { key, body: { asset, address } }))

/** Two addresses of its own for each coin of the EVM chain. */
const merchant = async (...assets: readonly string[]) => {
  const { key } = await activeSeller(app)
  const [first, second] = [freshAddress(), freshAddress()]
  for (const asset of assets) await setWallet(key, asset, asset === 'btc' ? BTC : `${first},${second}`)
  return { key, first, second }
}
