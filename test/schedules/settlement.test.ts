import test from 'ava'
import { type EventStore, WrongRevision } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { attributeTransfers, finishSettlement } from '../../domain/reactions/policies/selling.ts'
import { settlePayment, type TransferOutcome } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import { CHALLENGE_ID, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import type { MemoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { OTHER_CHALLENGE_ID, paid } from './given.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/**
 * One payment, and all who would settle it: the chain watch, buyers and sellers who verify, in two processes that may
 * die.
 */

const given = await paid()

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
const BOTH = { preemptions: 1, crashes: 1 }

test('X-IDEM-04 three who verify one payment at once, two of them in one process, settle it once', (t) =>
  holds(t, racing({ A: ['first', 'second'], B: ['third'] }), 1_000, BOTH))

test('X-IDEM-04 the watch and two who verify, in two processes, settle one payment once', (t) =>
  holds(t, racing({ A: ['watch', 'first'], B: ['second'] }), 600, CRASH, PREEMPTION))

test('X-IDEM-04 a settlement that a crash cut in two is finished once, by whoever comes first', (t) =>
  holds(t, racing({ A: ['first'], B: ['finish', 'second'] }, { retries: false }), 1_500, {
    preemptions: 1,
    crashes: 1,
  }))

test('X-REPLAY-01 one transfer that two challenges would take settles one of them, and claims it for no other', (t) =>
  holds(t, racing({ A: ['first', 'other'], B: ['other again'] }), 1_000, BOTH))

test('an append that does not ask for its revision is found out', (t) =>
  found(t, racing({ A: ['first'], B: ['second'] }, { store: heedless }), /^two of one settlement/, PREEMPTION))

test('an answer that is given before its event is on the disk is found out', (t) =>
  found(t, racing({ A: ['first'] }, { store: hasty }), /^first was told of what is not in the log/, {
    preemptions: 0,
    crashes: 0,
  }))

type Actor = 'watch' | 'finish' | 'first' | 'second' | 'third' | 'other' | 'other again'
type Options = {
  /** Whether a client whose process died asks again. */
  readonly retries?: boolean
  readonly store?: (store: MemoryStore) => EventStore
}

/**
 * The actors of each process settle the same payment, for its challenge or (`other`) for one that asks for the same.
 */
const racing =
  (
    actors: { readonly [process: string]: readonly Actor[] },
    { retries = true, store = watched }: Options = {},
  ): Scenario =>
  (start) => {
    const outside = createOutside(given)
    const answers = new Map<string, TransferOutcome | 'taken'>()
    const asked = new Set<string>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: store(outside.store) })
        for (const actor of own) {
          if (actor === 'watch') machine.run(attributeTransfers)
          else if (actor === 'finish') machine.run(finishSettlement)
          else if (!answers.has(actor) && (retries || !asked.has(actor))) {
            asked.add(actor)
            self.task(actor, async () => {
              const challengeId = actor.startsWith('other') ? OTHER_CHALLENGE_ID : CHALLENGE_ID
              answers.set(actor, await outcome(settlePayment(machine.ledger, challengeId, transferData)))
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
        for (const [actor, answer] of answers)
          if (answer === 'settled' ? count('ChallengeSettled') === 0 : count('TransferClaimed') === 0)
            throw new Error(`${actor} was told of what is not in the log`)
      },
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        checkBooks(outside.store.events())
        for (const type of ONE_OF_EACH) if (count(type) !== 1) throw new Error(`${count(type)} of ${type} at rest`)
      },
    }
  }

const ONE_OF_EACH = [
  'TransferClaimed',
  'ChallengeSettled',
  'CreditDebited',
  'TransactionCreated',
  'TransactionCompleted',
  'DeliveryScheduled',
]

const outcome = (settling: Promise<TransferOutcome>) =>
  settling.then(
    (became) => became,
    (error: unknown) => {
      if (error instanceof Refusal && error.code === 'transfer-taken') return 'taken' as const
      throw error
    },
  )

/** Appends wherever the stream has come to. */
const heedless = (store: MemoryStore): EventStore =>
  watched({ ...store, append: (stream, _, events) => store.append(stream, store.revision(stream), events) })

/** Answers at once, and writes afterwards. */
const hasty = (store: MemoryStore): EventStore => {
  const slow = watched(store)
  return {
    ...slow,
    async append(stream, expected, events) {
      if (store.revision(stream) !== expected) throw new WrongRevision(stream)
      slow.append(stream, expected, events).catch(() => {})
      return { revision: expected + BigInt(events.length), position: BigInt(store.events().length + events.length) }
    },
  }
}
