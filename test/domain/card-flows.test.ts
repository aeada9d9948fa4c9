import test from 'ava'
import type { CardNotice, CardProcessor, CheckoutRead } from '../../domain/card/ports.ts'
import { takeNotice } from '../../domain/flows/card/notice.ts'
import { type CardSale, payByCard } from '../../domain/flows/card/pay.ts'
import { expireDue } from '../../domain/flows/expire-due.ts'
import type { Flow } from '../../domain/flows/flow.ts'
import { followCardPayments } from '../../domain/policies/follow-card-payments.ts'
import { runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { cardOpened, connectedProcessor } from './card-samples.ts'
import { flow } from './flow-setup.ts'
import { ACCOUNT, recordedTransaction, requestOpened } from './samples.ts'

const MINUTE = 60_000
const { requestId, transactionId } = cardOpened.paymentRequest

/** A processor that opens pages and remembers them. */
const pages = () => {
  const opened = new Map<string, CheckoutRead & { expiresAt: string; idempotencyKey: string }>()
  const cards = {
    async openCheckout(_: string, { reference, charged, currency, expiresAt, idempotencyKey }) {
      const sessionId = `cs_${opened.size + 1}`
      const url = `https://pay.example/${sessionId}`
      const page = { sessionId, reference, status: 'open' as const, isPaid: false, url, paymentId: null, live: true }
      opened.set(sessionId, { ...page, charged, currency, expiresAt, idempotencyKey })
      return { ...page, charged, currency }
    },
    readCheckout: async (_: string, id: string) => opened.get(id),
  } satisfies Partial<CardProcessor>
  return { opened, cards: cards as unknown as CardProcessor }
}

const scene = async (expiresAt: string) => {
  const world = fixedWorld()
  const { opened, cards } = pages()
  const store = memoryStore()
  const secrets = JSON.stringify({ secretKey: 'sk_live_1', webhookSecret: 'whsec_1' })
  const parts: Flow = {
    ...flow(store, world),
    cards,
    vault: { open: async () => secrets } as unknown as Flow['vault'],
  }
  const { ledger } = parts
  await ledger.cardProcessor.connect(ACCOUNT, connectedProcessor)
  await ledger.paymentRequest.open(requestId, { ...requestOpened, accountId: ACCOUNT, transactionId, expiresAt })
  await ledger.transaction.create(transactionId, { ...recordedTransaction, challengeId: null, resId: null, requestId })
  const sale: CardSale = {
    ...{ accountId: ACCOUNT, resId: null, paymentRequest: cardOpened.paymentRequest, origin: requestId },
    ...{ amount: '48000000', currency: 'USD', webhookUrl: null, test: false, until: expiresAt },
    back: 'https://daybook.example/id/pr_1',
  }
  return { store, world, opened, parts, sale }
}

test('N-31 a page of the processor is open for half an hour at the least, and a request waits for whoever is on it', async (t) => {
  const { world, opened, parts, sale } = await scene('2026-03-02T10:15:00.000Z')
  const { url } = await payByCard(parts, sale)
  t.is((await payByCard(parts, sale)).url, url, 'the same page')
  const [page] = [...opened.values()]
  t.is(page?.expiresAt, '2026-03-02T10:32:00.000Z')
  t.regex(page?.idempotencyKey ?? '', /^card:hook_[a-z2-7]{26}:pr_1:1$/)
  const due = {
    expiredRequests: async () => [requestId],
    expiredTransactions: async () => [],
    challengesOfRequest: async () => [],
  }
  world.step(20 * MINUTE)
  t.is((await expireDue(parts.ledger, world, due)).requests, 0)
  world.step(15 * MINUTE)
  t.is((await expireDue(parts.ledger, world, due)).requests, 1)
})

test('N-31 a page that is closed, or was opened for another amount, is followed by the next one, within a bound', async (t) => {
  const { world, opened, parts, sale } = await scene('2026-03-05T10:00:00.000Z')
  await payByCard(parts, sale)
  t.is([...opened.values()][0]?.expiresAt, '2026-03-03T09:59:00.000Z', 'a day at the most')
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
  const loud: Flow = { ...parts, cards: { ...parts.cards, alarm: (message) => alarms.push(message) } }
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
