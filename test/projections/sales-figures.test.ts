import test from 'ava'
import fc from 'fast-check'
import { daysUpTo, zoneClock } from '../../domain/kernel/calendar.ts'
import { platformFee } from '../../domain/kernel/fees.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { accountsProjection } from '../../projections/account/accounts.ts'
import { createQueries } from '../../projections/index.ts'
import { salesFiguresProjection } from '../../projections/selling/sales-figures.ts'
import { ACCOUNT, CHALLENGE_ID, RES_ID, transferData } from '../domain/samples.ts'
import { applyAll, emptyReadModels } from './setup.ts'

/** The figures of sales, held against what each event says by itself. */

const USD = '100000000'
const ASKED = '40000000000000000'

let events = 0
const event = (type: string, data: object, at = '2026-03-02T10:06:00.000Z', stream = 'challenge-x'): RecordedEvent =>
  ({
    stream,
    type,
    at,
    data,
    position: BigInt(++events),
    order: BigInt(events),
    revision: 0n,
  }) as unknown as RecordedEvent

const place = { accountId: ACCOUNT, resId: RES_ID, challengeId: CHALLENGE_ID, asset: 'eth' }
const sale = { ...place, asked: ASKED, amount: USD, currency: 'USD', usd: USD, test: false, webhookUrl: null }
const settled = (settledAt: string, more: object = {}) =>
  event('ChallengeSettled', { ...sale, transfer: { ...transferData, amount: ASKED }, settledAt, ...more })

test('N-83 a sale counts on the day on which it settled, in the time zone that is asked for', async (t) => {
  const { sql } = await emptyReadModels(t, [salesFiguresProjection])
  const queries = createQueries(sql)
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe']
  const instant = fc.date({ min: new Date('2026-03-01'), max: new Date('2026-04-10'), noInvalidDate: true })
  await fc.assert(
    fc.asyncProperty(
      fc.array(instant, { minLength: 1, maxLength: 20 }),
      fc.constantFrom(...zones),
      async (times, zone) => {
        await sql`truncate sales_figures`
        await applyAll(
          sql,
          salesFiguresProjection,
          times.map((at) => settled(at.toISOString())),
        )
        const clock = zoneClock(zone)
        const days = daysUpTo(clock, '2026-04-10T11:00:00.000Z', 30)
        const rows = await queries.salesByDay(
          { accountId: ACCOUNT },
          false,
          days.map(({ start }) => start),
        )
        const counted = new Map(rows.map(({ day, sales }) => [days[day]?.day, sales]))
        for (const { day } of days) {
          const expected = times.filter((at) => clock.text(at.toISOString()).startsWith(day)).length
          t.is(counted.get(day) ?? 0, expected, `${day} in ${zone}`)
        }
      },
    ),
    { numRuns: 40 },
  )
})

test('N-83 a day of a zone begins when its clocks show midnight, or the first time after it', (t) => {
  const berlin = daysUpTo(zoneClock('Europe/Berlin'), '2026-03-29T23:30:00.000Z', 3)
  t.deepEqual(berlin, [
    { day: '2026-03-28', start: '2026-03-27T23:00:00.000Z' },
    { day: '2026-03-29', start: '2026-03-28T23:00:00.000Z' },
    { day: '2026-03-30', start: '2026-03-29T22:00:00.000Z' },
  ])
  // In Cairo the clocks are turned at midnight, from 0 to 1 o'clock.
  t.deepEqual(daysUpTo(zoneClock('Africa/Cairo'), '2026-04-24T10:00:00.000Z', 1), [
    { day: '2026-04-24', start: '2026-04-23T22:00:00.000Z' },
  ])
})

