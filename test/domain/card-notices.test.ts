import test, { type ExecutionContext } from 'ava'
import type { CardNotice, CheckoutRead } from '../../domain/card/ports.ts'
import { takeNotice } from '../../domain/use-cases/card/notice.ts'
import { payByCard } from '../../domain/use-cases/card/pay.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { connectedProcessor } from './card-samples.ts'
import { scene } from './card-scene.ts'
import { ACCOUNT } from './samples.ts'

/** Notices of card processors: each counts for the payments of the seller alone whose processor has signed it. */

const OTHER = 'acc_2'
const PAID = 'pi_cs_1'

/** A sale by card whose page is open; whatever a processor is asked, it answers by this sale. */
const sold = async () => {
  const { store, parts, sale, pay, opened } = await scene('2026-03-02T10:15:00.000Z')
  await parts.ledger.cardProcessor.connect(OTHER, { ...connectedProcessor, hookId: `hook_${'b'.repeat(26)}` })
  const { id } = await payByCard(parts, sale)
  const session = () => opened.get('cs_1') as CheckoutRead
  const alarms: string[] = []
  const cards = {
    ...parts.cards,
    checkoutOfCharge: async (_: string, paymentId: string) => (paymentId === PAID ? session() : undefined),
    refundedOf: async () => '4800',
    readCheckout: async (_: string, sessionId: string) => (sessionId === 'cs_1' ? session() : undefined),
    alarm: (message: string) => void alarms.push(message),
  }
  const flow: UseCaseContext = { ...parts, cards }
  const take = (accountId: string, notice: CardNotice, paymentOf = async (): Promise<string | undefined> => id) =>
    takeNotice(flow, accountId, notice, paymentOf)
  const read = () => parts.ledger.cardPayment.read(id)
  const charge = { reference: id, paymentId: PAID, currency: 'USD' }
  const dispute = { disputeId: 'dp_1', paymentId: PAID, amount: '4800', currency: 'USD', reason: 'x', held: true }
  const settled = async () => {
    pay('cs_1')
    await take(ACCOUNT, { eventId: 'evt_own', kind: 'checkout', session: session() })
  }
  return { store, ledger: parts.ledger, take, read, session, settled, pay, alarms, charge, dispute, id }
}
type Sold = Awaited<ReturnType<typeof sold>>

/** None of these changes anything, whoever has signed it. */
const nothingOf = async (t: ExecutionContext, { store, take }: Sold, by: string, notices: readonly CardNotice[]) => {
  const before = store.events().length
  for (const notice of notices) {
    await take(by, notice)
    t.deepEqual(store.events().slice(before), [], JSON.stringify(notice))
  }
}

test('X-TEN-01 J-CARD-01 what the processor of another seller signs changes no payment by card of this one', async (t) => {
  const given = await sold()
  const { charge, dispute } = given
  const about = { eventId: 'evt_1' }
  const open = given.session()
  await nothingOf(t, given, OTHER, [
    { ...about, kind: 'ended', session: { ...open, status: 'expired' }, reason: 'expired' },
    { ...about, kind: 'checkout', session: { ...open, status: 'complete', isPaid: true, paymentId: PAID } },
  ])
  given.pay('cs_1')
  const money = [
    { ...about, kind: 'checkout', session: given.session() },
    { ...about, kind: 'refunded', charge, total: '4800' },
    { ...about, kind: 'refunded', charge: { ...charge, reference: null }, total: '4800' },
    { ...about, kind: 'refund-failed', refund: { refundId: 're_1', amount: '4800', hasFailed: true, charge } },
    { ...about, kind: 'disputed', dispute },
    { ...about, kind: 'dispute-closed', dispute, outcome: 'lost' },
  ] as const
  await nothingOf(t, given, OTHER, money)
  await given.settled()
  t.like(await given.read(), { status: 'settled', paymentId: PAID })
  await nothingOf(t, given, OTHER, money)
  t.deepEqual(given.alarms, [])
  await given.take(ACCOUNT, money[1])
  t.like(await given.read(), { refunded: '4800' })
})

test('J-CARD-01 a notice of a thing that names no payment of ours, or none that there is, changes nothing', async (t) => {
  const given = await sold()
  given.pay('cs_1')
  for (const reference of [null, 'order 7', `cp_${'z'.repeat(26)}`, `${given.id}x`]) {
    const session = { ...given.session(), reference }
    await nothingOf(t, given, ACCOUNT, [
      { eventId: 'evt_1', kind: 'checkout', session },
      { eventId: 'evt_1', kind: 'ended', session, reason: 'failed' },
    ])
  }
})

