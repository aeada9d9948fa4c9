import test from 'ava'
import { data as iso } from 'currency-codes'
import fc from 'fast-check'
import { pricesWithin } from '../../domain/commerce/price-range.ts'
import { CART_TOTAL_MAX, sumCart } from '../../domain/commerce/totals.ts'
import { linePrice, unitPrice } from '../../domain/commerce/unit-price.ts'
import { millionthsOf, minorDigits, minorOf } from '../../domain/kernel/currencies.ts'
import { RATE_DECIMALS, toDecimal } from '../../domain/kernel/money.ts'

/** Prices of several currencies in the one of a session. */

const WHOLE = 1_000_000n
const decimal = (rate: bigint) => toDecimal(rate, RATE_DECIMALS)

test('I-CUR-01 a price is converted to the nearest smallest unit of any currency, and never to nothing', (t) => {
  const rates = fc.bigInt(1n, 10n ** 18n)
  const prices = fc.oneof(fc.bigInt(0n, 10n ** 5n), fc.bigInt(0n, CART_TOTAL_MAX))
  fc.assert(
    fc.property(prices, rates, rates, fc.constantFrom(0, 2, 3, 4), fc.boolean(), (price, from, to, digits, same) => {
      const { unit, exact } = unitPrice({ price, from: decimal(from), to: decimal(to), digits, same })
      const worth = price * (same ? 1n : from) * 10n ** BigInt(digits)
      const divisor = (same ? 1n : to) * WHOLE
      const off = 2n * (unit * divisor - worth)
      t.true(off > -divisor && off <= divisor ? true : unit === 1n && price > 0n)
      t.is(exact, off === 0n)
      t.is(unit === 0n, price === 0n)
      if (same) t.is(unit, minorOf(price, digits) || (price > 0n ? 1n : 0n))
      t.is(minorOf(millionthsOf(unit, digits), digits), unit)
    }),
  )
})

test('C-SES-09 I-CUR-01 a cart of dollars, yen, dinars and unidades de fomento is summed in one currency, whichever it is', (t) => {
  const usdPer = { USD: '1', JPY: '0.0065', KWD: '3.25', CLF: '41.5' }
  const prices = [
    { price: 19_990_000n, currency: 'USD', quantity: 3 },
    { price: 1_500_000_000n, currency: 'JPY', quantity: 2 },
    { price: 1_250_000n, currency: 'KWD', quantity: 1 },
    { price: 12_345n, currency: 'CLF', quantity: 1 },
  ] as const
  const sumIn = (currency: keyof typeof usdPer) => {
    const digits = minorDigits(currency) as number
    const items = prices.map(({ price, currency: own, quantity }, index) => {
      const wish = { price, from: usdPer[own], to: usdPer[currency], digits, same: own === currency }
      return { id: `li_${index + 1}`, subtotal: linePrice(wish, quantity).subtotal }
    })
    return sumCart({ lines: items, discounts: [], tax: undefined })
  }
  const told = (currency: keyof typeof usdPer) => sumIn(currency).lines.map(({ total }) => total)
  t.deepEqual([told('USD'), sumIn('USD').total], [[5_997n, 1_950n, 406n, 51n], 8_404n])
  t.deepEqual([told('JPY'), sumIn('JPY').total], [[9_226n, 3_000n, 625n, 79n], 12_930n])
  t.deepEqual([told('KWD'), sumIn('KWD').total], [[18_452n, 6_000n, 1_250n, 158n], 25_860n])
  t.deepEqual([told('CLF'), sumIn('CLF').total], [[14_451n, 4_699n, 979n, 123n], 20_252n])
})

test('C-SES-09 I-CUR-01 a line is multiplied first and rounded once, so that it is off by half a smallest unit at most', (t) => {
  const cents = { from: '1', to: '1', digits: 2, same: true }
  const costs = (price: bigint, quantity: number) => linePrice({ price, ...cents }, quantity).subtotal
  // A tenth of a cent: a hundred of it are ten cents, and one is not nothing.
  t.deepEqual([costs(1_000n, 100), costs(1_000n, 1), costs(4_000n, 3), costs(0n, 9)], [10n, 1n, 1n, 0n])
  const rates = fc.bigInt(1n, 10n ** 18n)
  const quantities = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 9n), quantities, rates, rates, fc.boolean(), (price, quantity, from, to, same) => {
      const wish = { price, from: decimal(from), to: decimal(to), digits: 2, same }
      const { subtotal, unit, exact } = linePrice(wish, quantity)
      const worth = price * BigInt(quantity) * (same ? 1n : from) * 100n
      const divisor = (same ? 1n : to) * WHOLE
      const off = 2n * (subtotal * divisor - worth)
      t.true((off > -divisor && off <= divisor) || (subtotal === 1n && price > 0n))
      t.is(subtotal === 0n, price === 0n)
      if (exact) t.is(subtotal, unit * BigInt(quantity))
    }),
  )
})

test('I-CUR-01 every currency has the digits that ISO 4217 gives it, and what is no currency has none', (t) => {
  const without = new Set('XAG XAU XPD XPT XBA XBB XBC XBD XDR XSU XTS XUA XXX'.split(' '))
  // Withdrawn when Cuba gave up its second currency.
  const gone = new Set(['CUC'])
  for (const { code, digits } of iso)
    t.is(minorDigits(code), without.has(code) || gone.has(code) ? undefined : digits, code)
  t.is(iso.length - without.size - gone.size, 165)
  t.is(minorDigits('XCG'), 2, 'the Caribbean guilder is younger than the list')
  for (const code of ['usd', '', 'BTC', 'USDC', 'constructor']) t.is(minorDigits(code), undefined, code)
})

test('C-CAT-01 a price filter lets through exactly what shows such a price, whatever the currencies', (t) => {
  const rate = fc.integer({ min: 1, max: 10 ** 9 }).map((millionths) => (millionths / 1e6).toFixed(6))
  const price = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.bigInt({ min: 1n, max: 20_000n }))
  const rates = fc.record({ from: rate, to: rate, digits: fc.constantFrom(0, 2, 3, 4), same: fc.boolean() })
  fc.assert(
    fc.property(price, price, rates, fc.nat(3), (shown, other, how, beside) => {
      const bound = unitPrice({ price: shown, ...how }).unit + BigInt(beside) - 1n
      const passes = (at: bigint, { least, below }: ReturnType<typeof pricesWithin>) =>
        at >= least && (below === undefined || at < below)
      for (const at of [shown, other]) {
        const { unit } = unitPrice({ price: at, ...how })
        if (passes(at, pricesWithin({ min: bound }, how)) !== unit >= bound) return false
        if (passes(at, pricesWithin({ max: bound }, how)) !== unit <= bound) return false
      }
      return true
    }),
  )
  t.pass()
})
