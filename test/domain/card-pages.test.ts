import test from 'ava'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { closePages, closePagesOf } from '../../domain/use-cases/card/close.ts'
import { endDueCardPages } from '../../domain/use-cases/card/end-due.ts'
import { payByCard } from '../../domain/use-cases/card/pay.ts'
import { lookAtCheckout } from '../../domain/use-cases/card/settle.ts'
import { cardOpened, connectedProcessor } from './card-samples.ts'
import { scene } from './card-scene.ts'
import { codeOf } from './flow-setup.ts'
import { ACCOUNT } from './samples.ts'

/** How pages of a card processor are opened beside what else happens, and how they end. */

const MINUTE = 60_000
const LATER = '2026-03-03T10:00:00.000Z'
const { requestId } = cardOpened.paymentRequest

test('N-31 a page whose opening was not heard is opened anew when the product was changed meanwhile', async (t) => {
  const { opened, outside, parts, sale } = await scene(LATER)
  outside.meanwhile = () => Promise.reject(new Refusal('unavailable'))
  t.is(await codeOf(payByCard(parts, sale)), 'unavailable')
  outside.meanwhile = async () => undefined
  await parts.ledger.cardProcessor.connect(ACCOUNT, { ...connectedProcessor, fingerprint: 'f2', productId: 'prod_2' })
  t.is((await payByCard(parts, sale)).url, 'https://pay.example/cs_2')
  t.deepEqual(
    [...opened.values()].map(({ productId }) => productId),
    ['prod_1', 'prod_2'],
  )
})

test('N-31 J-CARD-01 of two pages for one payment only the one that was written down is shown', async (t) => {
  const { opened, outside, parts, sale } = await scene(LATER)
  outside.meanwhile = async () => {
    const [page] = [...opened.values()]
    await parts.ledger.cardPayment.place(page?.reference ?? '', { sessionId: 'cs_other' })
  }
  t.is(await codeOf(payByCard(parts, sale)), 'unavailable')
})

test('N-31 J-PRQ-03 a page that is opened while its request is withdrawn, or its processor left, is shown to nobody', async (t) => {
  const withdrawn = await scene(LATER)
  withdrawn.outside.meanwhile = () => withdrawn.parts.ledger.paymentRequest.withdraw(requestId, { reason: 'deleted' })
  t.is(await codeOf(payByCard(withdrawn.parts, withdrawn.sale)), 'state-forbids')
  const left = await scene(LATER)
  left.outside.meanwhile = () => left.parts.ledger.cardProcessor.disconnect(ACCOUNT, {})
  t.is(await codeOf(payByCard(left.parts, left.sale)), 'unavailable')
  for (const { opened, said } of [withdrawn, left]) {
    t.is(opened.get('cs_1')?.status, 'expired')
    t.is(said('CardPaymentFailed'), 1)
  }
  const closed = await scene(LATER)
  closed.outside.meanwhile = () => closePages(closed.parts, requestId)
  t.is(await codeOf(payByCard(closed.parts, closed.sale)), 'unavailable', 'also when nobody knew its page yet')
})

test('N-05 N-31 closing the pages of a request takes what was paid on one, and ends the others', async (t) => {
  const unpaid = await scene(LATER)
  await payByCard(unpaid.parts, unpaid.sale)
  t.false(await closePages(unpaid.parts, requestId))
  t.is(unpaid.opened.get('cs_1')?.status, 'expired')
  const paid = await scene(LATER)
  await payByCard(paid.parts, paid.sale)
  paid.pay('cs_1')
  t.true(await closePages(paid.parts, requestId))
  t.is(paid.said('CardPaymentSettled'), 1)
  const silent = await scene(LATER)
  await payByCard(silent.parts, silent.sale)
  silent.outside.isDown = true
  t.is(await codeOf(closePages(silent.parts, requestId)), 'unavailable', 'nobody knows')
})

test('N-31 what nobody tells of a page is asked for after its time; who cannot be asked is waited for a week', async (t) => {
  const { world, opened, outside, alarms, parts, sale, pay, said } = await scene(LATER)
  const sales = await Promise.all(
    ['a', 'b', 'c', 'd'].map(async (origin) => {
      const { paymentRequest: _, ...one } = sale
      const { id } = await payByCard(parts, { ...one, origin })
      const [sessionId = ''] = [...opened.values()].filter(({ reference }) => reference === id).map((p) => p.sessionId)
      return { id, sessionId, accountId: ACCOUNT, expiresAt: world.now().toISOString() }
    }),
  )
  const [paid, odd, late, never] = sales
  if (!paid || !odd || !late || !never) return t.fail()
  const failed = (error: unknown) => t.fail(String(error))
  const round = (...due: typeof sales) => endDueCardPages(parts, { cardPagesDue: async () => due }, '', failed)
  pay(paid.sessionId)
  pay(odd.sessionId)
  opened.set(odd.sessionId, { ...(opened.get(odd.sessionId) ?? t.fail()), charged: '1' } as never)
  const cut = endDueCardPages(parts, { cardPagesDue: async () => sales }, '', failed, AbortSignal.abort())
  t.is(await cut, '', 'whoever stops asks nobody')
  t.is(said('CardPaymentFailed'), 0)
  await round(paid, odd)
  t.deepEqual([said('CardPaymentSettled'), said('CardPaymentMismatched'), said('CardPaymentFailed')], [1, 1, 1])
  outside.isDown = true
  for (let day = 1; day <= 7; day++) {
    await round(late, never)
    world.step(24 * 60 * MINUTE)
  }
  t.is(said('CardPaymentFailed'), 1, 'nobody knows yet')
  await parts.ledger.cardProcessor.disconnect(ACCOUNT, {})
  t.is(await lookAtCheckout(parts, never.id), 'unasked')
  world.step(MINUTE)
  await round(late, never)
  t.is(said('CardPaymentFailed'), 3)
  t.is(alarms.filter((message) => /nobody could say/.test(message)).length, 2)
  await parts.ledger.cardProcessor.connect(ACCOUNT, { ...connectedProcessor, fingerprint: 'f2' })
  outside.isDown = false
  pay(late.sessionId)
  t.is(await lookAtCheckout(parts, late.id), 'settled', 'what is said later counts')
})

test('J-CARD-07 N-31 before a processor is left its pages are closed, and what cannot be asked is told', async (t) => {
  const { opened, outside, alarms, parts, sale, pay, said } = await scene(LATER)
  const ids: string[] = []
  for (const origin of ['a', 'b']) {
    const { paymentRequest: _, ...one } = sale
    ids.push((await payByCard(parts, { ...one, origin })).id)
  }
  outside.isDown = true
  await closePagesOf(parts, ACCOUNT, async () => ids)
  t.deepEqual(alarms, ['pages of a card processor that is left could not be closed'])
  outside.isDown = false
  pay('cs_1')
  await closePagesOf(parts, ACCOUNT, async () => ids)
  t.is(alarms.length, 1)
  t.deepEqual([said('CardPaymentSettled'), opened.get('cs_2')?.status], [1, 'expired'])
})
