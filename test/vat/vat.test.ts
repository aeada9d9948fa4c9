import test from 'ava'
import fc from 'fast-check'
import salesTax from 'sales-tax/res/sales_tax_rates.json' with { type: 'json' }
import { createVatRegistry } from '../../adapters/vat/registry.ts'
import { settings } from '../../domain/account/settings.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { stepFor, vatOf, vatOfLines } from '../../domain/money/vat/amounts.ts'
import type { VatNumber } from '../../domain/money/vat/ports.ts'
import { EU_COUNTRIES, STANDARD_RATES, standardRate } from '../../domain/money/vat/rates.ts'
import { type TaxedSale, treatmentOf } from '../../domain/money/vat/treatment.ts'
import { given } from '../support/given.ts'

/** VAT without a service: the table, who taxes what, the sums, and the form of numbers. */

const TODAY = '2026-11-22'

type Known = { rate: number; before?: Record<string, { rate: number }> }
/** The data alone; its sums are floats. It has no Northern Ireland, and says the change of Romania a day late. */
const known = salesTax as unknown as Record<string, Known>
const COUNTRIES = [...EU_COUNTRIES, 'GB', 'CH', 'NO']

const millionths = (rate: number) => BigInt(Math.round(rate * 1_000_000))
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const DAY_MS = 86_400_000

test('M-VAT-01 the standard rates are those of 30 countries today, and on both sides of each change since 2020', (t) => {
  t.deepEqual(Object.keys(STANDARD_RATES).sort(), [...COUNTRIES].sort())
  for (const country of COUNTRIES.filter((code) => code !== 'XI')) {
    const { rate, before = {} } = known[country] as Known
    t.is(standardRate(country, TODAY), millionths(rate), country)
    for (const [at, { rate: earlier }] of Object.entries(before))
      t.is(standardRate(country, dayOf(Date.parse(at) - 2 * DAY_MS)), millionths(earlier), `${country} before ${at}`)
    const changes = STANDARD_RATES[country]?.filter(([from]) => from >= '2020-01-01') ?? []
    t.is(changes.length, Object.keys(before).length, country)
    for (const [from] of changes)
      t.true(
        Object.keys(before).some((at) => Math.abs(Date.parse(at) - Date.parse(from)) <= 1.5 * DAY_MS),
        `${country} ${from}`,
      )
  }
  t.is(standardRate('XI', TODAY), standardRate('GB', TODAY))
})

test('M-VAT-01 a rate holds from its day on, and an unknown country or a day before the table has none', (t) => {
  const on = (country: string, day: string) => standardRate(country, day)
  t.deepEqual([on('FI', '2024-08-31'), on('FI', '2024-09-01')], [240_000n, 255_000n])
  t.deepEqual([on('EE', '2025-06-30'), on('EE', '2025-07-01')], [220_000n, 240_000n])
  t.deepEqual([on('RO', '2025-07-31'), on('RO', '2025-08-01')], [190_000n, 210_000n])
  t.deepEqual([on('SK', '2024-12-31'), on('SK', '2025-01-01')], [200_000n, 230_000n])
  t.deepEqual([on('DE', '2020-06-30'), on('DE', '2020-12-31'), on('DE', '2021-01-01')], [190_000n, 160_000n, 190_000n])
  t.deepEqual([on('CH', '2017-12-31'), on('US', TODAY), on('constructor', TODAY)], [undefined, undefined, undefined])
})

const number = (country: string, valid: VatNumber['valid'] = true): VatNumber => ({
  number: `${country}1`,
  country,
  valid,
  checked: 'registry',
})
const sale = (wish: Partial<TaxedSale>): TaxedSale => ({
  seller: 'DE',
  buyer: undefined,
  number: undefined,
  day: TODAY,
  rates: {},
  ...wish,
})
const treated = (wish: Partial<TaxedSale>) => {
  const { country, rate, reverseCharge } = treatmentOf(sale(wish))
  return [country, Number(rate) / 10_000, reverseCharge]
}

