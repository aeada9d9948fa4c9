import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { sendDelivery } from '../../domain/reactions/effects/send-delivery.ts'
import type { EffectContext } from '../../domain/reactions/subscriber/effect.ts'
import { BUILT_IN_RECEIVER } from '../../domain/selling/webhooks/delivery.ts'
import type { LedgerEvent } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ledgerOn, newStore, streamOf } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { ACCOUNT, recordedTransaction, transferData } from './samples.ts'

test('W-DEL-02 a delivery tells the completed record, also when another process has just completed it, and is made once', async (t) => {
  const store = newStore(t)
  const [here, there] = [ledgerOn(store, fixedWorld('here')), ledgerOn(store, fixedWorld('there'))]
  await here.transaction.create('1', recordedTransaction)
  const { tx: hash, from: payer } = transferData
  await there.transaction.complete('1', { hash, payer, confirmedAt: '2026-03-02T10:07:00.000Z' })
  const url = 'https://merchant.example/hook'
  await there.webhook.setUrl(ACCOUNT, { slot: 'account', url, secret: 's', last4: 'last' })
  await there.delivery.schedule('e1', { accountId: ACCOUNT, transactionId: '1', url, slot: 'account', test: false })
  const [scheduled] = await streamOf(store, 'delivery-e1')

  const { context, bodies } = posting(here)
  const deliver = () => sendDelivery.on.DeliveryScheduled?.(scheduled as Scheduled, context)
  await deliver()
  await deliver()
  t.is(bodies.length, 1)
  t.like(bodies[0]?.transaction, { id: '1', status: 'C', confirmed_time: '2026-03-02 10:07:00' })
  t.deepEqual(
    (await streamOf(store, 'delivery-e1')).map(({ type }) => type),
    ['DeliveryScheduled', 'DeliveryAccepted'],
  )
})

test('W-URL-02 what waits for a webhook that is cleared meanwhile is not sent, and the log says why', async (t) => {
  const store = newStore(t)
  const ledger = ledgerOn(store, fixedWorld('here'))
  for (const slot of ['agent', 'account'] as const) {
    const eventId = `e-${slot}`
    const url = 'https://merchant.example/hook'
    await ledger.webhook.setUrl(ACCOUNT, { slot, url, secret: 's', last4: 'last' })
    await ledger.delivery.schedule(eventId, {
      accountId: ACCOUNT,
      transactionId: '',
      url,
      slot,
      test: true,
      reason: 'test',
    })
    await ledger.webhook.clearUrl(ACCOUNT, { slot })
    const [scheduled] = await streamOf(store, `delivery-${eventId}`)
    const { context, bodies } = posting(ledger)
    await sendDelivery.on.DeliveryScheduled?.(scheduled as Scheduled, context)
    t.is(bodies.length, 0)
    const [, failed] = await streamOf(store, `delivery-${eventId}`)
    t.like(failed, { type: 'DeliveryFailed', data: { status: null, reason: 'webhook-cleared', signed: false } })
  }
})

test('N-86 what waits for the built-in receiver is sent nowhere once that is not chosen any more', async (t) => {
  const store = newStore(t)
  const ledger = ledgerOn(store, fixedWorld('here'))
  await ledger.webhook.chooseReceiver(ACCOUNT, { receiver: 'built-in', secret: 's', last4: 'last' })
  const waits = { accountId: ACCOUNT, transactionId: '', url: BUILT_IN_RECEIVER, slot: 'receiver' } as const
  await ledger.delivery.schedule('e1', { ...waits, test: true, reason: 'test' })
  await ledger.webhook.chooseReceiver(ACCOUNT, { receiver: 'none', secret: 's', last4: 'last' })
  const [scheduled] = await streamOf(store, 'delivery-e1')
  const { context, bodies } = posting(ledger)
  await sendDelivery.on.DeliveryScheduled?.(scheduled as Scheduled, context)
  t.is(bodies.length, 0)
  t.like((await streamOf(store, 'delivery-e1'))[1], { type: 'DeliveryFailed', data: { reason: 'webhook-cleared' } })
})

type Scheduled = RecordedEvent<Extract<LedgerEvent, { type: 'DeliveryScheduled' }>>

/** A receiver that says 200 to everything; the rest of the outside is not asked. */
const posting = (ledger: Ledger) => {
  const bodies: { transaction: object }[] = []
  const outbound = {
    refusal: () => undefined,
    sign: () => '',
    post: async (_url: string, body: string) => {
      bodies.push(JSON.parse(body))
      return { status: 200, reason: undefined, bodyHead: '', durationMs: 1 }
    },
  }
  const vault = { open: async (sealed: string) => sealed }
  return { context: { ledger, world: fixedWorld('effect'), vault, outbound } as unknown as EffectContext, bodies }
}
