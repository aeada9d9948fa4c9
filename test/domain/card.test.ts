import test from 'ava'
import { chargedFor, worthOfCharged } from '../../domain/card/minor-units.ts'
import { cardPayment } from '../../domain/card/payment.ts'
import { cardProcessor } from '../../domain/card/processor.ts'
import { assets } from '../../domain/kernel/assets.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { accountsOf, decimalsOf, isCurrency, postingsOf } from '../../domain/reading/journal.ts'
import { CARD_ID, cardOpened, connectedProcessor, PAYMENT_ID } from './card-samples.ts'
import { ACCOUNT } from './samples.ts'

const NOW = '2026-03-02T10:00:00.000Z'

test('N-31 amounts are counted as the processor counts them, and what it cannot count exactly is not charged', (t) => {
  const cases: [currency: string, millionths: bigint, charged: string | undefined][] = [
    ['USD', 12_340_000n, '1234'],
    ['USD', 12_345_000n, undefined],
    ['USD', 0n, undefined],
    ['USD', 999_999_990_000n, '99999999'],
    ['USD', 1_000_000_000_000n, undefined],
    ['JPY', 500_000_000n, '500'],
    ['JPY', 500_500_000n, undefined],
    ['KWD', 1_230_000n, '1230'],
    ['KWD', 1_234_000n, undefined],
    ['ISK', 500_000_000n, '50000'],
    ['ISK', 500_500_000n, undefined],
    ['MGA', 5_000_000n, '5'],
    ['MGA', 5_200_000n, undefined],
    ['UGX', 5_000_000n, undefined],
    ['XAU', 5_000_000n, undefined],
    ['usd', 5_000_000n, undefined],
  ]
  for (const [currency, millionths, charged] of cases) {
    t.is(chargedFor(String(millionths), currency), charged, `${millionths} ${currency}`)
    if (charged !== undefined) t.is(worthOfCharged(charged, currency), String(millionths))
  }
  t.is(worthOfCharged('5', 'UGX'), undefined)
})

type Step = {
  [C in keyof typeof cardPayment.decide]: [C, Parameters<(typeof cardPayment.decide)[C]>[1]]
}[keyof typeof cardPayment.decide]

/** What each step writes, one after the other. */
const played = (...steps: readonly Step[]) => {
  let state = cardPayment.initial
  const written: { type: string; data: object }[] = []
  for (const [command, data] of steps) {
    const events = cardPayment.decide[command](state, data as never, NOW)
    written.push(...events)
    state = fold(cardPayment, events, state)
  }
  return { state, written, types: written.map(({ type }) => type) }
}

const paid: readonly Step[] = [
  ['open', cardOpened],
  ['place', { sessionId: 'cs_1' }],
  ['report', { paymentId: PAYMENT_ID, processorEventId: 'evt_1' }],
  ['settle', {}],
]

test('J-CARD-01 a payment by card settles once, whatever is told again', (t) => {
  const { types, state } = played(
    ...paid,
    ...paid,
    ['setAside', { reason: 'doubled' }],
    ['fail', { reason: 'expired' }],
  )
  t.deepEqual(types, ['CardPaymentOpened', 'CardCheckoutOpened', 'CardPaymentReported', 'CardPaymentSettled'])
  t.like(state, { status: 'settled', paymentId: PAYMENT_ID, sessionId: 'cs_1' })
  const failed = played(...paid.slice(0, 2), ['fail', { reason: 'failed' }], ...paid.slice(2))
  t.is(failed.types.at(-1), 'CardPaymentSettled', 'money that came after all is taken')
  const double = played(...paid.slice(0, 3), ['setAside', { reason: 'doubled' }], ['settle', {}])
  t.is(double.types.at(-1), 'CardPaymentSetAside')
})

test('N-68 what is given back is counted by its total, so that what is told twice counts once', (t) => {
  const totals = (...all: string[]) => all.map((total): Step => ['refund', { total, by: 'processor' }])
  const { written } = played(...paid, ...totals('1000', '1000', '500', '4800', '4800'))
  const refunds = written.filter(({ type }) => type === 'CardRefunded').map(({ data }) => data)
  t.like(refunds, [
    { amount: '10000000', total: '10000000', whole: false },
    { amount: '38000000', total: '48000000', whole: true },
  ])
  t.throws(() => played(...paid, ...totals('4801')), { message: /more than was paid/ })
  t.throws(() => played(...paid.slice(0, 2), ...totals('1')), { message: /has not come/ })
})

