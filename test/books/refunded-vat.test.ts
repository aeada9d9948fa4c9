/** What of a refund is VAT and what had come above the price: in parts or at once, it comes to the same. */
import test from 'ava'
import fc from 'fast-check'
import {
  type CoinRefund,
  type PaidCoin,
  type RefundedCoin,
  refundedTo,
  unsoldInVoid,
  withRecorded,
  withVoided,
} from '../../domain/selling/transactions/coin-refund.ts'

const units = fc.bigInt({ min: 1n, max: 10n ** 24n })
const paid = fc
  .record({
    asked: units,
    received: units,
    amount: fc.bigInt({ min: 100n, max: 10n ** 12n }),
    rate: fc.bigInt({ max: 50n, min: 0n }),
  })
  .map(
    ({ asked, received, amount, rate }): PaidCoin => ({
      network: 'base',
      asset: 'usdc_base',
      decimals: 6,
      received: String(received),
      asked: String(asked),
      amount: String(amount),
      currency: 'USD',
      usd: String(amount),
      vat: String((amount * rate) / 100n),
      test: false,
    }),
  )
const cuts = fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })

test('Q-30 the VAT and the surplus of refunds in parts are those of the whole, which are those of the sale', (t) => {
  fc.assert(
    fc.property(paid, cuts, (payment, shares) => {
      const received = BigInt(payment.received)
      const steps = shares.map((share) => (received * BigInt(Math.floor(share * 1_000))) / 1_000n).sort(ascending)
      let refund: CoinRefund | undefined
      const parts: RefundedCoin[] = []
      for (const total of [...steps, received]) {
        const coin = refundedTo(payment, refund, total)
        parts.push(coin)
        refund = withRecorded(refund, coin)
      }
      const price = received < BigInt(payment.asked) ? received : BigInt(payment.asked)
      const vat = (price * BigInt(payment.vat ?? 0)) / BigInt(payment.amount)
      t.is(sum(parts, 'vat'), vat)
      t.is(sum(parts, 'surplus'), received - price)
      t.deepEqual([refund?.unsold?.vat ?? '0', refund?.unsold?.surplus ?? '0'], [String(vat), String(received - price)])
    }),
  )
})

test('Q-30 what was paid above the price is given back first, and has no VAT', (t) => {
  const payment: PaidCoin = {
    network: 'base',
    asset: 'usdc_base',
    decimals: 6,
    received: '140',
    asked: '119',
    amount: '119',
    currency: 'USD',
    usd: '119',
    vat: '19',
    test: false,
  }
  const first = refundedTo(payment, undefined, 21n)
  t.deepEqual([first.surplus, first.vat], ['21', undefined])
  const second = refundedTo(payment, withRecorded(undefined, first), 140n)
  t.deepEqual([second.surplus, second.vat], [undefined, '19'])
  const { vat: _, ...untaxed } = payment
  t.is(refundedTo(untaxed, undefined, 140n).vat, undefined)
})

test('N-68 a promise that is owed no longer takes its VAT and its surplus with it, whole and in part', (t) => {
  fc.assert(
    fc.property(paid, fc.integer({ min: 0, max: 1_000 }), (payment, share) => {
      const received = BigInt(payment.received)
      const recorded = withRecorded(undefined, refundedTo(payment, undefined, received)) as CoinRefund
      const amount = (received * BigInt(share)) / 1_000n
      const gone = (refund: CoinRefund, off: bigint): RefundedCoin => ({
        ...refundedTo(payment, undefined, received),
        amount: String(off),
        total: String(BigInt(refund.recorded) - off),
        vat: '0',
        surplus: '0',
        ...unsoldInVoid(refund, off),
      })
      const part = withVoided(recorded, gone(recorded, amount)) as CoinRefund
      for (const name of ['vat', 'surplus'] as const)
        t.true(BigInt(part.unsold?.[name] ?? 0) <= BigInt(recorded.unsold?.[name] ?? 0))
      if (BigInt(part.recorded) === 0n) return void t.is(part.unsold, undefined)
      t.is(withVoided(part, gone(part, BigInt(part.recorded)))?.unsold, undefined)
    }),
  )
})

const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

const sum = (parts: readonly RefundedCoin[], name: 'vat' | 'surplus'): bigint =>
  parts.reduce((all, part) => all + BigInt(part[name] ?? 0), 0n)
