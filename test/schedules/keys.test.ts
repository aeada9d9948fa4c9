import test from 'ava'
import type { Checkpoints, Reactor } from '../../adapters/following/reactor.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { billSettlement } from '../../domain/reactions/policies/money.ts'
import type { Policy } from '../../domain/reactions/subscriber/policy.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ACCOUNT, opened, transferData } from '../domain/samples.ts'
import { createCheck } from './books.ts'
import { unbilled } from './given.ts'
import { createMachine, createOutside, loseLease, type Outside } from './machine.ts'
import { found, holds } from './proving.ts'
import { apart, type Checks, type Scenario } from './schedule.ts'

/**
 * One seller has made two sales and another one a third between them: fees of one seller are billed in the order of
 * the log, also where they go together, and those of two at once, by processes that die or lose their lease anywhere.
 */

const OTHER_ACCOUNT = 'acc_2'
const OTHER_SET_ID = `ch_${'h'.repeat(26)}`

const given = await (async () => {
  const { store, ledger, sales } = await unbilled(1_500, 2_000)
  const [first, second] = sales
  if (!first || !second) throw new Error('there are no sales')
  await ledger.challenge.open(OTHER_SET_ID, { ...opened, accountId: OTHER_ACCOUNT, usd: '3000000000' })
  const other = {
    challengeId: `${OTHER_SET_ID}.eth`,
    asset: 'eth',
    transfer: { ...transferData, tx: `0x${'9'.repeat(64)}` },
  }
  await ledger.challenge.settle(first.setId, first)
  await ledger.challenge.settle(OTHER_SET_ID, other)
  await ledger.challenge.settle(second.setId, second)
  return [...store.events()]
})()
const settlements = given.filter(({ type }) => type === 'ChallengeSettled')

const ORDERS = { preemptions: 1, crashes: 0 }
const CRASH = { preemptions: 0, crashes: 1 }
const BOTH = { preemptions: 1, crashes: 1 }
const NEITHER = { preemptions: 0, crashes: 0 }

test('N-110 I-FEE-03 fees of two sellers are billed once each, whatever is done first and wherever a process dies', (t) =>
  holds(t, billing(), 400, CRASH, BOTH))

test('N-110 I-FEE-03 a process that has lost its lease with several fees on their way bills nothing twice', (t) =>
  holds(t, losingLease(), 400, NEITHER))

test('N-110 I-FEE-03 fees that go together are billed once each while others book the same credit', (t) =>
  holds(t, granting(), 400, CRASH, BOTH))

test('fees that go together and do not say which goes before are found out', (t) =>
  found(
    t,
    granting(
      (charge) =>
        (id, { after: _, ...data }) =>
          charge(id, data),
    ),
    /is passed, and has no fee|fees at rest/,
    ORDERS,
  ))

test('fees of one seller that are billed in any order are found out', (t) =>
  found(
    t,
    billing((reactor) => ({ ...reactor, keysOf: () => [] })),
    /is passed, and has no fee/,
    ORDERS,
  ))

test('a checkpoint that is saved while another key is under way is found out', (t) =>
  found(t, billing(hasty), /is passed, and has no fee/, ORDERS))

/** Reactions that are under way at once make the same steps, and have to be told apart. */
const told =
  (changed: Changed = (reactor) => reactor): Changed =>
  (reactor, checkpoints) => {
    const { react, together, ...own } = changed(reactor, checkpoints)
    return {
      ...own,
      react: (event) => apart(`event ${event.position}`, () => react(event)),
      together: together && {
        max: together.max,
        react: (events) => apart(`events from ${events[0]?.position}`, () => together.react(events)),
      },
    }
  }

type Changed = (reactor: Reactor, checkpoints: Checkpoints) => Reactor

const billing =
  (changed?: Changed): Scenario =>
  (start) => {
    const outside = createOutside(given)
    for (const name of ['A', 'B'])
      start(name, (self) => createMachine(self, outside, { changed: told(changed) }).run(billingBy()))
    return checks(outside)
  }

/** At any moment another process may take the lease, while this one has several fees on their way. */
const losingLease = (): Scenario => (start) => {
  const outside = createOutside(given)
  for (const name of ['A', 'B'])
    start(name, (self) => createMachine(self, outside, { changed: told() }).run(billingBy()))
  loseLease(start, outside, billSettlement.name, 'A')
  return checks(outside)
}

/** A process bills, and another one grants credit to the seller of two sales. */
const granting =
  (changed?: (charge: Charge) => Charge): Scenario =>
  (start) => {
    const outside = createOutside(given)
    start('A', (self) => createMachine(self, outside, { changed: told() }).run(billingBy(changed)))
    start('support', (self) => {
      const { ledger } = createMachine(self, outside)
      self.task('grants', () => ledger.creditAccount.grant(ACCOUNT, GRANT))
    })
    return checks(outside, '4000000')
  }
const GRANT = { amount: '3000000', reason: 'email-verified', ref: 'a', source: 'support', position: '1' } as const

const checks = (outside: Outside, left = '7000000'): Checks => {
  const checkBooks = createCheck()
  const fees = (account: string) =>
    outside.store
      .events()
      .filter(({ stream, type }) => stream === `creditAccount-${account}` && type === 'CreditDebited')
  return {
    shared: outside.shared,
    always() {
      checkBooks(outside.store.events())
      const billed = [ACCOUNT, OTHER_ACCOUNT].flatMap(fees).map(({ data }) => (data as { position: string }).position)
      const through = outside.checkpoints.get(billSettlement.name) ?? -1n
      for (const { position, order } of settlements)
        if (position <= through && !billed.includes(String(order)))
          throw new Error(`the settlement at ${position} is passed, and has no fee`)
    },
    atRest() {
      const owed = (account: string) =>
        String(
          fold(
            deciders.creditAccount,
            outside.store.events().filter(({ stream }) => stream === `creditAccount-${account}`),
          ).owed,
        )
      const all = fees(ACCOUNT).length + fees(OTHER_ACCOUNT).length
      if (all !== 3) throw new Error(`${all} fees at rest`)
      if (owed(ACCOUNT) !== left || owed(OTHER_ACCOUNT) !== '6000000')
        throw new Error(`${owed(ACCOUNT)} and ${owed(OTHER_ACCOUNT)} owed at rest`)
    },
  }
}

/** Says of each event that it is done once it is done, whatever lies before it. */
const hasty: Changed = (reactor, checkpoints) => ({
  ...reactor,
  together: undefined,
  async react(event) {
    await reactor.react(event)
    await checkpoints.save(reactor.name, event.position)
  },
})

type Charge = Ledger['creditAccount']['charge']

/** Bills fees together by charges that are told apart: they are on their way at once and make the same steps. */
const billingBy = (changed: (charge: Charge) => Charge = (charge) => charge): Policy => ({
  ...billSettlement,
  together: billSettlement.together && {
    max: billSettlement.together.max,
    react: async (events, contextOf) =>
      billSettlement.together?.react(events, (event) => {
        const { ledger, ...rest } = contextOf(event)
        const charge = changed(ledger.creditAccount.charge)
        const toldApart: Charge = (id, data) => apart(`fee ${data.position}`, () => charge(id, data))
        const creditAccount = { value: { ...ledger.creditAccount, charge: toldApart } }
        return { ...rest, ledger: Object.create(ledger, { creditAccount }) }
      }),
  },
})