test('N-68 a refund that fails is undone once, to what the processor says is given back', (t) => {
  const whole: Step = ['refund', { total: '4800', by: 'owner' }]
  const failed = (refundId: string, total: string): Step => ['unrefund', { refundId, total }]
  const { written, state } = played(...paid, whole, failed('re_1', '1000'), failed('re_1', '0'), whole)
  t.deepEqual(
    written.slice(4).map(({ type, data }) => [type, (data as { amount: string }).amount]),
    [
      ['CardRefunded', '48000000'],
      ['CardRefundFailed', '38000000'],
      ['CardRefunded', '38000000'],
    ],
  )
  t.like(state, { refunded: '4800', refundTries: 1, failedRefunds: ['re_1'] })
  const early = played(...paid, failed('re_2', '4800'))
  t.like(early.written.at(-1)?.data, { amount: '0', charged: '0' }, 'told before that it was given back')
})

test('N-68 what the processor refuses to give back is counted once for all who asked at once', (t) => {
  const refused = (tries: number): Step => ['refuseRefund', { tries }]
  t.is(
    played(...paid, refused(0), refused(0), refused(1), refused(5)).types.filter((type) => type === 'CardRefundRefused')
      .length,
    2,
  )
})

const opened: Step = ['dispute', { disputeId: 'dp_1', charged: '4800', reason: 'fraudulent', held: true }]
const closed = (outcome: 'won' | 'lost'): Step => [
  'closeDispute',
  { disputeId: 'dp_1', charged: '4800', held: true, outcome },
]

test('a dispute is opened and closed once, also when that is told the other way round', (t) => {
  const usual = played(...paid, opened, opened, closed('lost'), closed('lost'))
  t.deepEqual(usual.types.slice(4), ['CardPaymentDisputed', 'CardDisputeClosed'])
  const turned = played(...paid, closed('won'), opened)
  t.deepEqual(turned.types.slice(4), ['CardPaymentDisputed', 'CardDisputeClosed'])
})

test('I-SUM-01 the money of cards is in the books in its own currency, and every story of it sums to zero', (t) => {
  const balances = (...steps: readonly Step[]) => {
    const held = new Map<string, bigint>()
    for (const event of played(...steps).written)
      for (const { account, asset, amount } of postingsOf({ ...event, stream: `cardPayment-${CARD_ID}` }))
        held.set(`${account} ${asset}`, (held.get(`${account} ${asset}`) ?? 0n) + BigInt(amount))
    return Object.fromEntries(
      [...held].filter(([, amount]) => amount !== 0n).map(([name, amount]) => [name, String(amount)]),
    )
  }
  const [card, disputed] = [`seller:${ACCOUNT}:card EUR`, `seller:${ACCOUNT}:disputed EUR`]
  t.deepEqual(balances(...paid), { [card]: '48000000', 'buyers EUR': '-48000000' })
  t.deepEqual(balances(...paid, ['refund', { total: '4800', by: 'owner' }]), {})
  const [refunded, failed]: Step[] = [
    ['refund', { total: '4800', by: 'owner' }],
    ['unrefund', { refundId: 're_1', total: '0' }],
  ]
  t.deepEqual(balances(...paid, refunded as Step, failed as Step), { [card]: '48000000', 'buyers EUR': '-48000000' })
  t.deepEqual(balances(...paid, opened), { [disputed]: '48000000', 'buyers EUR': '-48000000' })
  t.deepEqual(balances(...paid, opened, closed('won')), { [card]: '48000000', 'buyers EUR': '-48000000' })
  t.deepEqual(balances(...paid, opened, closed('lost')), {})
  t.deepEqual(balances(['open', { ...cardOpened, test: true }], ...paid.slice(1)), {}, 'a test moves nothing')
  t.is(decimalsOf('EUR'), 6)
  for (const { code } of assets) t.false(isCurrency(code.toUpperCase()), 'no coin is called as a currency in the books')
  t.true(accountsOf(ACCOUNT).includes(`seller:${ACCOUNT}:card`))
})

test('J-CARD-03 J-CARD-07 the same keys again change nothing, and what is forgotten can be connected anew', (t) => {
  const [event] = cardProcessor.decide.connect(cardProcessor.initial, connectedProcessor, NOW)
  const state = fold(cardProcessor, event ? [event] : [])
  t.like(state, { status: 'connected', mode: 'live', verifiedAt: NOW })
  t.deepEqual(cardProcessor.decide.connect(state, { ...connectedProcessor, secrets: 'v1.sealed anew' }, NOW), [])
  const gone = fold(cardProcessor, cardProcessor.decide.disconnect(state, {}, NOW), state)
  t.deepEqual(gone, { status: 'none' })
  t.deepEqual(cardProcessor.decide.disconnect(gone, {}, NOW), [])
})
