import test from 'ava'
import fc from 'fast-check'
import { CART_TOTAL_MAX, type Cart, refuseTooDear, type Sums, sumCart } from '../../domain/commerce/totals.ts'
import { type WireTotal, wireDiscounts, wireTotals } from '../../domain/commerce/wire-totals.ts'
import { millionthsOf } from '../../domain/kernel/currencies.ts'
import { sum } from '../../domain/kernel/money.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'

/** Totals of the commerce protocol over random carts. Amounts reach far beyond what a float could hold exactly. */

const WHOLE = 1_000_000n
const subtotalOf = ({ unit, quantity }: { unit: bigint; quantity: number }) => ({ subtotal: unit * BigInt(quantity) })
const line = fc.record({
  id: fc.constant('li'),
  unit: fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 10n ** 7n), fc.bigInt(0n, 10n ** 30n)),
  quantity: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1_000_000 })),
})
const lines = fc
  .array(line, { minLength: 1, maxLength: 12 })
  .map((all) => all.map((one, index) => ({ ...one, ...subtotalOf(one), id: `li_${index + 1}` })))
/** Of twelve decimals, so that a comparison of two needs no float. */
const scaled = fc.oneof(fc.bigInt(0n, 10n ** 12n), fc.constantFrom(8n * 10n ** 11n, 5n * 10n ** 11n, 10n ** 12n))
const decimal = (value: bigint) => `${value / 10n ** 12n}.${(value % 10n ** 12n).toString().padStart(12, '0')}`
const codes = fc
  .array(scaled, { maxLength: 4 })
  .map((all) => all.map((value, index) => ({ code: `C${index}`, title: `Sale ${index}`, multiplier: decimal(value) })))
const rate = fc.oneof(fc.constantFrom(190_000n, 255_000n, 81_000n, 0n), fc.bigInt(0n, 10n ** 6n))
const tax = fc.option(fc.record({ rate, inclusive: fc.boolean(), label: fc.constant('VAT 19% DE') }), {
  nil: undefined,
})
const cart: fc.Arbitrary<Cart> = fc.record({ lines, discounts: codes, tax })

const SUMS = ['subtotal', 'discount', 'tax', 'total'] as const
const half = (dividend: bigint, divisor: bigint) => (2n * dividend + divisor) / (2n * divisor)

/** What every reader of the protocol checks. */
const addUp = (totals: readonly WireTotal[]): boolean => {
  const [last, rest] = [totals.at(-1), totals.slice(0, -1)]
  const total = (entries: readonly { amount: number }[]) => sum(entries.map(({ amount }) => BigInt(amount)))
  return (
    last?.type === 'total' &&
    totals.filter(({ type }) => type === 'total').length === 1 &&
    totals.filter(({ type }) => type === 'subtotal').length === 1 &&
    total(rest) === BigInt(last.amount) &&
    totals.every(({ type, amount }) => (type === 'items_discount' ? amount < 0 : amount >= 0)) &&
    totals.every(({ amount, lines: parts }) => parts === undefined || total(parts) === BigInt(amount))
  )
}

test('C-SES-09 the sums of any cart add up: each line, the lines to the cart, the discounts and their parts', (t) => {
  fc.assert(
    fc.property(cart, (wish) => {
      const sums = sumCart(wish)
      const onTop = ({ tax: amount }: Sums) => (wish.tax?.inclusive ? 0n : amount)
      for (const [index, { id, subtotal }] of wish.lines.entries()) {
        const one = sums.lines[index] as (typeof sums.lines)[number]
        t.deepEqual([one.id, one.subtotal], [id, subtotal])
        t.is(one.total, one.subtotal - one.discount + onTop(one))
        t.true(one.discount >= 0n && one.discount <= one.subtotal && one.tax >= 0n)
        const taken = sums.applied.flatMap(({ allocations }) =>
          allocations.filter(({ path }) => path === `$.line_items[${index}]`).map(({ amount }) => amount),
        )
        t.is(sum(taken), one.discount)
      }
      for (const name of SUMS) t.is(sum(sums.lines.map((one) => one[name])), sums[name])
      for (const { amount, allocations } of sums.applied) t.is(sum(allocations.map((part) => part.amount)), amount)
      t.is(sum(sums.applied.map(({ amount }) => amount)), sums.discount)
      t.is(sums.total > 0n, sums.subtotal > 0n)
    }),
  )
})

