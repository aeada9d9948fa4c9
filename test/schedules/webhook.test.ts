import test from 'ava'
import { sendDelivery } from '../../domain/effects/send-delivery.ts'
import { notifyMerchant } from '../../domain/policies/notify-merchant.ts'
import { recordTransaction } from '../../domain/policies/record-transaction.ts'
import { idOf, type Policy } from '../../domain/policy.ts'
import type { Outbound, PostResult, Recorded, Vault } from '../../domain/ports.ts'
import { countOf, createCheck } from './books.ts'
import { settled } from './given.ts'
import { createMachine, createOutside } from './machine.ts'
import { found, holds } from './proving.ts'
import { type Scenario, step } from './schedule.ts'

/** From a settlement to the merchant's webhook, by followers that may be cut off anywhere and begin again where their checkpoint stands. */

const given = await settled()

const CRASH = { preemptions: 0, crashes: 1 }

test('W-DEL-01 W-RTY-01 a settlement is delivered in one delivery, whose outcome is recorded once, also when it is sent twice', (t) =>
  holds(t, delivering(), 1_500, CRASH, { preemptions: 1, crashes: 0 }))

test('W-DEL-01 a policy that answers its own deliveries is found out', (t) =>
  found(t, delivering(echoing), /^two of one delivery|answers its own/, { preemptions: 0, crashes: 0 }))

const ACCEPTED: PostResult = { status: 200, reason: undefined, bodyHead: 'thanks', durationMs: 1 }

const delivering =
  (notify: Policy = notifyMerchant): Scenario =>
  (start) => {
    const outside = createOutside(given)
    /** The event ids that the merchant has received. */
    const received: string[] = []
    const checkBooks = createCheck()
    let starts = 0
    const outbound: Outbound = {
      refusal: () => undefined,
      sign: () => 't=1,v1=2',
      async post(_url, _body, headers) {
        received.push(String(headers['X-Webhook-Event-Id']))
        await step(`POST number ${received.length} was answered`, { crash: true })
        return ACCEPTED
      },
    }
    start('A', (self) => {
      starts++
      const machine = createMachine(self, outside)
      machine.run(recordTransaction)
      machine.run(notify)
      machine.run(sendDelivery, { outbound, vault: openVault })
    })
    return {
      shared: () => `${outside.shared()} ${received.length}`,
      always() {
        const events = outside.store.events()
        checkBooks(events)
        if (received.length > starts) throw new Error(`${received.length} POSTs by ${starts} processes`)
        for (const event of events) checkDelivery(event, received)
      },
      atRest() {
        const events = outside.store.events()
        for (const type of ['TransactionCompleted', 'DeliveryScheduled', 'DeliveryAccepted'])
          if (countOf(events, type) !== 1) throw new Error(`${countOf(events, type)} of ${type} at rest`)
        if (new Set(received).size !== 1) throw new Error(`received ${received.join()}`)
      },
    }
  }

/** A delivery is scheduled first and has its outcome second, after the merchant has received it. */
const checkDelivery = ({ type, stream, revision }: Recorded, received: readonly string[]) => {
  if (type === 'DeliveryScheduled' && revision !== 0n) throw new Error(`${stream} is scheduled at ${revision}`)
  if (type !== 'DeliveryAccepted') return
  if (revision !== 1n) throw new Error(`${stream} has its outcome at ${revision}`)
  if (!received.includes(idOf(stream))) throw new Error(`${stream} was accepted and never received`)
}

const openVault: Pick<Vault, 'open'> = { open: async () => 'secret' }

/** Tells the merchant that he was told. */
const echoing: Policy = {
  name: notifyMerchant.name,
  on: {
    ...notifyMerchant.on,
    DeliveryScheduled: ({ id, data }, { ledger, world }) =>
      ledger.delivery.schedule(world.digest(`delivery|${id}`).slice(0, 32), data),
  },
}
