import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { startHook } from '../../../src/demo/hook.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  assertReplayEqual,
  freshAddress,
  inLine,
  me,
  postFor,
  type Shop,
  saidOf,
  shop,
  transactionOf,
  USDC,
  verify,
} from '../../support/sale.ts'
import { type Offer, ok } from '../../support/seller.ts'

/**
 * J-TOK-08 on a real EVM chain: the token of test-token.sol, which calls itself USDC wherever it lies, under contracts
 * of its own.
 */

type TokenOffer = Offer & { asset: string; contract: string; decimals: number; match: string }

const SUPPLY = 10n ** 40n
let app: TestApp
let prices: Awaited<ReturnType<typeof startHook>>
test.before(async () => {
  prices = await startHook()
  const { hostPort } = prices
  app = await startApp({ env: { PRICE_FEED_URL: `http://${hostPort}/feed` }, alsoAllow: hostPort })
  await app.anvil.deployToken(USDC, SUPPLY)
})
test.after.always(async () => {
  await app?.stop()
  await prices?.stop()
})

test.serial(
  'J-TOK-08 J-CHL-03 a payment in a custom token settles without any call, fee, record and delivery included',
  async (t) => {
    const s = await tokenShop({ decimals: 18, rate: '0.25' })
    const offer = await only(s, 10)
    t.like(offer, { asset: s.code, contract: s.contract, decimals: 18, match: 'amount' })
    t.regex(offer.amount, /^40\.0000\d\d$/)
    const hash = await pay(offer)
    await postFor(app, offer.challengeId)
    const [settled] = await saidOf(app, 'ChallengeSettled', offer.challengeId)
    t.like(settled?.transfer, { tx: hash, asset: s.contract })
    const record = await transactionOf(app, s.key, offer.challengeId)
    t.like(record, { status: 'C', hash, cryptocurrency: s.code, amount: offer.amount, amount_fiat: '10' })
    t.like(await me(app, s.key), { credit_balance: 4.98, total_earned: 10 })
    t.is(await app.anvil.tokenBalanceOf(s.contract, s.address), BigInt(offer.amountAtomic))
  },
)

test.serial(
  'J-TOK-08 J-VER-01 a payment in a custom token settles by its hash, pending until it has its confirmations',
  async (t) => {
    const s = await tokenShop({ decimals: 6, rate: '2', confirmations: 9 })
    const offer = await only(s, 10)
    t.is(offer.requiredConfirmations, 9)
    const hash = await inLine(() => app.anvil.sendToken(s.contract, offer.payTo, BigInt(offer.amountAtomic)))
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, {
      status: 'pending',
      confirmations: 1,
      required: 9,
    })
    await app.anvil.mine(7)
    await pause(2_500)
    t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId)).length, 0, 'its network would do with six')
    await app.anvil.mine(1)
    t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
  },
)

test.serial(
  'J-TOK-08 N-24 a spam token of the same symbol settles nothing, neither by the watch nor by its hash',
  async (t) => {
    const s = await tokenShop({ decimals: 6, rate: '1' })
    const offer = await only(s, 10)
    const spam = freshAddress()
    await inLine(() => app.anvil.deployToken(spam, SUPPLY))
    const hashes: string[] = []
    for (const contract of [spam, USDC])
      hashes.push(await inLine(() => app.anvil.sendToken(contract, offer.payTo, BigInt(offer.amountAtomic))))
    await app.anvil.mine(10)
    for (const hash of hashes) t.is((await verify(app, offer.challengeId, hash)).status, 400)
    await pause(2_500)
    t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId)).length, 0)
    t.is((await saidOf(app, 'TransferClaimed', offer.challengeId)).length, 0)
    const hash = await pay(offer)
    await eventually(
      'the settlement',
      async () => (await saidOf(app, 'ChallengeSettled', offer.challengeId)).length === 1,
    )
    t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId))[0]?.transfer.tx, hash)
  },
)

