import test from 'ava'
import fc from 'fast-check'
import { toDecimal } from '../../domain/kernel/money.ts'
import { stepFor } from '../../domain/money/vat/amounts.ts'
import {
  CUSTOM_FIELDS_MAX,
  type CustomField,
  type CustomFieldEvents,
  checkedFields,
  customFields,
  fieldLines,
  TEXT_MAX,
  TEXTAREA_MAX,
} from '../../domain/storefront/custom-fields.ts'
import {
  DISCOUNT_CODES_MAX,
  type DiscountCode,
  discountedPrice,
  discountOf,
  discounts,
  listedCodes,
} from '../../domain/storefront/discounts.ts'
import { given } from '../support/given.ts'

/** What a seller sets up for its checkout, decided. */

const harvest: DiscountCode = { code: 'Harvest 20', multiplier: '0.8' }
const friends: DiscountCode = { code: 'FRIENDS', multiplier: '0.333333' }
const coded = (data: DiscountCode) => ({ type: 'DiscountCodeAdded', data }) as const
const replaced = (...codes: DiscountCode[]) => ({ type: 'DiscountCodesReplaced', data: { codes } }) as const

test('S-DSC-02 a code is taken once, however it is written, and gets the multiplier that was said last', (t) => {
  given(t, discounts).when('add', harvest).yields(coded(harvest))
  given(t, discounts, coded(harvest)).when('add', harvest).yieldsNothing()
  const dearer = { ...harvest, multiplier: '0.9' }
  given(t, discounts, coded(harvest)).when('add', dearer).yields(coded(dearer))
  // Who writes it otherwise may mean a new code, and must not reprice this one.
  given(t, discounts, coded(harvest))
    .when('add', { ...dearer, code: 'HARVEST 20' })
    .isRefused('invalid-request')
  const state = [coded(harvest), coded(dearer), coded(friends)].reduce(
    (known, { data }) => discounts.evolve.DiscountCodeAdded(known, data),
    discounts.initial,
  )
  t.deepEqual(listedCodes(state), [friends, dearer])
  t.deepEqual(discountOf(state, ' HARVEST 20 '), dearer)
  for (const typed of ['', 'harvest', 'toString', '__proto__']) t.is(discountOf(state, typed), undefined)
})

test('S-DSC-02 N-47 what is no code or no discount is refused', (t) => {
  for (const code of ['', ' a', 'a ', 'a\tb', 'a\nb', '\u200b', 'x'.repeat(41), '__proto__', 'constructor'])
    given(t, discounts)
      .when('add', { ...harvest, code })
      .isRefused('invalid-request')
  for (const multiplier of ['0', '0.0', '1.1', '2', '-0.5', '0.80', '0.1234567', '1e-3', '', '.5'])
    given(t, discounts)
      .when('add', { ...harvest, multiplier })
      .isRefused('invalid-request')
  for (const multiplier of ['1', '0.000001', '0.999999', '0.5'])
    given(t, discounts)
      .when('add', { ...harvest, multiplier })
      .yields(coded({ ...harvest, multiplier }))
})

test('S-DSC-03 S-DSC-04 a list replaces all codes, one is removed by any way of writing it, and repeating changes nothing', (t) => {
  given(t, discounts, coded(harvest))
    .when('replace', { codes: [friends] })
    .yields(replaced(friends))
  given(t, discounts, replaced(friends, harvest))
    .when('replace', { codes: [harvest, friends] })
    .yieldsNothing()
  given(t, discounts).when('replace', { codes: [] }).yieldsNothing()
  given(t, discounts, coded(harvest)).when('replace', { codes: [] }).yields(replaced())
  given(t, discounts)
    .when('replace', { codes: [friends, { ...friends, code: 'friends' }] })
    .isRefused('invalid-request')
  const removed = { type: 'DiscountCodeRemoved', data: { code: harvest.code } } as const
  given(t, discounts, coded(harvest)).when('remove', { code: 'HARVEST 20' }).yields(removed)
  given(t, discounts, coded(harvest), removed).when('remove', harvest).yieldsNothing()
})