test('M-VAT-01 at home the seller’s rate, in the EU the buyer’s, between its businesses none, and none on an export', (t) => {
  t.deepEqual(treated({}), ['DE', 19, false])
  t.deepEqual(treated({ buyer: 'DE', number: number('DE') }), ['DE', 19, false], 'a business at home')
  t.deepEqual(treated({ buyer: 'FI' }), ['FI', 25.5, false])
  t.deepEqual(treated({ buyer: 'FI', number: number('FI') }), ['FI', 0, true])
  t.deepEqual(treated({ number: number('FI') }), ['FI', 0, true], 'the number says where the buyer is')
  t.deepEqual(treated({ number: number('FI', null) }), ['FI', 0, true], 'a registry that is down is in nobody’s way')
  t.deepEqual(treated({ number: number('FI', false) }), ['DE', 19, false])
  t.deepEqual(treated({ buyer: 'FI', number: number('FI', false) }), ['FI', 25.5, false])
  t.deepEqual(treated({ buyer: 'FI', number: number('FR') }), ['FI', 25.5, false], 'a number of another country')
  for (const buyer of ['GB', 'CH', 'NO', 'US']) t.deepEqual(treated({ buyer }), [buyer, 0, false])
  t.deepEqual(treated({ seller: 'NO', buyer: 'DE' }), ['DE', 0, false])
  t.deepEqual(treated({ seller: 'XI', buyer: 'GB' }), ['XI', 20, false])
  t.deepEqual(treated({ seller: 'GB', buyer: 'XI' }), ['GB', 20, false])
  t.deepEqual(treated({ seller: 'DE', buyer: 'XI' }), ['XI', 20, false])
})

test('M-VAT-01 the seller’s own rates go before the table’s, and an unknown rate is refused', (t) => {
  const rates = { DE: '7', FR: '5.5', US: '8.875' }
  t.deepEqual(treated({ rates }), ['DE', 7, false])
  t.deepEqual(treated({ rates, buyer: 'FR' }), ['FR', 5.5, false])
  t.deepEqual(treated({ rates, buyer: 'US' }), ['US', 8.875, false])
  t.deepEqual(treated({ rates, seller: 'US' }), ['US', 8.875, false])
  t.deepEqual(treated({ buyer: 'EE', day: '2024-05-01' }), ['EE', 22, false])
  t.throws(() => treatmentOf(sale({ seller: 'US' })), { instanceOf: Refusal })
  t.throws(() => treatmentOf(sale({ day: '1960-01-01' })), { instanceOf: Refusal })
})

test('M-VAT-01 VAT is rounded to a cent, a half up, or to what the currency has for it; a finer price keeps its places', (t) => {
  const euro = (amount: bigint, rate: bigint, inclusive = false) =>
    vatOf(amount, { rate, inclusive, step: stepFor('EUR', amount) })
  t.deepEqual(euro(49_990_000n, 190_000n), { net: 49_990_000n, vat: 9_500_000n, total: 59_490_000n })
  t.deepEqual(euro(119_000_000n, 190_000n, true), { net: 100_000_000n, vat: 19_000_000n, total: 119_000_000n })
  t.is(euro(20_000n, 250_000n).vat, 10_000n, 'half a cent is one')
  t.is(euro(10_000n, 250_000n).vat, 0n)
  t.is(euro(1_000n, 190_000n).vat, 190n, 'a tenth of a cent')
  t.deepEqual([stepFor('JPY', 100_000_000n), stepFor('KWD', 1_000n), stepFor('EUR', 1n)], [1_000_000n, 1_000n, 1n])
})

const steps = fc.constantFrom(1n, 1_000n, 10_000n, 1_000_000n)
const rates = fc.bigInt(0n, 1_000_000n)
const amount = fc.bigInt(0n, 10n ** 15n)
const plus = (values: readonly bigint[]) => values.reduce((a, b) => a + b, 0n)

