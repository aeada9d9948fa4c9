import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { finishSeatOrders, returnSeatPayments } from '../../domain/reactions/policies/account.ts'
import { changeSubagent, createSubagent } from '../../domain/use-cases/account/subagents.ts'
import { flow } from '../domain/flow-setup.ts'
import { ACCOUNT } from '../domain/samples.ts'
import { ledgerOn } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { checkSeats, checkSeatsAtRest } from '../support/seats.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { createMachine, createOutside } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/**
 * A seat is paid in one stream and taken in another; whatever breaks off between the two, money is taken exactly for
 * the seats there are.
 */

const CLERK = { role: 'clerk', permissions: [], roleName: null, displayName: null, storeScope: [] } as const
const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }

/** One clerk sits on the seat that is included; the account has so many dollars. */
const staffed = async (dollars: number): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore()
  const ledger = ledgerOn(store, fixedWorld('given'))
  const answers = { ref: 'r', source: 'given', position: '1' }
  await ledger.creditAccount.grant(ACCOUNT, { amount: `${dollars}000000`, reason: 'top-up', ...answers })
  await ledger.team.create(ACCOUNT, { ...CLERK, keyId: 'k', keyHash: 'h', hint: 'x' })
  return store.events()
}
const [oneDollar, twoDollars] = [await staffed(1), await staffed(2)]

type Call = (on: ReturnType<typeof flow>) => Promise<unknown>
const buy: Call = (on) => createSubagent(on, ACCOUNT, CLERK)
const promote: Call = (on) => changeSubagent(on, ACCOUNT, 1, { role: 'teller' })
const dismiss: Call = ({ ledger }) => ledger.team.delete(ACCOUNT, { number: 1 })

test('I-CRD-03 I-CRD-04 K-SUB-03 two calls that buy a seat at once, with crashes, take the money of the seats that come about', (t) =>
  holds(t, calling(oneDollar, buy, buy, [finishSeatOrders]), 100, CRASH))

test('I-CRD-03 I-CRD-04 K-SUB-03 of two calls that buy a seat with money for one, one does, however they meet', (t) =>
  holds(t, calling(oneDollar, buy, buy, []), 15, PREEMPTION))

test('I-CRD-04 K-SUB-05 a role that two calls pay for at once is paid once', (t) =>
  holds(t, calling(twoDollars, promote, promote, [returnSeatPayments]), 100, PREEMPTION))

test('I-CRD-04 K-SUB-05 what was paid for a role comes back when the sub-key is deleted meanwhile', (t) =>
  holds(t, calling(twoDollars, promote, dismiss, [returnSeatPayments]), 50, PREEMPTION))

test('a seat that only the call that pays for it brings about is found out', (t) =>
  found(t, calling(twoDollars, buy, buy, []), /payments were answered$|was taken for seats/, CRASH))

/** Two processes make a call each, and make it again when they crash; a third one follows with the policies. */
const calling =
  (
    given: readonly RecordedEvent[],
    first: Call,
    second: Call,
    policies = [finishSeatOrders, returnSeatPayments],
  ): Scenario =>
  (start) => {
    const outside = createOutside(given)
    for (const [name, call] of [['A', first] as const, ['B', second] as const])
      start(name, (self) => {
        const { ledger, store } = createMachine(self, outside)
        const on = { ...flow(store, fixedWorld(self.name)), ledger }
        self.task('calls', () => call(on).catch(unlessRefused))
      })
    start('C', (self) => {
      const machine = createMachine(self, outside)
      for (const policy of policies) machine.run(policy)
    })
    const checkBooks = createCheck()
    return {
      shared: outside.shared,
      always() {
        checkBooks(outside.store.events())
        checkSeats(outside.store.events())
      },
      atRest() {
        const events = outside.store.events()
        checkSeatsAtRest(events)
        if (given === oneDollar && countOf(events, 'SubagentCreated') !== 2) throw new Error('nobody was made')
      },
    }
  }

const unlessRefused = (error: unknown) => {
  if (!(error instanceof Refusal)) throw error
}