test('C-SES-09 as JSON the totals of any cart and of its lines add up in safe integers', (t) => {
  const few = fc
    .record({ unit: fc.bigInt(0n, 10n ** 9n), quantity: fc.integer({ min: 1, max: 99 }) })
    .map((one) => ({ ...subtotalOf(one), id: 'li_1' }))
  const dear = fc.record({
    lines: fc.oneof(lines, fc.array(few)),
    discounts: codes,
    tax,
    digits: fc.constantFrom(0, 2, 3, 4),
  })
  fc.assert(
    fc.property(dear, ({ digits, ...wish }) => {
      const sums = sumCart(wish)
      const fits = [sums.subtotal, sums.total].every((amount) => millionthsOf(amount, digits) <= CART_TOTAL_MAX)
      if (!fits) {
        t.throws(() => refuseTooDear(sums, digits), { instanceOf: Refusal })
        return
      }
      refuseTooDear(sums, digits)
      for (const one of [sums, ...sums.lines]) {
        const totals = wireTotals(one, wish.tax)
        t.true(addUp(totals), JSON.stringify(totals))
        t.true(totals.every(({ amount }) => Number.isSafeInteger(amount)))
      }
      for (const { amount, allocations } of wireDiscounts(sums))
        t.is(sum(allocations.map((part) => BigInt(part.amount))), BigInt(amount))
    }),
  )
})

test('I-DSC-01 S-DSC-02 discounts apply one after the other, each rounded once, to no less than the smallest unit', (t) => {
  fc.assert(
    fc.property(lines, fc.array(scaled, { minLength: 1, maxLength: 4 }), (all, multipliers) => {
      const discounts = multipliers.map((value) => ({ code: 'C', title: 'C', multiplier: decimal(value) }))
      let left = sumCart({ lines: all, discounts: [], tax: undefined }).total
      for (const value of multipliers) {
        const rounded = half(left * value, 10n ** 12n)
        left = rounded === 0n && left > 0n ? 1n : rounded
      }
      const { total, lines: summed } = sumCart({ lines: all, discounts, tax: undefined })
      t.is(total, left)
      if (multipliers.length > 1) return
      const taken = 10n ** 12n - (multipliers[0] as bigint)
      for (const one of summed) {
        // By its share of the whole, which was rounded itself: so less than one unit and the half of it apart, or the
        // one that is left.
        const off = one.discount * 10n ** 12n - one.subtotal * taken
        t.true((off < 0n ? -off : off) < 2n * 10n ** 12n)
      }
    }),
  )
})

test('I-DSC-01 a smaller multiplier never costs more, in whatever place and with whatever tax', (t) => {
  fc.assert(
    fc.property(cart, scaled, scaled, fc.nat(4), (wish, a, b, place) => {
      const costs = (value: bigint) => {
        const discounts = wish.discounts.toSpliced(place, 0, { code: 'X', title: 'X', multiplier: decimal(value) })
        return sumCart({ ...wish, discounts }).total
      }
      t.true(a < b ? costs(a) <= costs(b) : costs(b) <= costs(a))
      t.true(costs(a) <= sumCart(wish).total)
    }),
  )
})

test('I-DSC-01 a cart of 50.00 at 0.8 costs 40.00, and a code worth more than 1 takes nothing off', (t) => {
  const priced = (multiplier: string, unit = 2_500n) => {
    const discounts = [{ code: 'SUMMER', title: 'Summer', multiplier }]
    return sumCart({ lines: [{ id: 'li_1', subtotal: unit * 2n }], discounts, tax: undefined })
  }
  t.is(priced('0.8').total, 4_000n)
  t.deepEqual(wireDiscounts(priced('0.8')), [
    {
      code: 'SUMMER',
      title: 'Summer',
      amount: 1_000,
      method: 'across',
      priority: 1,
      allocations: [{ path: '$.line_items[0]', amount: 1_000 }],
    },
  ])
  t.deepEqual([priced('1.5').total, priced('0').total, priced('0', 0n).total], [5_000n, 1n, 0n])
})