test('N-31 a page that has ended ends its own payment by card, and no page of another session or after the money', async (t) => {
  const given = await sold()
  const ended = (session: CheckoutRead) => ({ eventId: 'evt_1', kind: 'ended', session, reason: 'failed' }) as const
  await nothingOf(t, given, ACCOUNT, [ended({ ...given.session(), sessionId: 'cs_other' })])
  await given.take(ACCOUNT, ended(given.session()))
  t.like(await given.read(), { status: 'failed' })
  await given.settled()
  t.like(await given.read(), { status: 'settled' })
  await nothingOf(t, given, ACCOUNT, [ended(given.session())])
})

test('N-68 what is told of another charge, or in another currency, is said aloud and booked nowhere', async (t) => {
  const given = await sold()
  await given.settled()
  const { charge } = given
  await nothingOf(t, given, ACCOUNT, [
    { eventId: 'evt_1', kind: 'refunded', charge: { ...charge, paymentId: 'pi_other' }, total: '4800' },
    { eventId: 'evt_2', kind: 'refunded', charge: { ...charge, currency: 'EUR' }, total: '4800' },
  ])
  t.is(given.alarms.length, 2)
})

test('J-CARD-01 N-68 what is told of a charge before its sale was is booked after that sale, and only where one is found', async (t) => {
  const given = await sold()
  const { charge, store } = given
  const refunded = { eventId: 'evt_1', kind: 'refunded', total: '4800' } as const
  const unknown = { ...charge, reference: null, paymentId: 'pi_none' }
  const before = store.events().length
  await given.take(ACCOUNT, { ...refunded, charge: unknown }, async () => undefined)
  t.deepEqual([store.events().length, given.alarms.length], [before, 0], 'a charge of the seller’s own')
  given.pay('cs_1')
  await given.take(ACCOUNT, { ...refunded, charge: { ...charge, reference: null } }, async () => undefined)
  t.like(await given.read(), { status: 'settled', paymentId: PAID, refunded: '4800' })
})

test('N-68 a sum that was told before a refund has failed does not count after it', async (t) => {
  const given = await sold()
  const { charge } = given
  await given.settled()
  await given.take(ACCOUNT, { eventId: 'evt_1', kind: 'refunded', charge, total: '1000' })
  t.like(await given.read(), { refunded: '1000' })
  const refund = { refundId: 're_1', amount: '1000', hasFailed: true, charge }
  await given.take(ACCOUNT, { eventId: 'evt_2', kind: 'refund-failed', refund })
  t.like(await given.read(), { failedRefunds: ['re_1'], refunded: '4800' }, 'by the processor’s own word')
  await nothingOf(t, given, ACCOUNT, [{ eventId: 'evt_3', kind: 'refunded', charge, total: '9999' }])
  t.deepEqual(given.alarms, ['a refund of a payment by card has failed'])
  await nothingOf(t, given, ACCOUNT, [{ eventId: 'evt_2', kind: 'refund-failed', refund }])
  t.is(given.alarms.length, 1, 'it is said once')
})

test('J-CARD-01 N-68 what is given back of a payment that a crash left unsettled is booked after it has settled', async (t) => {
  const given = await sold()
  given.pay('cs_1')
  await given.ledger.cardPayment.report(given.id, { paymentId: PAID, processorEventId: null })
  await given.take(ACCOUNT, { eventId: 'evt_1', kind: 'refunded', charge: given.charge, total: '4800' })
  t.like(await given.read(), { status: 'settled', refunded: '4800' })
})

test('J-CARD-01 a notice whose sum is not what was asked is asked for again before it counts', async (t) => {
  const given = await sold()
  given.pay('cs_1')
  const session = { ...given.session(), charged: null }
  await given.take(ACCOUNT, { eventId: 'evt_1', kind: 'checkout', session })
  t.like(await given.read(), { status: 'settled', mismatches: [] })
})

test('N-68 a dispute is said aloud once, and a sum that is none is told again by the processor', async (t) => {
  const given = await sold()
  await given.settled()
  const { charge, dispute } = given
  for (const eventId of ['evt_1', 'evt_2']) await given.take(ACCOUNT, { eventId, kind: 'disputed', dispute })
  t.deepEqual(given.alarms, ['a payment by card is disputed'])
  await t.throwsAsync(given.take(ACCOUNT, { eventId: 'evt_3', kind: 'refunded', charge, total: 'all' }))
  await nothingOf(t, given, ACCOUNT, [{ eventId: 'evt_4', kind: 'refunded', charge, total: '4801' }])
  t.is(given.alarms[1], 'what was given back of a payment by card does not fit it')
})
