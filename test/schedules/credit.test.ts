import test from 'ava'
import type { Checkpoints, Reactor } from '../../adapters/following/reactor.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { grantActivationCredit } from '../../domain/reactions/policies/account.ts'
import { billSettlement } from '../../domain/reactions/policies/money.ts'
import type { Policy } from '../../domain/reactions/subscriber/policy.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ACCOUNT } from '../domain/samples.ts'
import { countOf, createCheck } from './books.ts'
import { type Sale, TOKEN_HASH, unbilled } from './given.ts'
import { createMachine, createOutside, loseLease, type Outside, overNetwork } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Checks, Scenario } from './schedule.ts'

/**
 * Fees are billed while credit is granted, by policies that a second process takes over when the first dies or loses
 * its leases.
 */

/** Fees of $3 and $4 against a grant of $5: in whatever order they come, no credit is left and $2 are owed. */
const { store, ledger, sales } = await unbilled(1_500, 2_000)
await ledger.account.verifyEmail(ACCOUNT, { tokenHash: TOKEN_HASH })
const [first, second] = sales as [Sale, Sale]
const settle = (on: Ledger, { setId, ...sale }: Sale) => on.challenge.settle(setId, sale)
await settle(ledger, first)
const given = [...store.events()]
await settle(ledger, second)
const bothSettled = store.events()

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
const BOTH = { preemptions: 1, crashes: 1 }

test('I-FEE-03 I-CRD-03 fees and a grant of credit, billed by processes that take over from each other, are booked once', (t) =>
  holds(t, billing(), 1_200, CRASH, PREEMPTION))

test('I-FEE-03 a process that has lost its lease and does not know it yet bills nothing twice', (t) =>
  holds(t, losingLease(), 1_500, BOTH))

test('I-FEE-03 a bill whose answer does not come in time is tried again, and booked once', (t) =>
  holds(t, waitingInVain(), 100, BOTH))

test('I-FEE-03 a bill that does not name what it answers is found out', (t) =>
  found(t, billing({ bill: forgetful }), /^two of one fee/, CRASH))

test('a checkpoint that is saved before the reaction is found out', (t) =>
  found(t, billing({ changed: hasty }), /^(1 fees|0 left, 7000000 owed) at rest/, CRASH))

type Options = {
  readonly bill?: Policy
  readonly changed?: (reactor: Reactor, checkpoints: Checkpoints) => Reactor
}

/** One sale is settled and unbilled, another one settles while the policies run. */
const billing =
  ({ bill = billSettlement, changed = (reactor) => reactor }: Options = {}): Scenario =>
  (start) => {
    const outside = createOutside(given)
    for (const name of ['A', 'B'])
      start(name, (self) => {
        const machine = createMachine(self, outside, { changed })
        machine.run(bill)
        machine.run(grantActivationCredit)
      })
    start('buyer', (self) => {
      const machine = createMachine(self, outside)
      self.task('pays', () => settle(machine.ledger, second))
    })
    return checks(outside, '0 left, 2000000 owed')
  }

/** Both sales are settled, and at any moment another process may take the lease. */
const losingLease = (): Scenario => (start) => {
  const outside = createOutside(bothSettled)
  for (const name of ['A', 'B']) start(name, (self) => createMachine(self, outside).run(billSettlement))
  loseLease(start, outside, billSettlement.name, 'A')
  return checks(outside, '0 left, 7000000 owed')
}

/** Both sales are settled, and a charge may not be answered in time. */
const waitingInVain = (): Scenario => (start) => {
  const outside = createOutside(bothSettled)
  const store = overNetwork(start, outside.store)
  start('A', (self) => createMachine(self, outside, { store }).run(billSettlement))
  return checks(outside, '0 left, 7000000 owed')
}

const checks = (outside: Outside, expected: string): Checks => {
  const checkBooks = createCheck()
  return {
    shared: outside.shared,
    always: () => checkBooks(outside.store.events()),
    atRest() {
      const events = outside.store.events()
      const fees = countOf(events, 'CreditDebited')
      if (fees !== 2) throw new Error(`${fees} fees at rest`)
      const own = events.filter(({ stream }) => stream === `creditAccount-${ACCOUNT}`)
      const { balance, owed } = fold(deciders.creditAccount, own)
      if (`${balance} left, ${owed} owed` !== expected) throw new Error(`${balance} left, ${owed} owed at rest`)
    },
  }
}

/** Bills without a watermark: each time it says to answer something new. */
const forgetful: Policy = {
  ...billSettlement,
  together: undefined,
  on: {
    ChallengeSettled: (event, { ledger, world, ...rest }) => {
      const charge: Ledger['creditAccount']['charge'] = (id, data) =>
        ledger.creditAccount.charge(id, { ...data, source: world.id('source') })
      const creditAccount = { value: { ...ledger.creditAccount, charge } }
      const changed: Ledger = Object.create(ledger, { creditAccount })
      return billSettlement.on.ChallengeSettled?.(event, { ...rest, world, ledger: changed }) ?? fail()
    },
  },
}
const fail = () => Promise.reject(new Error('bills nothing'))

/** Says that it has reacted, and then reacts. */
const hasty = (reactor: Reactor, checkpoints: Checkpoints): Reactor => ({
  ...reactor,
  together: undefined,
  async react(event) {
    await checkpoints.save(reactor.name, event.position)
    await reactor.react(event)
  },
})
