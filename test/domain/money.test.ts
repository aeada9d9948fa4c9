import test from 'ava'
import fc from 'fast-check'
import { platformFee } from '../../domain/kernel/fees.ts'
import { coinUnits, mulDivCeil, mulDivFloor, plainDecimal, toDecimal, toUnits } from '../../domain/kernel/money.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'

const whole = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n })
const places = fc.integer({ min: 0, max: 30 })

test('every whole number of units comes back from its decimal, at any number of places', (t) => {
  fc.assert(
    fc.property(whole, places, (units, decimals) => {
      const text = toDecimal(units, decimals)
      t.is(toUnits(text, decimals), units)
      t.regex(text, /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
    }),
  )
})

test('every plain decimal means what it says, with or without zeros at its ends', (t) => {
  const digits = fc.stringMatching(/^\d{1,20}$/)
  fc.assert(
    fc.property(fc.constantFrom('', '-'), digits, fc.stringMatching(/^\d{0,12}$/), (sign, head, tail) => {
      const units = toUnits(`${sign}${head}${tail && `.${tail}`}`, 12)
      t.is(units, BigInt(`${head}${tail.padEnd(12, '0')}`) * (sign ? -1n : 1n))
      t.is(toUnits(`${sign}000${head}.${tail}000000`, 12), units)
    }),
  )
})

test('zero has no sign', (t) => {
  t.is(toDecimal(toUnits('-0', 6), 6), '0')
  t.is(toDecimal(toUnits('-0.000000', 6), 6), '0')
})

test('what is not a plain decimal, or does not fit, is refused rather than rounded', (t) => {
  const wrong = ['', ' 1', '1 ', '+1', '1e3', '1.', '.5', '1,5', '--1', 'NaN', 'Infinity', '0x10', '1_000', '٣', '1\n']
  for (const text of wrong) t.throws(() => toUnits(text, 6), { instanceOf: TypeError }, JSON.stringify(text))
  t.throws(() => toUnits('0.0000001', 6), { instanceOf: TypeError })
  t.throws(() => toUnits('1.5', 0), { instanceOf: TypeError })
  t.is(toUnits('0.1000000', 6), 100_000n)
})

test('rounding down and up keep their definitions for every sign', (t) => {
  const divisor = whole.filter((n) => n !== 0n)
  fc.assert(
    fc.property(whole, whole, divisor, (a, b, c) => {
      const [product, floor, ceil] = [a * b, mulDivFloor(a, b, c), mulDivCeil(a, b, c)]
      const [p, d] = c < 0n ? [-product, -c] : [product, c]
      t.true(floor * d <= p && p < (floor + 1n) * d)
      t.true((ceil - 1n) * d < p && p <= ceil * d)
      t.is(ceil - floor, p % d === 0n ? 0n : 1n)
    }),
  )
})

test('I-FEE-02 the fee is 0.2 % of a settlement, never more, and less by under a millionth', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (usd) => {
      const fee = platformFee(usd)
      t.true(fee * 500n <= usd && usd < (fee + 1n) * 500n)
    }),
  )
  t.is(platformFee(2_500_000_000n), 5_000_000n)
  t.is(platformFee(499n), 0n)
})

test('a number is read as the decimal that it is written as, digit by digit', (t) => {
  for (const [value, text] of [
    [1e-19, '0.0000000000000000001'],
    [1.25e-7, '0.000000125'],
    [1.5e21, '1500000000000000000000'],
    [0.1, '0.1'],
    [12, '12'],
  ] as const)
    t.is(plainDecimal(value), text)
})

test('an amount of a coin is never rounded: too small, too exact, or nothing is refused', (t) => {
  const coin = { code: 'usdc', decimals: 6 }
  t.is(coinUnits('1.500000000', coin, 'amount'), 1_500_000n)
  for (const text of ['0.0000001', '0', '0.000000'])
    t.is(t.throws(() => coinUnits(text, coin, 'amount'), { instanceOf: Refusal })?.code, 'invalid-request', text)
})