/** Sales of two days, of which parts are taken back and given back. */
const mixedHistory = (): readonly RecordedEvent[] => {
  const refund = { network: 'eth', asset: 'eth', decimals: 18, amount: '4', total: '4', usd: '7000001', test: false }
  const surplus = '44000000000000000'
  const reversed = { ...sale, transfer: { ...transferData, amount: ASKED }, times: 1, reason: 'reorganised' }
  const card = { ...place, charged: '1000', paymentId: 'pi_1', amount: '9000000', currency: 'EUR', usd: '10000000' }
  return [
    event('AccountSignedUp', { email: 'v1', primaryWallet: null }, undefined, `account-${ACCOUNT}`),
    settled('2026-03-01T10:00:00.000Z'),
    settled('2026-03-01T10:05:00.000Z', { paid: surplus, storeId: 2 }),
    settled('2026-03-02T10:00:00.000Z'),
    settled('2026-03-02T10:00:00.000Z', { test: true }),
    event('PaymentReversed', { ...reversed, reversedAt: '2026-03-02T11:00:00.000Z', unsettled: { round: 0 } }),
    // A part of what came above the price is gone: the sale stands.
    event('PaymentReversed', {
      ...reversed,
      storeId: 2,
      transfer: { ...transferData, amount: '4000000000000000' },
      paid: surplus,
      stands: true,
      reversedAt: '2026-03-02T12:00:00.000Z',
    }),
    // A part of a price that was never paid in full is gone: nothing had been sold.
    event('PaymentReversed', {
      ...reversed,
      transfer: { ...transferData, amount: '5' },
      paid: '7',
      reversedAt: '2026-03-02T12:00:00.000Z',
    }),
    event('CardPaymentSettled', { ...card, settledAt: '2026-03-02T13:00:00.000Z', test: false }),
    event('CardRefunded', { ...place, usd: '4000000', test: false }, '2026-03-02T14:00:00.000Z'),
    event('CardRefundFailed', { ...place, usd: '1000000', test: false }, '2026-03-02T15:00:00.000Z'),
    event('RefundRecorded', { accountId: ACCOUNT, coin: refund, refundedAt: '2026-03-02T16:00:00.000Z' }),
    event('RefundVoided', {
      accountId: ACCOUNT,
      coin: { ...refund, usd: '1000000' },
      voidedAt: '2026-03-02T17:00:00.000Z',
    }),
    event('RefundRecorded', { accountId: ACCOUNT, refundedAt: '2026-03-02T16:00:00.000Z' }),
    event('AuthorizationGasSpent', { ...place, gasUsd: '1000', billedUsd: '1210' }, '2026-03-02T18:00:00.000Z'),
    event('AuthorizationReversed', { ...place, billedUsd: '210' }, '2026-03-02T19:00:00.000Z'),
  ]
}

const expectedRows = (): readonly object[] => {
  const fee = platformFee(BigInt(USD))
  const eth = { asset: 'eth', decimals: 18, gasFee: '0', refundedUsd: '0' }
  return [
    {
      ...eth,
      day: 0,
      sales: 2,
      soldUsd: '200000000',
      settled: '84000000000000000',
      settledUsd: '210000000',
      fee: String(2n * fee),
    },
    {
      day: 1,
      asset: '',
      decimals: 0,
      sales: 0,
      soldUsd: '0',
      settled: '0',
      settledUsd: '0',
      fee: '0',
      gasFee: '1000',
      refundedUsd: '9000001',
    },
    {
      day: 1,
      asset: 'EUR',
      decimals: 6,
      sales: 1,
      soldUsd: '10000000',
      settled: '9000000',
      settledUsd: '10000000',
      fee: '20000',
      gasFee: '0',
      refundedUsd: '0',
    },
    { ...eth, day: 1, sales: 0, soldUsd: '0', settled: '-4000000000000000', settledUsd: '-10000000', fee: '0' },
  ]
}

test('N-83 I-EARN-01 what is taken back or given back is taken off, and the sum of all days is what was earned', async (t) => {
  const { sql } = await emptyReadModels(t, [salesFiguresProjection, accountsProjection])
  const queries = createQueries(sql)
  const history = mixedHistory()
  await applyAll(sql, salesFiguresProjection, history)
  await applyAll(sql, accountsProjection, history)
  const starts = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z']
  const rows = await queries.salesByDay({ accountId: ACCOUNT }, false, starts)
  t.deepEqual(
    [...rows].map((row) => ({ ...row })),
    [...expectedRows()],
  )
  const all = rows.reduce((sum, { soldUsd, refundedUsd }) => sum + BigInt(soldUsd) - BigInt(refundedUsd), 0n)
  t.is((await queries.account(ACCOUNT))?.totalUsd, String(all))
  const [ofTests] = await queries.salesByDay({ accountId: ACCOUNT }, true, starts)
  t.like(ofTests, { day: 1, sales: 1, soldUsd: USD, fee: '0' })
  const ofStore = await queries.salesByDay({ accountId: ACCOUNT, stores: [2] }, false, starts)
  t.deepEqual(
    ofStore.map(({ day, sales, soldUsd }) => [day, sales, soldUsd]),
    [
      [0, 1, USD],
      [1, 0, '0'],
    ],
  )
  t.deepEqual([...(await queries.salesByDay({ accountId: 'acc_2' }, false, starts))], [])
  t.is(await queries.firstSaleAt(ACCOUNT), '2026-03-01T10:00:00.000Z')
  t.is(await queries.firstSaleAt('acc_2'), undefined)
})
