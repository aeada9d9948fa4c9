import test from 'ava'
import type { CheckoutRead } from '../../domain/card/ports.ts'
import { finishCardPayments } from '../../domain/reactions/policies/card.ts'
import { takeCheckout } from '../../domain/use-cases/card/settle.ts'
import { CARD_ID, cardOpened, PAYMENT_ID } from '../domain/card-samples.ts'
import { CHALLENGE_ID, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { payingByCard } from './given.ts'
import { createMachine, createOutside, seen, watched } from './machine.ts'
import { holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** One request that is paid by card and by coin at once, while its time runs out, in two processes that may die. */

const given = await payingByCard()

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }

test('X-IDEM-04 J-CARD-01 a notice, its repeat and the buyer who comes back settle one payment by card once', (t) =>
  holds(t, racing({ A: ['notice', 'back'], B: ['again'] }), 100, PREEMPTION, CRASH))

test('J-PRQ-03 J-CARD-01 of a coin and a card one pays the request, and the other is set aside, also when its time is up', (t) =>
  holds(t, racing({ A: ['notice', 'expiry'], B: ['coin'] }), 100, PREEMPTION, CRASH))

test('J-PRQ-03 J-CARD-01 what is paid while its request is withdrawn counts once', (t) =>
  holds(t, racing({ A: ['notice'], B: ['withdrawal', 'coin'] }), 100, PREEMPTION, CRASH))

test('J-CARD-01 what a crash cut off between the money and the sale is finished by a policy', (t) =>
  holds(t, racing({ A: ['notice'], B: ['finish', 'coin'] }, { retries: false }), 100, PREEMPTION, CRASH))

type Actor = 'notice' | 'again' | 'back' | 'coin' | 'expiry' | 'withdrawal' | 'finish'

const { requestId } = cardOpened.paymentRequest

const session: CheckoutRead = {
  sessionId: 'cs_1',
  reference: CARD_ID,
  status: 'complete',
  isPaid: true,
  url: null,
  paymentId: PAYMENT_ID,
  charged: cardOpened.charged,
  currency: cardOpened.currency,
  live: true,
}
const cards = { alarm: () => {} } as unknown as Parameters<typeof takeCheckout>[0]['cards']

const racing =
  (actors: { readonly [process: string]: readonly Actor[] }, { retries = true } = {}): Scenario =>
  (start) => {
    const outside = createOutside(given)
    const done = new Set<string>()
    const asked = new Set<string>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        const { ledger } = machine
        const acts: Record<Exclude<Actor, 'finish'>, () => Promise<unknown>> = {
          notice: () => takeCheckout({ ledger, cards }, CARD_ID, session, 'evt_1'),
          again: () => takeCheckout({ ledger, cards }, CARD_ID, session, 'evt_1'),
          back: () => takeCheckout({ ledger, cards }, CARD_ID, session, null),
          coin: () => seen(ledger, CHALLENGE_ID, transferData),
          expiry: () => ledger.paymentRequest.expire(requestId, {}),
          withdrawal: () => ledger.paymentRequest.withdraw(requestId, { reason: 'deleted' }),
        }
        for (const actor of own)
          if (actor === 'finish') machine.run(finishCardPayments)
          else if (!done.has(actor) && (retries || !asked.has(actor))) {
            asked.add(actor)
            self.task(actor, async () => {
              await acts[actor]()
              done.add(actor)
            })
          }
      })
    const checkBooks = createCheck()
    return {
      shared: outside.shared,
      always: () => checkBooks(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        const events = outside.store.events()
        checkBooks(events)
        const count = (type: string) => countOf(events, type)
        const reported = count('CardPaymentReported')
        if (count('CardPaymentSettled') + count('CardPaymentSetAside') !== reported)
          throw new Error('a payment by card that came to nothing')
        const sold = count('CardPaymentSettled') + count('ChallengeSettled')
        const fees = count('CreditDebited')
        const completed = count('TransactionCompleted')
        const came = reported + count('TransferClaimed')
        if (came > 0 && (sold !== 1 || fees !== 1 || completed !== 1 || count('DeliveryScheduled') !== 1))
          throw new Error(`${came} payments came: ${sold} sales, ${fees} fees, ${completed} completed`)
      },
    }
  }
