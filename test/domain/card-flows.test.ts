import test from 'ava'
import type { CardNotice } from '../../domain/card/ports.ts'
import { followCardPayments } from '../../domain/reactions/policies/card.ts'
import { expireDue } from '../../domain/use-cases/card/expire-due.ts'
import { takeNotice } from '../../domain/use-cases/card/notice.ts'
import { payByCard } from '../../domain/use-cases/card/pay.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { runPolicies } from '../support/ledger.ts'
import { cardOpened } from './card-samples.ts'
import { scene } from './card-scene.ts'
import { ACCOUNT } from './samples.ts'

const MINUTE = 60_000
const { requestId, transactionId } = cardOpened.paymentRequest

test('N-31 a page of the processor is open for half an hour at the least, and a request waits for whoever is on it', async (t) => {
  const { world, opened, parts, sale } = await scene('2026-03-02T10:15:00.000Z')
  const { id, url } = await payByCard(parts, sale)
  t.is((await payByCard(parts, sale)).url, url, 'the same page')
  const [page] = [...opened.values()]
  t.is(page?.expiresAt, '2026-03-02T10:32:00.000Z')
  t.regex(page?.idempotencyKey ?? '', /^card:cp_[a-z2-7]{26}:[0-9a-f]{32}$/)
  const due = {
    expiredRequests: async () => [requestId],
    expiredTransactions: async () => [],
    challengesOfRequest: async () => [],
    cardPagesOfRequest: async () => [id],
  }
  world.step(20 * MINUTE)
  t.is((await expireDue(parts.ledger, world, due)).requests, 0)
  world.step(15 * MINUTE)
  t.is((await expireDue(parts.ledger, world, due)).requests, 1)
})

test('N-31 a page that is closed, or was opened for another amount, is followed by the next one, within a bound', async (t) => {
  const { world, opened, parts, sale } = await scene('2026-03-05T10:00:00.000Z')
  await payByCard(parts, sale)
  t.is([...opened.values()][0]?.expiresAt, '2026-03-03T09:50:00.000Z', 'a day at the most by a clock behind')
  await payByCard(parts, { ...sale, amount: '49000000' })
  t.deepEqual(
    [...opened.values()].map(({ charged }) => charged),
    ['4800', '4900'],
  )
  for (let n = 0; n < 18; n++) {
    world.step(25 * 60 * MINUTE)
    await payByCard(parts, sale)
  }
  world.step(25 * 60 * MINUTE)
  await t.throwsAsync(payByCard(parts, sale), { message: /tried too often/ })
  t.is(opened.size, 20)
  await t.throwsAsync(payByCard(parts, { ...sale, currency: 'UGX' }), { message: /cannot be paid by card/ })
  await t.throwsAsync(payByCard(parts, { ...sale, test: true }), { message: /takes no cards/ })
})

test('J-CARD-01 a notice that cannot be read is told again, and one that does not fit its payment is said aloud', async (t) => {
  const { parts, sale } = await scene('2026-03-02T10:15:00.000Z')
  const { id } = await payByCard(parts, sale)
  await parts.ledger.cardPayment.report(id, { paymentId: 'pi_1', processorEventId: null })
  await parts.ledger.cardPayment.settle(id, {})
  const alarms: string[] = []
  const loud: UseCaseContext = { ...parts, cards: { ...parts.cards, alarm: (message) => alarms.push(message) } }
  const told = (notice: CardNotice) => takeNotice(loud, ACCOUNT, notice, async () => id)
  const dispute = { disputeId: 'dp_1', paymentId: 'pi_1', amount: '4800', currency: 'EUR', reason: 'x', held: true }
  await told({ eventId: 'evt_1', kind: 'disputed', dispute })
  const unread = told({ eventId: 'evt_2', kind: 'unread', type: 'charge.refunded' })
  await t.throwsAsync(unread, { code: 'unavailable' })
  await told({ eventId: 'evt_3', kind: 'other' })
  t.deepEqual(alarms, [
    'what was told of a payment by card does not fit it',
    'a notice of a card processor is not what it should be',
  ])
  t.like(await parts.ledger.cardPayment.read(id), { disputes: [] })
})

test('N-68 a policy that comes to a refund once more after it has failed does not note it again', async (t) => {
  const { store, world, parts, sale } = await scene('2026-03-02T10:15:00.000Z')
  const { ledger } = parts
  const { id } = await payByCard(parts, sale)
  await ledger.cardPayment.report(id, { paymentId: 'pi_1', processorEventId: null })
  await ledger.cardPayment.settle(id, {})
  const noted = async () => {
    await runPolicies(store, ledger, world, [followCardPayments])
    const transaction = await ledger.transaction.read(transactionId)
    return transaction.status !== 'none' && transaction.refundedAt !== undefined
  }
  t.false(await noted())
  await ledger.cardPayment.refund(id, { total: '4800', by: 'owner' })
  t.true(await noted())
  await ledger.cardPayment.unrefund(id, { refundId: 're_1', total: '0' })
  t.false(await noted())
  const told = store.events().filter(({ stream, type }) => stream.startsWith('transaction-') && /Refund/.test(type))
  t.deepEqual(
    told.map(({ type }) => type),
    ['RefundRecorded', 'RefundFailed'],
  )
})