test.serial(
  'J-TOK-08 X-TEN-01 one code means two contracts with two sellers, and each is paid in its own',
  async (t) => {
    const [one, two] = [await tokenShop({ decimals: 6, rate: '1' }), await tokenShop({ decimals: 2, rate: '1' })]
    t.is(one.code, two.code)
    const [mine, theirs] = [await only(one, 10), await only(two, 10)]
    t.deepEqual([mine.decimals, theirs.decimals], [6, 2])
    const wrong = await inLine(() => app.anvil.sendToken(two.contract, mine.payTo, BigInt(mine.amountAtomic)))
    await app.anvil.mine(6)
    t.is((await verify(app, mine.challengeId, wrong)).status, 400)
    for (const [s, offer] of [
      [one, mine],
      [two, theirs],
    ] as const) {
      const hash = await pay(offer)
      t.deepEqual((await ok(verify(app, offer.challengeId, hash))).json, { settled: true })
      await eventually('the earnings', async () => (await me(app, s.key)).total_earned === 10)
    }
  },
)

test.serial(
  'J-TOK-08 a contract of the catalogue under a code of one’s own is the same coin, and asks for other amounts',
  async (t) => {
    const s = await tokenShop({ decimals: 6, rate: '1', contract: USDC })
    await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: 'usdc', address: s.address } }))
    const offers = await all(s, 10, [s.code, 'usdc'])
    t.is(offers.length, 2)
    t.is(new Set(offers.map(({ amountAtomic }) => amountAtomic)).size, 2)
    for (const offer of offers) {
      const hash = await pay(offer)
      const settled = async () => (await saidOf(app, 'ChallengeSettled', offer.challengeId))[0]
      await eventually('the settlement', async () => (await settled()) !== undefined)
      t.like((await settled())?.transfer, { tx: hash, asset: 'usdc' })
    }
  },
)

test.serial('J-TOK-08 N-21 a token without cents is offered at an address of its own alone', async (t) => {
  const [s, own] = [await tokenShop({ decimals: 0, rate: '5' }), freshAddress()]
  await t.throwsAsync(only(s, 11), { message: /503.*svc_busy/ })
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: s.code, address: `${s.address},${own}` } }))
  const offer = await only(s, 11)
  t.like(offer, { amount: '3', decimals: 0, match: 'address', payTo: own })
  t.true((await ok(verify(app, offer.challengeId, await pay(offer)))).json.settled)
})

test.serial(
  'N-32 N-23 a rate URL wins over the fixed rate, which serves when there is no price; without either the coin is left out, and taken for nothing new',
  async (t) => {
    const hostPort = prices.hostPort
    prices.answer.body = '{"data":{"price":"0.5"}}'
    const read = await tokenShop({ decimals: 6, rate: '1', rate_url: `http://${hostPort}/a` })
    t.regex((await only(read, 10)).amount, /^20\.00000/)
    prices.answer.body = '{"coin-b":{"usd":0.125}}'
    const fed = await tokenShop({ decimals: 6, rate_url: 'coingecko:coin-b' })
    t.regex((await only(fed, 10)).amount, /^80\.00000/)
    prices.answer.status = 500
    const fallen = await tokenShop({ decimals: 6, rate: '2', rate_url: `http://${hostPort}/b` })
    t.regex((await only(fallen, 10)).amount, /^5\.00000/)
    for (const [terms, status, code] of [
      [{ rate_url: `http://${hostPort}/c` }, 503, 'svc_unavailable'],
      [{}, 400, 'svc_invalid_request'],
    ] as const) {
      const s = await tokenShop({ decimals: 6, rate: '2' })
      const [alone, beside] = [await made(s, [s.code]), await made(s, [s.code, 'eth'])]
      await ok(app.call('DELETE', `/v1/custom-tokens?code=${s.code}`, { key: s.key }))
      const token = { ...s.token, rate: undefined, ...terms }
      await ok(app.call('POST', '/v1/custom-tokens', { key: s.key, body: token }))
      await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: s.code, address: s.address } }))
      t.deepEqual(assetsOf(await offersOf(s, beside)), ['eth'])
      t.is((await app.call('GET', `/r/${alone}`)).status, 503)
      for (const accepted_assets of [[s.code], [s.code, 'eth']]) {
        const again = await app.call('POST', '/v1/resources', { key: s.key, body: { amount: 10, accepted_assets } })
        t.deepEqual([again.status, again.json.error_code], [status, code])
      }
    }
    prices.answer.status = 200
  },
)