test('C-SES-09 the order of the lines changes no total of the cart', (t) => {
  fc.assert(
    fc.property(cart, fc.infiniteStream(fc.nat()), (wish, chance) => {
      const mixed = wish.lines
        .map((one) => ({ one, by: chance.next().value as number }))
        .sort((a, b) => a.by - b.by)
        .map(({ one }) => one)
      const [one, other] = [sumCart(wish), sumCart({ ...wish, lines: mixed })]
      for (const name of SUMS) t.is(one[name], other[name])
      t.deepEqual(
        one.applied.map(({ amount }) => amount),
        other.applied.map(({ amount }) => amount),
      )
    }),
  )
})

test('C-SES-09 VAT is rounded once for the cart, on top of the discounted net or contained in it', (t) => {
  fc.assert(
    fc.property(lines, codes, rate, (all, discounts, percent) => {
      const taxed = (inclusive: boolean) =>
        sumCart({ lines: all, discounts, tax: { rate: percent, inclusive, label: 'VAT' } })
      const plain = sumCart({ lines: all, discounts, tax: undefined })
      const [onTop, within] = [taxed(false), taxed(true)]
      t.deepEqual([onTop.subtotal, onTop.discount], [plain.subtotal, plain.discount])
      t.is(onTop.tax, half(plain.total * percent, WHOLE))
      t.is(within.tax, half(plain.total * percent, WHOLE + percent))
      t.deepEqual([onTop.total, within.total], [plain.total + onTop.tax, plain.total])
      for (const [sums, base] of [
        [onTop, WHOLE],
        [within, WHOLE + percent],
      ] as const)
        for (const one of sums.lines) {
          const off = one.tax * base - (one.subtotal - one.discount) * percent
          t.true((off < 0n ? -off : off) < base)
        }
      if (percent === 0n) return
      const again = sumCart({
        lines: [{ id: 'li_1', subtotal: onTop.total }],
        discounts: [],
        tax: { rate: percent, inclusive: true, label: 'VAT' },
      })
      t.is(again.tax, onTop.tax, 'a price that contains the VAT which was put on top contains just that')
    }),
  )
})

test('C-SES-09 the totals of a cart with a discount and VAT are told with their words', (t) => {
  const wish = {
    lines: [
      { id: 'li_1', subtotal: 5_000n },
      { id: 'li_2', subtotal: 333n },
    ],
    discounts: [{ code: 'TEN', title: 'Ten off', multiplier: '0.9' }],
  }
  const rule = { rate: 190_000n, inclusive: false, label: 'VAT 19% DE' }
  t.deepEqual(wireTotals(sumCart({ ...wish, tax: rule }), rule), [
    { type: 'subtotal', display_text: 'Subtotal', amount: 5_333 },
    { type: 'items_discount', display_text: 'Discount', amount: -533 },
    { type: 'tax', display_text: 'VAT 19% DE', amount: 912 },
    { type: 'total', display_text: 'Total', amount: 5_712 },
  ])
  const contained = { ...rule, inclusive: true }
  t.deepEqual(wireTotals(sumCart({ ...wish, discounts: [], tax: contained }), contained), [
    { type: 'subtotal', display_text: 'Subtotal', amount: 5_333 },
    {
      type: 'total',
      display_text: 'Total',
      amount: 5_333,
      lines: [
        { display_text: 'Net', amount: 4_482 },
        { display_text: 'Included VAT 19% DE', amount: 851 },
      ],
    },
  ])
  t.deepEqual(wireTotals(sumCart({ ...wish, discounts: [], tax: undefined }), undefined), [
    { type: 'subtotal', display_text: 'Subtotal', amount: 5_333 },
    { type: 'total', display_text: 'Total', amount: 5_333 },
  ])
})

test('a cart may cost just what a payment may be asked for', (t) => {
  const sums = (amount: bigint) => ({ subtotal: amount, discount: 0n, tax: 0n, total: amount })
  for (const digits of [0, 2, 3, 4]) {
    const most = 10n ** BigInt(9 + digits)
    t.notThrows(() => refuseTooDear(sums(most - 1n), digits))
    t.throws(() => refuseTooDear(sums(most), digits), { instanceOf: Refusal })
    t.throws(() => refuseTooDear({ ...sums(most - 1n), subtotal: most }, digits), { instanceOf: Refusal })
  }
})
