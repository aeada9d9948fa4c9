import test from 'ava'
import fc from 'fast-check'
import { fixedRates } from '../../../adapters/rates/quotes/fixed.ts'
import { account } from '../../../domain/account/account.ts'
import { addressClaim } from '../../../domain/account/address-claim.ts'
import { creditAccount } from '../../../domain/account/credit-account.ts'
import { settings } from '../../../domain/account/settings.ts'
import { assetOf, assets } from '../../../domain/kernel/assets.ts'
import { fold } from '../../../domain/kernel/decider.ts'
import { platformFee } from '../../../domain/kernel/fees.ts'
import { toDecimal, toUnits } from '../../../domain/kernel/money.ts'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { receiveAddress } from '../../../domain/selling/receive-address.ts'
import { stock } from '../../../domain/storefront/stock.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { openChallenge } from '../../../domain/use-cases/selling/challenges/open-challenge.ts'
import { world } from '../../../src/settings/world.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { deepAfter, deepTest } from '../../support/deep-test.ts'
import { runs } from '../../support/depth.ts'
import { assertReplayEqual, me, payInFull, saidOf, sell, shop } from '../../support/sale.ts'
import { freshEmail, mailedLink, offerOf, ok, signUp } from '../../support/seller.ts'

/** What a sale costs, what it earns, and what a coin price is worth: exact to the millionth. */

const SALES = 25
const MILLION = 10n ** 6n

let app: TestApp
test.before(async () => {
  app = await startApp()
})
test.after.always(() => app?.stop())

deepTest('I-FEE-02 I-FEE-01 I-EARN-01 25 settlements of $100 use up exactly the $5 of the activation', async (t) => {
  const s = await shop(app, { webhook: false })
  for (let n = 1; n <= SALES; n++) {
    await sell(app, s)
    t.is((await me(app, s.key)).credit_balance, Number((5 - n * 0.2).toFixed(1)), `after ${n}`)
  }
  t.like(await me(app, s.key), { credit_balance: 0, settlements_count: SALES, total_earned: 2_500 })
  const debits = await debitsOf(s.resId)
  t.is(debits.length, SALES)
  t.true(debits.every(({ amount, owed }) => amount === '200000' && owed === '0'))
  await sell(app, s)
  t.is((await me(app, s.key)).credit_balance, 0)
  t.deepEqual((await debitsOf(s.resId)).at(-1)?.owed, '200000')
})

test('I-CRD-03 N-17 a fee beyond the credit is owed, and the balance is never below zero', async (t) => {
  const s = await shop(app, { amount: 10_000 })
  await sell(app, s)
  t.like(await me(app, s.key), { credit_balance: 0, total_earned: 10_000 })
  const [debit, ...rest] = await debitsOf(s.resId)
  t.is(rest.length, 0)
  t.like(debit, { amount: '5000000', owed: '15000000' })
  await sell(app, s)
  t.like(await me(app, s.key), { credit_balance: 0, total_earned: 20_000 })
  t.like((await debitsOf(s.resId)).at(-1), { amount: '0', owed: '20000000' })
})

deepTest(
  'I-FEE-02 N-12 the fee of a price with six places is exact, and a fee below a millionth is none',
  async (t) => {
    const s = await shop(app, { amount: 33.333333, webhook: false })
    await sell(app, s)
    t.is((await me(app, s.key)).credit_balance, 4.933334)
    const dust = await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 0.0004 } }))
    await sell(app, { key: s.key, resId: dust.json.res_id })
    t.like(await me(app, s.key), { credit_balance: 4.933334, settlements_count: 2, total_earned: 33.333733 })
    t.is((await debitsOf(s.resId)).length, 1)
  },
)

deepTest(
  'I-FEE-02 I-EARN-01 a price in another currency is earned and billed in dollars at the locked rate',
  async (t) => {
    const s = await shop(app, { webhook: false })
    const { res_id } = (
      await ok(app.call('POST', '/v1/resources', { key: s.key, body: { amount: 50, currency: 'EUR' } }))
    ).json
    await sell(app, { key: s.key, resId: res_id })
    t.like(await me(app, s.key), { credit_balance: 4.884, total_earned: 58 })
  },
)

deepTest('I-CRD-01 the activation grants $5 once, however often the link is followed', async (t) => {
  const { key, email } = await signUp(app, freshEmail())
  const link = new URL(await mailedLink(app, email))
  const follow = () => app.call('GET', `${link.pathname}${link.search}`)
  await Promise.all([follow(), follow(), follow(), follow()])
  await follow()
  t.is((await me(app, key)).credit_balance, 5)
})

test('I-EARN-01 earnings and count are what the log says when it is added up again, an overpayment that its seller matches counts as its price', async (t) => {
  const s = await shop(app, { amount: 12.34, webhook: false })
  await sell(app, s)
  const offer = await offerOf(app, s.key, s.resId)
  const hash = await payInFull(app, offer, 3n * BigInt(offer.amountAtomic))
  await ok(app.call('POST', '/v1/verify', { key: s.key, body: { challengeId: offer.challengeId, hash } }))
  const settled = await saidOf(app, 'ChallengeSettled', s.resId)
  const total = settled.filter(({ test: isTest }) => !isTest).reduce((sum, { usd }) => sum + BigInt(usd), 0n)
  t.is(total, 24_680_000n)
  t.like(await me(app, s.key), { settlements_count: settled.length, total_earned: Number(total) / 1e6 })
})

