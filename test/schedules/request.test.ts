import test from 'ava'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { grantTopUp } from '../../domain/reactions/policies/money.ts'
import { finishSettlement } from '../../domain/reactions/policies/selling.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { onceOf } from '../../domain/use-cases/once.ts'
import { openRequest } from '../../domain/use-cases/selling/challenges/open-request.ts'
import { ACCOUNT, CHALLENGE_ID, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { OTHER_CHALLENGE_ID, toppingUp } from './given.ts'
import { createMachine, createOutside, seen, watched } from './machine.ts'
import { holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** One request, two payments of it that race in two processes which may die, and the credit that it buys. */

const NO_CRASH = { preemptions: 1, crashes: 0 }
const THREE_TURNS = { preemptions: 3, crashes: 0 }
const ONE_CRASH = { preemptions: 0, crashes: 1 }

const given = await toppingUp()
const payments = {
  first: [CHALLENGE_ID, transferData],
  second: [OTHER_CHALLENGE_ID, { ...transferData, tx: `0x${'ef'.repeat(32)}` }],
} as const

test('J-PRQ-03 I-CRD-02 a top-up that is paid twice is taken once, the other payment is set aside, and the credit granted once', (t) =>
  holds(t, racing({ A: ['first', 'grants'], B: ['second'] }), 500, NO_CRASH, ONE_CRASH))

test('J-PRQ-03 what a crash cut off is finished by a policy, for one of two payments', (t) =>
  holds(t, racing({ A: ['first'], B: ['second', 'finishes'] }, false), 500, NO_CRASH, ONE_CRASH))

test('M-TXN-02 X-IDEM-03 one reference that is sent to two processes makes one request and one transaction, wherever one dies', (t) =>
  holds(t, asking({ A: '3000000', B: '3000000' }), 30, THREE_TURNS, ONE_CRASH))

test('M-TXN-02 X-IDEM-03 one reference on two terms makes a request and a transaction of the same terms, and the other is refused', (t) =>
  holds(t, asking({ A: '3000000', B: '4000000' }), 30, THREE_TURNS, ONE_CRASH))

/** Each process asks for an amount under the same reference, and asks again when it died. */
const asking =
  (amounts: { readonly [process: string]: string }): Scenario =>
  (start) => {
    const outside = createOutside([])
    const answered = new Map<string, string>()
    for (const [process, amount] of Object.entries(amounts))
      start(process, (self) => {
        const { ledger, world } = createMachine(self, outside, { store: watched(outside.store) })
        const vault = { fingerprint: (...parts: string[]) => world.digest(parts.join()) }
        const flow = { ledger, world, vault } as unknown as UseCaseContext
        if (!answered.has(process))
          self.task('asks', async () => {
            const once = onceOf(flow, { accountId: ACCOUNT, operation: 'reference', key: 'order-1', body: { amount } })
            const opened = openRequest(flow, once, { ...asked, amount }).catch((error: unknown) => {
              if (isRefusal(error, 'idempotency-conflict')) return undefined
              throw error
            })
            answered.set(process, (await opened)?.amount ?? 'refused')
          })
      })
    const of = (type: string) =>
      outside.store
        .events()
        .flatMap((event) => (event.type === type ? [event.data as { [field: string]: string }] : []))
    const always = () => {
      const [requests, transactions] = [of('PaymentRequestOpened'), of('TransactionCreated')]
      if (requests.length > 1 || transactions.length > 1) throw new Error('asked for twice')
      const [request, transaction] = [requests[0], transactions[0]]
      if (request && `${transaction?.amountFiat}000000` !== request.amount) throw new Error('two terms')
      for (const [process, told] of answered) {
        const isServed = amounts[process] === request?.amount
        if (told !== (isServed ? request?.amount : 'refused')) throw new Error(`${process} was answered ${told}`)
      }
    }
    return {
      shared: () => `${outside.shared()} ${JSON.stringify([...answered])}`,
      always,
      async atRest() {
        always()
        if (of('PaymentRequestOpened').length === 0) throw new Error('nobody was served')
      },
    }
  }

const asked = {
  accountId: ACCOUNT,
  currency: 'USD',
  asset: null,
  assetAmount: null,
  title: '',
  note: '',
  redirect: '',
  externalReference: 'order-1',
  expiry: '1h' as const,
  webhookUrl: null,
  test: false,
}

type Actor = keyof typeof payments | 'grants' | 'finishes'

const racing =
  (actors: { readonly [process: string]: readonly Actor[] }, retries = true): Scenario =>
  (start) => {
    const outside = createOutside(given)
    const asked = new Set<string>()
    const done = new Set<string>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        for (const actor of own) {
          if (actor === 'grants') machine.run(grantTopUp)
          else if (actor === 'finishes') machine.run(finishSettlement)
          else if (!done.has(actor) && (retries || !asked.has(actor))) {
            asked.add(actor)
            self.task(actor, async () => {
              const [challengeId, transfer] = payments[actor]
              await seen(machine.ledger, challengeId, transfer)
              done.add(actor)
            })
          }
        }
      })
    const checkBooks = createCheck()
    const count = (type: string) => countOf(outside.store.events(), type)
    return {
      shared: outside.shared,
      always() {
        checkBooks(outside.store.events())
        for (const type of ONCE) if (count(type) > 1) throw new Error(`${count(type)} of ${type}`)
      },
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        checkBooks(outside.store.events())
        const claimed = count('TransferClaimed')
        for (const type of ONCE)
          if (count(type) !== Math.min(claimed, 1)) throw new Error(`${count(type)} of ${type} at rest`)
        if (count('ChallengeSettled') + count('TransferSetAside') < claimed)
          throw new Error('a payment is neither taken nor set aside')
        // Five dollars of the activation, and ten that were bought.
        const granted = count('CreditGranted')
        if (granted !== 1 + Math.min(claimed, 1)) throw new Error(`${granted} grants at rest`)
      },
    }
  }

const ONCE = ['PaymentRequestPaid', 'ChallengeSettled', 'TransactionCompleted']