test.serial(
  'J-TOK-07 J-TOK-08 a deleted token is offered no more, what was offered is still paid, and its code takes no old address',
  async (t) => {
    const s = await tokenShop({ decimals: 6, rate: '1' })
    const body = { amount: 10, accepted_assets: [s.code, 'eth'] }
    const { res_id } = (await ok(app.call('POST', '/v1/resources', { key: s.key, body }))).json
    const offered = async () => {
      const { json } = await app.call('GET', `/r/${res_id}`)
      return json.accepts as TokenOffer[]
    }
    const before = await offered()
    t.deepEqual(
      before.map(({ asset }) => asset),
      [s.code, 'eth'],
    )
    await ok(app.call('DELETE', `/v1/custom-tokens?code=${s.code}`, { key: s.key }))
    t.deepEqual(
      (await offered()).map(({ asset }) => asset),
      ['eth'],
    )
    const [open] = before
    await pay(open as TokenOffer)
    await eventually(
      'the settlement',
      async () => (await saidOf(app, 'ChallengeSettled', String(open?.challengeId))).length === 1,
    )
    const unknown = await app.call('POST', '/v1/resources', { key: s.key, body })
    t.deepEqual([unknown.status, unknown.json.error_code], [400, 'svc_unknown_asset'])
    const other = { ...s.token, contract_address: freshAddress() }
    await ok(app.call('POST', '/v1/custom-tokens', { key: s.key, body: other }))
    const missing = await app.call('POST', '/v1/resources', { key: s.key, body })
    t.is(missing.status, 400)
    t.like((await ok(app.call('GET', '/v1/wallets', { key: s.key }))).json.wallets, {
      eth: s.address,
      [s.code]: undefined,
    })
    await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: s.code, address: s.address } }))
    const { json } = await ok(app.call('POST', '/v1/resources', { key: s.key, body }))
    t.deepEqual(json.accepted_assets, [s.code, 'eth'])
  },
)

test.after('every read model equals its replay', (t) => assertReplayEqual(t, app))

type TokenShop = Shop & { code: string; contract: string; token: object }

/** A seller with a token of its own on the chain, an address for it, and an eth wallet. */
const tokenShop = async ({ contract, ...terms }: { decimals: number; contract?: string } & Record<string, unknown>) => {
  const s = await shop(app)
  const at = contract ?? freshAddress()
  if (contract === undefined) await inLine(() => app.anvil.deployToken(at, SUPPLY))
  const code = 'shop_coin'
  const token = { type: 'erc-20', code, contract_address: at, name: 'Shop Coin', ...terms }
  await ok(app.call('POST', '/v1/custom-tokens', { key: s.key, body: token }))
  await ok(app.call('POST', '/v1/wallets', { key: s.key, body: { asset: code, address: s.address } }))
  return { ...s, code, contract: at, token }
}

/** A new resource, by its id. */
const made = async ({ key }: TokenShop, accepted_assets: string[], amount = 10): Promise<string> =>
  (await ok(app.call('POST', '/v1/resources', { key, body: { amount, accepted_assets } }))).json.res_id

const offersOf = async ({ key }: TokenShop, res_id: string): Promise<TokenOffer[]> =>
  (await ok(app.call('POST', '/v1/challenge', { key, body: { res_id } }))).json.accepts

const assetsOf = (offers: readonly TokenOffer[]) => offers.map(({ asset }) => asset)

/** What a new resource at a price can be paid in. */
const all = async (s: TokenShop, amount: number, accepted_assets: string[]): Promise<TokenOffer[]> =>
  offersOf(s, await made(s, accepted_assets, amount))

const only = async (s: TokenShop, amount: number): Promise<TokenOffer> => {
  const [offer, ...more] = await all(s, amount, [s.code])
  if (!offer || more.length > 0) throw new Error(`${more.length} offers too many, or none`)
  return offer
}

/** Sends the asked amount of the offered token and mines until it counts. */
const pay = async ({ contract, payTo, amountAtomic, requiredConfirmations }: TokenOffer): Promise<string> => {
  const hash = await inLine(() => app.anvil.sendToken(contract, payTo, BigInt(amountAtomic)))
  await app.anvil.mine(requiredConfirmations)
  return hash
}
