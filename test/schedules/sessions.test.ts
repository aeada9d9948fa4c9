import test from 'ava'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { cancelSession, readySession } from '../../domain/use-cases/commerce/pay-session.ts'
import { sessionIn } from '../../domain/use-cases/commerce/sessions.ts'
import { onceOf } from '../../domain/use-cases/once.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { SESSION_ID, sessionCreated } from '../domain/commerce-samples.ts'
import { sellerOn } from '../domain/flow-setup.ts'
import { ACCOUNT, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { flowOn } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import { holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** One session that two processes complete, cancel and book a payment of, while either may die. */

const TWO_TURNS = { preemptions: 2, crashes: 0 }
const ONE_CRASH = { preemptions: 0, crashes: 1 }

test('T-SES-02 C-SES-06 a session that two processes complete has one request, one transaction and one set of challenges', (t) =>
  holds(t, racing({ A: ['completes'], B: ['completes'] }), 100, TWO_TURNS, ONE_CRASH))

test('T-SES-04 N-05 of a completion and a cancellation one wins, and of what is canceled nothing is left to pay', (t) =>
  holds(t, racing({ A: ['completes'], B: ['cancels'] }), 100, TWO_TURNS, ONE_CRASH))

test('T-SES-03 N-06 I-SET-01 a session that is paid while it is canceled is an order or is canceled, and never both', (t) =>
  holds(t, racing({ A: ['pays'], B: ['cancels'] }, true), 30, TWO_TURNS, ONE_CRASH))

type Actor = 'completes' | 'cancels' | 'pays'

const created = async () => {
  const store = memoryStore()
  const ledger = await sellerOn(store)
  await ledger.checkoutSession.create(SESSION_ID, sessionCreated)
  return store.events()
}
const shop = { accountId: ACCOUNT, storeId: 1 }

const unkeyed = onceOf({ world: fixedWorld('calls'), vault: undefined as never }, undefined)

/** The session with its challenges minted, and a transfer that pays one. */
const minted = async () => {
  const store = memoryStore(await created())
  const world = fixedWorld('minted')
  const flow = flowOn(store, ledgerOn(store, world), world)
  const named = { sessionId: SESSION_ID, session: await sessionIn(flow, shop, SESSION_ID) }
  const { minted: set } = await readySession(flow, unkeyed, named, null)
  const [entry] = set.entries
  const transfer = { ...transferData, to: entry?.payTo ?? '', amount: entry?.amount ?? '' }
  return { given: store.events(), challengeId: `${set.setId}.${entry?.asset}`, transfer }
}
const [NEW, MINTED] = [await created(), await minted()]

const racing =
  (actors: { readonly [process: string]: readonly Actor[] }, isMinted = false): Scenario =>
  (start) => {
    const outside = createOutside(isMinted ? MINTED.given : NEW)
    const done = new Map<string, string>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        const flow = () => flowOn(machine.store as never, machine.ledger, machine.world as never)
        const named = async () => ({ sessionId: SESSION_ID, session: await sessionIn(flow(), shop, SESSION_ID) })
        const acts: Record<Actor, () => Promise<unknown>> = {
          completes: async () => readySession(flow(), unkeyed, await named(), null),
          cancels: async () => cancelSession(flow(), unkeyed, await named(), async () => []),
          pays: () => settlePayment(machine.ledger, MINTED.challengeId, MINTED.transfer),
        }
        for (const actor of own) {
          if (!done.has(`${process} ${actor}`))
            self.task(actor, async () => {
              const outcome = await acts[actor]().then(
                () => 'done',
                (error: unknown) => {
                  if (isRefusal(error, 'session-closed', 'already-paid', 'version-conflict', 'challenge-expired'))
                    return 'refused'
                  throw error
                },
              )
              done.set(`${process} ${actor}`, outcome)
            })
        }
      })
    const checkBooks = createCheck()
    const count = (type: string) => countOf(outside.store.events(), type)
    const always = () => {
      checkBooks(outside.store.events())
      for (const type of ONCE) if (count(type) > 1) throw new Error(`${count(type)} of ${type}`)
      if (count('CheckoutSessionCompleted') + count('CheckoutSessionCanceled') > 1) throw new Error('two ends')
    }
    return {
      shared: () => `${outside.shared()} ${JSON.stringify([...done])}`,
      always,
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        always()
        const open = count('PaymentRequestOpened') - count('PaymentRequestWithdrawn') - count('PaymentRequestPaid')
        if (count('CheckoutSessionCanceled') === 1 && open > 0) throw new Error('what is canceled can be paid')
        if (
          count('ChallengeSettled') === 1 &&
          count('CheckoutSessionCompleted') + count('CheckoutSessionCanceled') === 0
        )
          throw new Error('what is paid is no order')
      },
    }
  }

const ONCE = [
  'CheckoutSessionReadied',
  'PaymentRequestOpened',
  'TransactionCreated',
  'ChallengeOpened',
  'ChallengeSettled',
  'CheckoutSessionCompleted',
  'CheckoutSessionCanceled',
]
