import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { attributeTransfers } from '../../domain/reactions/policies/selling.ts'
import { type Authorization, authorizationId } from '../../domain/selling/authorization-terms.ts'
import { bookRelayed } from '../../domain/use-cases/gasless/book-relayed.ts'
import { takeAuthorization } from '../../domain/use-cases/gasless/take-authorization.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { alone, ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { CHALLENGE, first, flowOf, open, own, receipt, SALE } from './given-signed.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/**
 * Payments that are signed: two at once against one cap, and one that everybody would book, in processes that may die.
 */

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
const BOTH = { preemptions: 1, crashes: 1 }

const second: Authorization = { ...first, nonce: `0x${'77'.repeat(32)}` }

test('J-RES-05 I-CAP-01 of two payments signed at once, in two processes that may die, a cap of one lets one through', (t) =>
  holds(t, taking({ A: [first], B: [second] }), 300, BOTH))

test('N-42 one payment that is sent twice at once is taken once', (t) =>
  holds(t, taking({ A: [first], B: [first] }), 300, BOTH))

test('N-42 a signed payment that the relayer, the watch and a stranger with the same amount all book settles once', (t) =>
  holds(t, booking({ A: ['relayer', 'stranger'], B: ['watch'] }), 300, PREEMPTION, CRASH))

test('a cap that is only looked at, and not reserved, is found out', (t) =>
  found(t, taking({ A: [first], B: [second] }, heedless), /^2 payments were taken for a cap of 1/, PREEMPTION))

/** Each process takes its payments of the same payer, whose cap is one. */
const taking =
  (
    payments: { readonly [process: string]: readonly Authorization[] },
    changed = (ledger: Ledger) => ledger,
  ): Scenario =>
  async (start) => {
    const outside = createOutside(await open)
    const answers: { readonly of: string; readonly fault: string | undefined }[] = []
    for (const [process, own] of Object.entries(payments))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        for (const [n, authorization] of own.entries())
          self.task(`payment ${n}`, async () => {
            const wish = { authorization, challengeId: CHALLENGE, exactly: true }
            const taken = await takeAuthorization(flowOf(machine, changed), SALE, wish)
            answers.push({ of: authorizationId(authorization), fault: taken.fault })
          })
      })
    const checkBooks = createCheck()
    const count = (type: string) => countOf(outside.store.events(), type)
    return {
      shared: outside.shared,
      always() {
        checkBooks(outside.store.events())
        const taken = count('AuthorizationAccepted')
        if (taken > 1) throw new Error(`${taken} payments were taken for a cap of 1`)
        if (answers.some(({ fault }) => fault === undefined) && taken === 0)
          throw new Error('a payer was told of what is not in the log')
      },
      atRest() {
        const wrong = answers.find(({ fault }) => fault !== undefined && fault !== 'max-per-caller')
        if (wrong) throw new Error(`a payment was refused for ${wrong.fault}`)
        if (count('AuthorizationAccepted') !== 1) throw new Error('no payment was taken')
      },
    }
  }

type Actor = 'relayer' | 'watch' | 'stranger'

/** One payment was taken and carried out; a stranger has sent the same amount to the same address without one. */
const booking =
  (actors: { readonly [process: string]: readonly Actor[] }): Scenario =>
  async (start) => {
    const outside = createOutside(await carriedOut)
    const done = new Set<string>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        for (const actor of own)
          if (actor === 'watch') machine.run(attributeTransfers)
          else if (!done.has(actor))
            self.task(actor, async () => {
              if (actor === 'relayer') await bookRelayed(machine.ledger, receipt, alone.known)
              else await settlePayment(machine.ledger, CHALLENGE, stranger)
              done.add(actor)
            })
      })
    const checkBooks = createCheck()
    const count = (type: string) => countOf(outside.store.events(), type)
    return {
      shared: outside.shared,
      always: () => checkBooks(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        checkBooks(outside.store.events())
        for (const type of ['ChallengeSettled', 'AuthorizationSettled', 'AuthorizationGasSpent', 'TransferSetAside'])
          if (count(type) !== 1) throw new Error(`${count(type)} of ${type} at rest`)
        const by = outside.store.events().find(({ type }) => type === 'ChallengeSettled')?.data as {
          transfer: { tx: string }
        }
        if (by.transfer.tx !== own.tx) throw new Error('a stranger has paid for the one who signed')
        if (count('CreditDebited') !== 2) throw new Error(`${count('CreditDebited')} bills at rest`)
      },
    }
  }

const { authorization: _, ...unsigned } = own
const stranger = { ...unsigned, tx: `0x${'cd'.repeat(32)}` }

/** The payment was taken, and stands in a block beside the stranger's. */
const carriedOut = (async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore(await open)
  const world = fixedWorld('carried out')
  const ledger = ledgerOn(store, world)
  await takeAuthorization(
    flowOf({ ledger, store, world }),
    { ...SALE, cap: null },
    {
      authorization: first,
      challengeId: CHALLENGE,
      exactly: true,
    },
  )
  await ledger.chainWatch.scanned('base', {
    network: 'base',
    height: 110,
    hash: '0x110',
    head: 110,
    transfers: [stranger, own],
  })
  return store.events()
})()

/** Decides on a cap without keeping anything back. */
const heedless = (ledger: Ledger): Ledger =>
  new Proxy({} as Ledger, {
    get: (_, name) =>
      name === 'caller' ? { ...ledger.caller, reserve: async () => ({ events: [] }) } : ledger[name as keyof Ledger],
  })