test('S-DSC-02 an account has a bounded number of codes, of which each may still change', (t) => {
  const all = Array.from({ length: DISCOUNT_CODES_MAX }, (_, n) => ({ code: `c${n}`, multiplier: '0.5' }))
  given(t, discounts, replaced(...all))
    .when('add', harvest)
    .isRefused('too-many-entries')
  given(t, discounts, replaced(...all))
    .when('add', { code: 'c7', multiplier: '0.6' })
    .yields(coded({ code: 'c7', multiplier: '0.6' }))
  given(t, discounts)
    .when('replace', { codes: [...all, harvest] })
    .isRefused('too-many-entries')
})

test('I-DSC-01 a multiplier of 0.8 is a fifth off, and a discount is rounded as money is', (t) => {
  const cases: [price: bigint, multiplier: string, currency: string, asked: bigint][] = [
    [48_500_000n, '0.8', 'USD', 38_800_000n],
    [9_990_000n, '0.5', 'USD', 5_000_000n],
    [9_990_000n, '0.333333', 'EUR', 3_330_000n],
    [10_000n, '0.2', 'USD', 10_000n],
    [1_000_000n, '0.5', 'JPY', 1_000_000n],
    [1_500_000_000n, '0.8', 'JPY', 1_200_000_000n],
    [1_234_000n, '0.5', 'KWD', 617_000n],
    [4n, '0.5', 'USD', 2n],
    [1n, '0.000001', 'USD', 1n],
    [48_500_000n, '1', 'USD', 48_500_000n],
  ]
  for (const [price, multiplier, currency, asked] of cases)
    t.is(discountedPrice(price, multiplier, currency), asked, `${price} × ${multiplier} ${currency}`)
})

test('I-DSC-01 N-47 a discounted price is whole in its currency, above nothing, never above the price, and within half a unit', (t) => {
  const price = fc.bigInt({ min: 1n, max: 10n ** 15n })
  const whole = fc.constantFrom(1n, 10_000n, 1_000_000n)
  const currency = fc.constantFrom('USD', 'JPY', 'KWD')
  fc.assert(
    fc.property(price, whole, currency, fc.integer({ min: 1, max: 1_000_000 }), (units, of, code, millionths) => {
      const asking = units * of
      const [m, multiplier] = [BigInt(millionths), toDecimal(BigInt(millionths), 6)]
      const step = stepFor(code, asking)
      const asked = discountedPrice(asking, multiplier, code)
      const off = 2n * (asked * 1_000_000n - asking * m)
      const isNear = off <= step * 1_000_000n && off > -step * 1_000_000n
      return asked % step === 0n && asked > 0n && asked <= asking && (isNear || asked === step)
    }),
    { seed: 408, numRuns: 500 },
  )
  t.pass()
})

const size = { type: 'select', label: 'Size', options: ['Small', 'Large'], required: true } as const
const name = { type: 'text', label: 'Name', options: [], required: false } as const
const note = { type: 'textarea', label: 'Note', options: [], required: false } as const
const terms = { type: 'checkbox', label: 'I agree', options: [], required: true } as const
const asked = (facts: Omit<CustomField, 'number'>, number: number) =>
  ({ type: 'CustomFieldAdded', data: { ...facts, number } }) as const
const unasked = (data: CustomFieldEvents['CustomFieldRemoved']) => ({ type: 'CustomFieldRemoved', data }) as const

test('S-FLD-02 each type of field is asked once under its label', (t) => {
  for (const facts of [size, name, note, terms]) given(t, customFields).when('add', facts).yields(asked(facts, 0))
  given(t, customFields, asked(size, 0)).when('add', size).yieldsNothing()
  given(t, customFields, asked(size, 0))
    .when('add', { ...size, label: 'SIZE' })
    .isRefused('label-taken')
  given(t, customFields, asked(size, 0))
    .when('add', { ...size, required: false })
    .isRefused('label-taken')
})

