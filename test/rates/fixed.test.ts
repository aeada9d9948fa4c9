import test from 'ava'
import { FIXED_RATES, FIXED_RATES_DATE, fixedRates } from '../../adapters/rates/quotes/fixed.ts'
import { assets } from '../../domain/kernel/assets.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'

test('every catalogued coin and at least thirty currencies have a fixed rate', async (t) => {
  const rates = fixedRates()
  for (const { code } of assets) t.regex(await rates.usdPer(code), /^\d+(\.\d+)?$/)
  t.true(Object.keys(FIXED_RATES).filter((code) => /^[A-Z]{3}$/.test(code)).length >= 30)
  t.regex(FIXED_RATES_DATE, /^\d{4}-\d{2}-\d{2}$/)
})

test('a dollar is a dollar, whatever the table says', async (t) => {
  t.is(await fixedRates().usdPer('USD'), '1')
  t.is(await fixedRates({ USD: '2' }).usdPer('USD'), '1')
})

test('a rate given goes before the table and leaves the others', async (t) => {
  const rates = fixedRates({ eth: '2000.5', XTS: '0.000000000001' })
  t.is(await rates.usdPer('eth'), '2000.5')
  t.is(await rates.usdPer('XTS'), '0.000000000001')
  t.is(await rates.usdPer('EUR'), await fixedRates().usdPer('EUR'))
})

test('an unknown code is refused, also one that every object has or that differs by letter case', async (t) => {
  for (const code of ['ZZZ', '', 'ETH', 'eur', '__proto__', 'constructor', 'toString']) {
    const error = await t.throwsAsync(fixedRates().usdPer(code), { instanceOf: Refusal })
    t.is((error as Refusal).code, 'invalid-request')
  }
})

test('a table that is not decimal, or not above zero, is refused at once', (t) => {
  for (const rate of ['', 'x', '1e3', '0', '-1', '0.0000000000001']) t.throws(() => fixedRates({ eth: rate }))
})
