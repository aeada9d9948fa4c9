import test from 'ava'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { followMandates } from '../../domain/reactions/policies/balance.ts'
import { carryTransfers } from '../../domain/reactions/policies/carry-transfers.ts'
import type { PolicyTogether } from '../../domain/reactions/subscriber/policy.ts'
import { approveMandate, declineMandate } from '../../domain/use-cases/balance/mandate.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import type { MemoryStore } from '../support/memory-store.ts'
import { checkRest, createMoneyCheck, flowOn, sentIn } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'
import { automatic, type Client, debit, many, one, plan, proposed, push, runDue, sent, several } from './given-money.ts'
import { createMachine, createOutside, loseLease, watched } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** Money between users and apps, under every order of those who move it, some of which die (scenarios A to F). */

const PREEMPTION = { preemptions: 1, crashes: 0 }
const BOTH = { preemptions: 1, crashes: 1 }
/** For two who do a single thing, of which there are a hundred schedules with one preemption. */
const MORE = { preemptions: 3, crashes: 1 }

type Answer = { ledgerRef: string; duplicate: boolean } | string
const plain = ({ ledgerRef, duplicate }: Exclude<Answer, string>): Answer => ({ ledgerRef, duplicate })

test('I-BAL-01 A: two who complete one intent, and what carries it, in processes that die, debit it once', (t) =>
  holds(t, moving(one.events, { A: [one.what.complete], B: [one.what.complete] }, { sent: 1 }), 6_000, BOTH))

test('I-BAL-05 B: an intent and two debits of a standing order take no more than the balance', (t) => {
  const { intent, mandateId } = several.what
  const clients = { A: [intent.complete], B: [debit(mandateId, 'a'), debit(mandateId, 'b')] }
  return holds(t, moving(several.events, clients, { sent: 2, carried: 'at rest' }), 400, BOTH)
})

test('I-BAL-02 C: credit that is pushed twice under one reference, and once under another, comes from what the app has', (t) =>
  holds(
    t,
    moving(one.events, { A: [push('a')], B: [push('a'), push('b')] }, { sent: 1, carried: 'at rest' }),
    400,
    BOTH,
  ))

test('D: a standing order that is declined in one window and approved in another is one of both', (t) =>
  holds(t, answering(), 400, BOTH))

test('Q-40 I-BAL-04 G: an app that debits its schedule in two processes at once, under two keys, takes one interval', (t) =>
  holds(
    t,
    moving(plan.events, { A: [debit(plan.what, 'a')], B: [debit(plan.what, 'b')] }, { sent: 1, carried: 'at rest' }),
    500,
    MORE,
  ))

test('Q-40 I-BAL-04 H: a schedule that is run in two processes at once takes one interval, and its app takes nothing', (t) =>
  holds(
    t,
    moving(
      automatic.events,
      { A: [runDue(automatic.what)], B: [runDue(automatic.what), debit(automatic.what, 'a')] },
      { sent: 1, carried: 'at rest' },
    ),
    400,
    BOTH,
  ))

test('X-IDEM-02 E: who asks again while the sender forgets what it has sent finds it all the same', (t) => {
  const again = debit(many.what.mandateId, 'new', 1n)
  return holds(t, moving(many.events, { A: [again], B: [again] }, { sent: 1 }), 500, PREEMPTION)
})

test('I-BAL-02 F: two processes that both think they carry what was sent give each part once', (t) =>
  holds(t, takingOver(), 1_500, PREEMPTION))

test('an append that does not ask for its revision is found out', (t) =>
  found(
    t,
    moving(one.events, { A: [one.what.complete], B: [one.what.complete] }, { store: heedless }),
    /sent twice/,
    PREEMPTION,
  ))

test('a sender that does not say what it knew is found out', (t) => {
  const again = debit(many.what.mandateId, 'new', 1n)
  const changed = (ledger: Ledger) => withSend(ledger, (send) => (id, data) => send(id, { ...data, known: 1e9 }))
  return found(t, moving(many.events, { A: [again], B: [again] }, { changed }), /sent twice/, PREEMPTION)
})

test('a transfer that each process names as it likes is found out', (t) => {
  const again = debit(several.what.mandateId, 'a')
  const changed = (ledger: Ledger, by: string) =>
    withSend(ledger, (send) => (id, data) => send(id, { ...data, transferId: `${data.transferId} by ${by}` }))
  return found(t, moving(several.events, { A: [again], B: [again] }, { changed }), /^entered are/, PREEMPTION)
})

test('a policy that does not say what it answers is found out', (t) =>
  found(t, takingOver(forgetful), /received .* twice/, BOTH))

test('a decline that is not first written where the money is is found out', (t) =>
  found(
    t,
    answering(async ({ ledger }, mandateId) => void (await ledger.mandate.decline(mandateId, {}))),
    /was declined, and debits/,
    BOTH,
  ))

type Options = {
  /** Transfers that there are in the end. */
  readonly sent?: number
  /** When it is carried to its payees; by a process of its own unless given. */
  readonly carried?: 'meanwhile' | 'at rest'
  readonly store?: (store: MemoryStore) => EventStore
  readonly changed?: (ledger: Ledger, by: string) => Ledger
}

/**
 * The clients of each process ask at once, again when their process has died, and a process of its own carries what
 * they send.
 */