test('S-FLD-02 N-48 what is no field is refused: options belong to a select, which needs some', (t) => {
  const wrong: Partial<Omit<CustomField, 'number'>>[] = [
    ...['', ' x', 'a\nb', 'x'.repeat(101)].map((label) => ({ label })),
    ...[[], [''], ['a', 'a'], ['a\nb'], Array.from({ length: 51 }, (_, n) => String(n))].map((options) => ({
      options,
    })),
    ...(['text', 'checkbox', 'textarea'] as const).map((type) => ({ type })),
  ]
  for (const facts of wrong)
    given(t, customFields)
      .when('add', { ...size, ...facts })
      .isRefused('invalid-request')
})

test('S-FLD-03 a field is removed by its index, and those behind it keep their numbers', (t) => {
  const history = [asked(size, 0), asked(name, 1)] as const
  const first = unasked({ index: 0, number: 0, label: 'Size' })
  given(t, customFields, ...history)
    .when('remove', { index: 0 })
    .yields(first)
  given(t, customFields, ...history)
    .when('remove', { index: 2 })
    .isRefused('not-found')
  given(t, customFields, ...history, first)
    .when('remove', { index: 0 })
    .yields(unasked({ index: 0, number: 1, label: 'Name' }))
  given(t, customFields, ...history, first)
    .when('add', size)
    .yields(asked(size, 2))
  const full = Array.from({ length: CUSTOM_FIELDS_MAX }, (_, n) => asked({ ...name, label: `Name ${n}` }, n))
  given(t, customFields, ...full)
    .when('add', size)
    .isRefused('too-many-entries')
  given(t, customFields, ...full.slice(1))
    .when('add', size)
    .yields(asked(size, CUSTOM_FIELDS_MAX))
})

const fields: CustomField[] = [size, name, note, terms].map((facts, number) => ({ ...facts, number }))

test('S-FLD-04 N-48 answers are checked by their fields, and stand in their order, one to a line', (t) => {
  const given = { 'I agree': 'on', Note: 'Two lines:\r\nsecond', Name: ' Ada ', Size: 'Large' }
  const checked = checkedFields(fields, given)
  const values = [
    { label: 'Size', value: 'Large' },
    { label: 'Name', value: 'Ada' },
    { label: 'Note', value: 'Two lines:\nsecond' },
    { label: 'I agree', value: 'true' },
  ]
  t.deepEqual(checked, { values })
  t.is(fieldLines(values), 'Size: Large\nName: Ada\nNote: Two lines:\n  second\nI agree: true')
  const least = { Size: 'Small', Name: '', 'I agree': 'true' }
  t.deepEqual(checkedFields(fields, least), { values: [{ label: 'Size', value: 'Small' }, values[3]] })
  t.deepEqual(checkedFields([], {}), { values: [] })
})

test('S-FLD-04 N-48 an answer that is missing or is none of what was asked is told by its label', (t) => {
  const good = { Size: 'Small', 'I agree': 'true' }
  const wrong: [given: Record<string, string>, label: string, fault: string][] = [
    [{ ...good, Size: '' }, 'Size', 'missing'],
    [{ 'I agree': 'true' }, 'Size', 'missing'],
    [{ ...good, Size: 'Medium' }, 'Size', 'no-option'],
    [{ ...good, 'I agree': 'false' }, 'I agree', 'missing'],
    [{ ...good, 'I agree': 'yes' }, 'I agree', 'no-checkbox'],
    [{ ...good, Name: 'a\nb' }, 'Name', 'several-lines'],
    [{ ...good, Name: 'x'.repeat(TEXT_MAX + 1) }, 'Name', 'too-long'],
    [{ ...good, Note: 'x'.repeat(TEXTAREA_MAX + 1) }, 'Note', 'too-long'],
    [{ ...good, Colour: 'red' }, 'Colour', 'unknown'],
    [{ ...good, toString: 'x' }, 'toString', 'unknown'],
  ]
  for (const [given, label, fault] of wrong)
    t.deepEqual(checkedFields(fields, given) as object, { wrong: [{ label, fault }] }, label)
})
