import test from 'ava'
import { idOf } from '../../domain/kernel/decider.ts'
import type { Outbound, PostResult, RecordedEvent, Vault } from '../../domain/kernel/ports.ts'
import { sendDelivery } from '../../domain/reactions/effects/send-delivery.ts'
import { notifyMerchant, recordTransaction } from '../../domain/reactions/policies/selling.ts'
import type { Policy } from '../../domain/reactions/subscriber/policy.ts'
import { countOf, createCheck } from './books.ts'
import { scheduled, settled } from './given.ts'
import { createMachine, createOutside, loseLease, type Outside } from './machine.ts'
import { found, holds } from './proving.ts'
import { type Checks, type Scenario, step } from './schedule.ts'

/**
 * From a settlement to the merchant's webhook, by followers that may be cut off anywhere and begin again where their
 * checkpoint stands.
 */

const afterSettlement = await settled()
const afterScheduling = await scheduled()

test('W-DEL-01 W-RTY-01 a settlement is delivered in one delivery, whose outcome is recorded once, wherever its sender dies', (t) =>
  holds(t, delivering(), 1_200, { preemptions: 0, crashes: 1 }, { preemptions: 1, crashes: 0 }))

test('W-DEL-01 when a second process takes over a delivery that is being sent, its outcome is recorded once', (t) =>
  holds(t, takingOver, 300, { preemptions: 1, crashes: 1 }))

test('W-DEL-01 a policy that answers its own deliveries is found out', (t) =>
  found(t, delivering(echoing), /^two of one delivery/, { preemptions: 0, crashes: 0 }))

/** One process records the transaction, schedules its delivery and sends it. */
const delivering =
  (notify: Policy = notifyMerchant): Scenario =>
  (start) => {
    const outside = createOutside(afterSettlement)
    const merchant = createMerchant(outside)
    start('A', (self) => {
      const machine = createMachine(self, outside)
      machine.run(recordTransaction)
      machine.run(notify)
      machine.run(sendDelivery, merchant.reachedFrom(self.name))
    })
    const { always, ...checks } = checksOf(outside, merchant)
    return {
      ...checks,
      always() {
        always()
        if (new Set(merchant.senders).size < merchant.senders.length) throw new Error('one process has sent it twice')
        if (merchant.late()) throw new Error('it was sent although its outcome was there')
      },
    }
  }

/** A delivery is scheduled, and at any moment another process may take the lease of who sends it. */
const takingOver: Scenario = (start) => {
  const outside = createOutside(afterScheduling)
  const merchant = createMerchant(outside)
  for (const name of ['A', 'B'])
    start(name, (self) => createMachine(self, outside).run(sendDelivery, merchant.reachedFrom(self.name)))
  loseLease(start, outside, sendDelivery.name, 'A')
  return checksOf(outside, merchant)
}

type Merchant = ReturnType<typeof createMerchant>
const ACCEPTED: PostResult = { status: 200, reason: undefined, bodyHead: 'thanks', durationMs: 1 }

/** Takes what is sent, and answers. */
const createMerchant = ({ store }: Outside) => {
  const eventIds: unknown[] = []
  const senders: string[] = []
  let late = false
  const reachedFrom = (sender: string) => {
    const outbound: Outbound = {
      refusal: () => undefined,
      sign: () => 't=1,v1=2',
      receive: () => ACCEPTED,
      get: () => Promise.reject(new Error('nothing is read')),
      async post(_url, _body, headers) {
        eventIds.push(headers['X-Webhook-Event-Id'])
        senders.push(sender)
        late ||= countOf(store.events(), 'DeliveryAccepted') > 0
        await step(`POST number ${senders.length} was answered`, { crash: true })
        return ACCEPTED
      },
    }
    const vault: Pick<Vault, 'open'> = { open: async () => 'secret' }
    return { outbound, vault }
  }
  return { reachedFrom, eventIds, senders, late: () => late }
}

const checksOf = ({ store, shared }: Outside, { eventIds, senders, late }: Merchant): Checks => {
  const checkBooks = createCheck()
  return {
    shared: () => [shared(), ...senders, late()].join(),
    always() {
      checkBooks(store.events())
      for (const event of store.events()) checkDelivery(event, eventIds)
    },
    atRest() {
      for (const type of ['TransactionCompleted', 'DeliveryScheduled', 'DeliveryAccepted'])
        if (countOf(store.events(), type) !== 1) throw new Error(`${countOf(store.events(), type)} of ${type} at rest`)
      if (new Set(eventIds).size !== 1) throw new Error(`received as ${eventIds.join()}`)
    },
  }
}

/** A delivery is scheduled first and has its outcome second, after the merchant has received it. */
const checkDelivery = ({ type, stream, revision }: RecordedEvent, received: readonly unknown[]) => {
  if (type === 'DeliveryScheduled' && revision !== 0n) throw new Error(`${stream} is scheduled at ${revision}`)
  if (type !== 'DeliveryAccepted') return
  if (revision !== 1n) throw new Error(`${stream} has its outcome at ${revision}`)
  if (!received.includes(idOf(stream))) throw new Error(`${stream} was accepted and never received`)
}

/** Tells the merchant that he was told. */
const echoing: Policy = {
  ...notifyMerchant,
  on: {
    ...notifyMerchant.on,
    DeliveryScheduled: ({ id, data }, { ledger, world }) =>
      ledger.delivery.schedule(world.digest(`delivery|${id}`).slice(0, 32), data),
  },
}