const moving =
  (
    given: readonly RecordedEvent[],
    clients: { readonly [process: string]: readonly Client[] },
    { sent, carried = 'meanwhile', store = watched, changed = (ledger) => ledger }: Options = {},
  ): Scenario =>
  (start) => {
    const outside = outsideAfter(given, carryTransfers.name)
    const answers = new Map<string, Answer>()
    if (carried === 'meanwhile') start('R', (self) => createMachine(self, outside).run(carryTransfers))
    for (const [name, own] of Object.entries(clients))
      start(name, (self) => {
        const machine = createMachine(self, outside, { store: store(outside.store) })
        const on = flowOn(outside.store, changed(machine.ledger, name), fixedWorld(name))
        for (const [i, client] of own.entries()) {
          const who = `${name}${i}`
          if (!answers.has(who))
            self.task(who, async () => void answers.set(who, await client(on).then(plain, refusal)))
        }
      })
    const checkBooks = createMoneyCheck()
    const before = sentIn(given).length
    return {
      shared: () => [outside.shared(), JSON.stringify([...answers])].join(),
      always: () => checkBooks(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        if (carried === 'at rest')
          await runPolicies(outside.store, ledgerOn(outside.store, world), world, [carryTransfers])
        const events = outside.store.events()
        checkRest(events)
        checkAnswers([...answers.values()], events)
        if (sent !== undefined && sentIn(events).length - before !== sent)
          throw new Error(`${sentIn(events).length - before} transfers at rest`)
      },
    }
  }

/** Two parts of one payee are on their way, and at any moment another process may take the lease. */
const takingOver =
  (policy: PolicyTogether = carryTransfers): Scenario =>
  (start) => {
    const outside = outsideAfter(sent.events, policy.name, 2)
    for (const name of ['A', 'B']) start(name, (self) => createMachine(self, outside).run(policy))
    loseLease(start, outside, policy.name, 'A')
    const checkBooks = createMoneyCheck()
    return {
      shared: outside.shared,
      always: () => checkBooks(outside.store.events()),
      atRest: () => checkRest(outside.store.events()),
    }
  }

/** A mandate is declined, approved and debited at once. */
const answering =
  (decline: (on: UseCaseContext, mandateId: string) => Promise<void> = declineMandate): Scenario =>
  (start) => {
    const mandateId = proposed.what
    const outside = createOutside(proposed.events)
    const answers = new Map<string, string>()
    const asks = {
      A: (on: UseCaseContext) => approveMandate(on, mandateId),
      B: (on: UseCaseContext) => decline(on, mandateId),
      C: (on: UseCaseContext) => debit(mandateId, 'a')(on),
    }
    for (const [name, ask] of Object.entries(asks))
      start(name, (self) => {
        const on = flowOn(outside.store, createMachine(self, outside).ledger, fixedWorld(name))
        if (!answers.has(name))
          self.task(name, async () => void answers.set(name, await ask(on).then(() => 'done', refusal)))
      })
    const checkBooks = createMoneyCheck()
    return {
      shared: () => [outside.shared(), ...answers].join(),
      always: () => checkBooks(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world, [followMandates])
        const types = outside.store.events().map(({ type }) => type)
        if (types.includes('MandateDeclined') && types.includes('StandingOrderActivated'))
          throw new Error(`${mandateId} was declined, and debits`)
        const said = [answers.get('A'), answers.get('B')].sort().join()
        if (said !== 'done,state-forbids') throw new Error(`both were told ${said}`)
      },
    }
  }

/** Who carries what is sent has come to the end of the log, or so many events before it. */
const outsideAfter = (given: readonly RecordedEvent[], follower: string, left = 0) => {
  const outside = createOutside(given)
  outside.checkpoints.set(follower, given.at(-1 - left)?.position ?? -1n)
  return outside
}

/** Who asked for the same is told the same, and only one of them that it was new. */
const checkAnswers = (answers: readonly Answer[], events: readonly RecordedEvent[]) => {
  const made = answers.filter((answer) => typeof answer !== 'string')
  for (const { ledgerRef } of made)
    if (!sentIn(events).some((transfer) => transfer.ledgerRef === ledgerRef))
      throw new Error(`${ledgerRef} was not sent`)
  const fresh = made.filter(({ duplicate }) => !duplicate).map(({ ledgerRef }) => ledgerRef)
  if (new Set(fresh).size < fresh.length) throw new Error('two were told that they were first')
}

const refusal = (error: unknown): string => {
  const codes = [
    ...(['insufficient-balance', 'app-credit-insufficient', 'state-forbids', 'mandate-not-active'] as const),
    ...(['cooldown-active', 'mandate-mode-mismatch'] as const),
  ]
  if (isRefusal(error, ...codes)) return error.code
  throw error
}

/** Appends wherever the stream has come to. */
const heedless = (store: MemoryStore): EventStore =>
  watched({ ...store, append: (stream, _, events) => store.append(stream, store.revision(stream), events) })

type Send = Ledger['userBalance']['debit']
const withSend = (ledger: Ledger, changed: (send: Send) => Send): Ledger =>
  Object.create(ledger, { userBalance: { value: { ...ledger.userBalance, debit: changed(ledger.userBalance.debit) } } })

type Receive = Ledger['userBalance']['receive']
const receivingBy = (changed: (receive: Receive) => Receive): PolicyTogether => ({
  ...carryTransfers,
  react: (events, contextOf) =>
    carryTransfers.react(events, (event) => {
      const { ledger, ...rest } = contextOf(event)
      const userBalance = { value: { ...ledger.userBalance, receive: changed(ledger.userBalance.receive) } }
      return { ...rest, ledger: Object.create(ledger, { userBalance }) }
    }),
})

/** Each time it says to answer something new. */
let count = 0
const forgetful = receivingBy((receive) => (id, data) => receive(id, { ...data, source: `s${count++}` }))