test('M-VAT-01 lines add up to the whole, none is negative or off by a smallest unit, and net and VAT are the total', (t) => {
  fc.assert(
    fc.property(fc.array(amount, { maxLength: 12 }), rates, steps, fc.boolean(), (raw, rate, step, inclusive) => {
      const amounts = raw.map((value) => value * step)
      const lines = vatOfLines(amounts, { rate, inclusive, step })
      const whole = vatOf(plus(amounts), { rate, inclusive, step })
      for (const part of ['net', 'vat', 'total'] as const) t.is(plus(lines.map((line) => line[part])), whole[part])
      for (const [index, { net, vat, total }] of lines.entries()) {
        t.true(net >= 0n && vat >= 0n && net + vat === total && vat % step === 0n)
        const divisor = 1_000_000n + (inclusive ? rate : 0n)
        const off = vat * divisor - (amounts[index] as bigint) * rate
        t.true(off > -step * divisor && off < step * divisor)
      }
    }),
  )
})

test('M-VAT-01 a price without VAT and the same price with it have the same VAT to the smallest unit', (t) => {
  fc.assert(
    fc.property(amount, rates, steps, (raw, rate, step) => {
      const net = raw * step
      const added = vatOf(net, { rate, inclusive: false, step })
      t.deepEqual(vatOf(added.total, { rate, inclusive: true, step }), added)
    }),
  )
})

const registry = createVatRegistry(undefined)

test('M-VAT-02 a number is checked by the form and the digits of its country, however it is written', async (t) => {
  for (const [written, number, country] of [
    ['de 136.695.976', 'DE136695976', 'DE'],
    ['GR094259216', 'EL094259216', 'GR'],
    ['EL 094259216', 'EL094259216', 'GR'],
    ['XI 110 305 878', 'XI110305878', 'XI'],
    ['GB-110305878', 'GB110305878', 'GB'],
    ['CHE-116.281.710 MWST', 'CHE116281710MWST', 'CH'],
    ['NO 923 609 016 MVA', 'NO923609016MVA', 'NO'],
    ['IE6388047V', 'IE6388047V', 'IE'],
    ['FR40303265045', 'FR40303265045', 'FR'],
    ['ATU13585627', 'ATU13585627', 'AT'],
  ] as const)
    t.deepEqual(await registry.check(written), { number, country, valid: true, checked: 'format' }, written)
  for (const country of COUNTRIES) t.like(await registry.check(`${country}0`), { country, valid: false }, country)
  for (const bad of [
    'DE136695977',
    'DE123',
    'XI110305879',
    '826110305878',
    '110305878',
    'US123456789',
    'DEU136695976',
    '?',
    '',
  ])
    t.like(await registry.check(bad), { valid: false, checked: 'format' }, bad)
})

test('M-VAT-01 the rules of VAT are one event, stay quiet when repeated, and cannot be enabled without a rate at home', (t) => {
  const rules = { enabled: true, country: 'DE', number: '', inclusive: false, rates: {} }
  const change = (wish: object) => given(t, settings).when('change', { vat: wish })
  change({ enabled: true, country: 'DE' }).yields({ type: 'VatRulesSet', data: rules })
  change({ country: '' }).yieldsNothing()
  change({ enabled: true }).isRefused('invalid-request')
  change({ enabled: true, country: 'US' }).isRefused('invalid-request')
  const own = { ...rules, country: 'US', rates: { US: '8.875' } }
  change({ enabled: true, country: 'US', rates: { US: '8.875' } }).yields({ type: 'VatRulesSet', data: own })
  const set = given(t, settings, { type: 'VatRulesSet', data: rules })
  set.when('change', { vat: { enabled: true }, currency: 'USD' }).yieldsNothing()
  set.when('change', { vat: { inclusive: true } }).yields({ type: 'VatRulesSet', data: { ...rules, inclusive: true } })
})
