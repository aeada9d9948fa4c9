import test from 'ava'
import fc from 'fast-check'
import { usdIn, usdInverse } from '../../adapters/rates/decimal.ts'
import { parseExact } from '../../adapters/rates/exact-json.ts'
import { toDecimal } from '../../domain/kernel/money.ts'

const shown = (usd: bigint | undefined) => (usd === undefined ? undefined : toDecimal(usd, 12))

test('N-23 a number keeps its digits from the JSON text to the price: nothing goes through a float', (t) => {
  const traps = parseExact(
    '{"a":0.1,"b":0.2,"c":1.2e-7,"d":123456789012.123456789012,"e":[1E3,-0.5,"0.30"],"f":null,"g":true}',
  )
  t.deepEqual(traps as object, {
    a: '0.1',
    b: '0.2',
    c: '1.2e-7',
    d: '123456789012.123456789012',
    e: ['1E3', '-0.5', '0.30'],
    f: null,
    g: true,
  })
  t.is(shown((usdIn('0.1') ?? 0n) + (usdIn('0.2') ?? 0n)), '0.3')
  t.is(shown(usdIn('1.2e-7')), '0.00000012')
  t.is(shown(usdIn('123456789012.123456789012')), '123456789012.123456789012')
  for (const cut of ['{"a":1', '', '{"a":01}']) t.throws(() => parseExact(cut), { instanceOf: SyntaxError })
})

test('N-23 every decimal of twelve places comes through as it is, whatever its exponent', (t) => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 27n - 1n }), fc.integer({ min: -20, max: 20 }), (usd, shift) => {
      t.is(usdIn(toDecimal(usd, 12)), usd)
      t.is(usdIn(`${usd}e${-12}`), usd)
      t.is(usdIn(`${toDecimal(usd * 10n ** 20n, 32 + shift)}e${shift}`), usd)
    }),
  )
})

test('N-23 what a dollar buys is turned into what one costs, rounded to the nearest place', (t) => {
  t.is(shown(usdInverse('0.0000107420123456')), '93092.426989213681')
  t.is(shown(usdInverse('4')), '0.25')
  t.is(shown(usdInverse('3')), '0.333333333333')
  t.is(shown(usdInverse('1.5')), '0.666666666667')
  t.is(shown(usdInverse('2.5e4')), '0.00004')
  t.is(shown(usdInverse('0.00025000', 5)), '4000')
  t.is(usdInverse('0.0000095', 5), undefined, 'two digits are too rough')
  fc.assert(
    fc.property(fc.bigInt({ min: 10_000n, max: 10n ** 18n }), (digits) => {
      const rate = toDecimal(digits, 12)
      const product = (usdInverse(rate) ?? 0n) * digits
      t.true(2n * (product > 10n ** 24n ? product - 10n ** 24n : 10n ** 24n - product) <= digits)
    }),
  )
})

test('N-23 what is no price above zero is none', (t) => {
  const none = [
    '',
    '0',
    '0.0',
    '-1',
    '1e999',
    '1e-99',
    '4e-13',
    '1e15',
    'NaN',
    'Infinity',
    '0x10',
    '1,5',
    ' 1',
    '1_0',
    '١',
    '.5',
    '5.',
  ]
  for (const text of [...none, '9'.repeat(50), `0.${'1'.repeat(90)}`]) t.is(usdIn(text), undefined, text)
  for (const text of ['', '0', '-1', '1e13', '1e-30', '1e40', 'x']) t.is(usdInverse(text), undefined, text)
})
