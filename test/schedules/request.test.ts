import test from 'ava'
import { settlePayment } from '../../domain/flows/settle-payment.ts'
import { finishSettlement } from '../../domain/policies/finish-settlement.ts'
import { grantTopUp } from '../../domain/policies/grant-top-up.ts'
import { CHALLENGE_ID, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { OTHER_CHALLENGE_ID, toppingUp } from './given.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import { holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** One request, two payments of it that race in two processes which may die, and the credit that it buys. */

const NO_CRASH = { preemptions: 1, crashes: 0 }
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
              await settlePayment(machine.ledger, challengeId, transfer)
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