deepTest('I-FEE-03 I-CRD-03 over any history the credit is never negative, and repeats book nothing', (t) => {
  const booking = fc.record({
    kind: fc.constantFrom('grant', 'charge'),
    amount: fc.bigInt(1n, 10n ** 12n),
    position: fc.integer({ min: 0, max: 40 }),
  })
  fc.assert(
    fc.property(fc.array(booking, { maxLength: 60 }), (bookings) => {
      let state = creditAccount.initial
      let net = 0n
      const seen: Record<string, number> = {}
      for (const { kind, amount, position } of bookings) {
        const answers = { ref: 'x', source: kind, position: String(position), amount: String(amount) }
        const events =
          kind === 'grant'
            ? creditAccount.decide.grant(state, { ...answers, reason: 'email-verified' }, '')
            : creditAccount.decide.charge(state, { ...answers, reason: 'platform-fee' }, '')
        t.is(events.length > 0, position > (seen[kind] ?? -1))
        if (events.length > 0) net += kind === 'grant' ? amount : -amount
        seen[kind] = Math.max(position, seen[kind] ?? -1)
        state = fold(creditAccount, events, state)
        if (state.balance < 0n || state.owed < 0n || state.balance - state.owed !== net) return false
        if (state.balance > 0n && state.owed > 0n) return false
      }
      return true
    }),
  )
})

deepTest('I-FEE-02 the fee is 0.2 % of any amount, rounded down by less than a millionth', (t) => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 18n), (usd) => {
      const fee = platformFee(usd)
      return fee * 500n <= usd && usd < (fee + 1n) * 500n
    }),
  )
  t.is(platformFee(2_500_000_000n), 5_000_000n)
})

test('N-12 N-21 a coin price is worth the fiat price or more, and at most 1 % or five last places more', async (t) => {
  const currencies = ['USD', 'EUR', 'JPY', 'VND', 'CHF', 'IDR']
  const rate = fc.oneof(fc.constant(10n ** 12n), fc.bigInt(1n, 10n ** 12n), fc.bigInt(1n, 10n ** 18n))
  const price = fc.oneof(fc.bigInt(1n, 1_000n), fc.bigInt(1n, 10n ** 15n))
  await fc.assert(
    fc.asyncProperty(price, fc.constantFrom(...currencies), rate, async (amount, currency, coinRate) => {
      for (const asset of assets) {
        const asked = await askedOf(asset.code, amount, currency, coinRate)
        const scale = 10n ** BigInt(asset.decimals)
        const fiat = toUnits(await fixedRates().usdPer(currency), 12)
        const worth = amount * fiat * scale
        const step = 10n ** BigInt(asset.decimals - asset.displayDecimals)
        // What a cent cannot tell apart is asked for at a price whose half percent can, or not at all.
        if (asked === undefined) {
          t.true(100n * coinRate * step >= 10n ** 12n * scale, `${asset.code} is not offered`)
          continue
        }
        const value = asked * coinRate * MILLION
        t.true(value >= worth, `${asset.code}: ${asked} is worth less than ${amount} ${currency} at ${coinRate}`)
        t.true(value < worth + worth / 100n + 5n * step * coinRate * MILLION, `${asset.code}: ${asked} is too much`)
        t.is(asked % step, 0n)
      }
    }),
    { numRuns: runs({ quick: 30, deep: 100 }) },
  )
})

deepAfter('every read model equals its replay', (t) => assertReplayEqual(t, app))

/** Debits for the challenges of a resource. */
const debitsOf = async (resId: string) => {
  const debits = await saidOf(app, 'CreditDebited', '')
  const paid = new Set((await saidOf(app, 'ChallengeSettled', resId)).map(({ challengeId }) => challengeId))
  return debits.filter(({ ref }) => paid.has(ref))
}

/** What is asked for a price; undefined when no amount of the coin tells its payment from others. */
const askedOf = async (code: string, amount: bigint, currency: string, coinRate: bigint) => {
  const flow = fakeFlow(code, amount, currency, coinRate)
  const opened = await openChallenge(flow, 'res', { anonymous: false }).catch((error: unknown) => {
    if (!isRefusal(error, 'no-free-amount')) throw error
  })
  return opened && BigInt(opened.entries[0]?.amount ?? 0)
}

/** A flow with one resource, one wallet and one rate, whose amounts are reserved by the real decider. */
const fakeFlow = (code: string, amount: bigint, currency: string, coinRate: bigint): UseCaseContext => {
  const usdPer = async (of: string) => (of === code ? toDecimal(coinRate, 12) : fixedRates().usdPer(of))
  const resource = { status: 'active', accountId: 'acc', amount: String(amount), currency, acceptedAssets: [code] }
  type Reserve = Parameters<typeof receiveAddress.decide.reserve>[1]
  const reserve = async (_: string, data: Reserve) => {
    const events = receiveAddress.decide.reserve(receiveAddress.initial, data, new Date().toISOString())
    return { events, state: fold(receiveAddress, events) }
  }
  const ledger = {
    account: { recent: async () => account.initial },
    resource: { recent: async () => resource },
    wallet: { recent: async () => ({ [code]: { addresses: ['somewhere'], active: true } }) },
    receiveAddress: { reserve, recent: async () => receiveAddress.initial },
    addressClaim: { recent: async () => ({ ...addressClaim.initial, holder: { accountId: 'acc' } }) },
    settings: { recent: async () => settings.initial },
    challenge: { open: async () => undefined },
    stock: { recent: async () => stock.initial, read: async () => stock.initial },
  }
  const headNow = async () => ({ height: 1, hash: '' })
  const chains = new Map([[assetOf(code)?.network, { caip2: 'eip155:1' }]])
  return { ledger, world, rates: { usdPer }, chains, relayers: new Map(), headNow } as unknown as UseCaseContext
}
