import test from 'ava'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { takeAuthorization } from '../../domain/use-cases/gasless/take-authorization.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf } from './books.ts'
import { CHALLENGE, first, flowOf, own } from './given-signed.ts'
import { given, places, reservations, selling } from './one-signature.ts'
import { found, holds } from './proving.ts'

/**
 * One signature that is sent to two sales at once, in two processes that may die: one has sold, and the other keeps
 * nothing.
 */

const PREEMPTION = { preemptions: 1, crashes: 0 }
const CRASH = { preemptions: 0, crashes: 1 }

test('N-42 X-IDEM-04 a signature that is sent to two doors at once is one sale, and the other door keeps nothing', (t) =>
  holds(t, selling({ A: ['door'], B: ['other door'] }), 60, PREEMPTION, CRASH))

test('N-42 I-SET-01 a signature that is sent to a door and a cart at once is one sale, and the other keeps nothing', (t) =>
  holds(t, selling({ A: ['door'], B: ['cart'] }), 60, PREEMPTION, CRASH))

test('N-42 a signature that two stores settle at once for what they sell elsewhere is one sale', (t) =>
  holds(t, selling({ A: ['elsewhere'], B: ['other store'] }), 60, PREEMPTION, CRASH))

test('X-IDEM-04 a signature that is sent twice to one door and once to a cart is one sale', (t) =>
  holds(t, selling({ A: ['door', 'cart'], B: ['door'] }), 100, PREEMPTION))

test('a sale that takes the acceptance of another one for its own is found out', (t) =>
  found(t, selling({ A: ['door'], B: ['other door'] }, trusting), /^door and other door were both sold/, PREEMPTION))

test('N-42 I-SET-01 a signature that somebody else carried out for another challenge, just before it was taken, is no sale', async (t) => {
  const store = memoryStore(await given)
  const world = fixedWorld('too late')
  const ledger = ledgerOn(store, world)
  t.is(await settlePayment(ledger, CHALLENGE, own), 'settled')
  const { sale, challengeId } = places['other door']
  const wish = { authorization: first, challengeId, exactly: true }
  t.is((await takeAuthorization(flowOf({ ledger, store, world }), sale, wish)).fault, undefined)
  await runPolicies(store, ledger, world)
  const taken = await ledger.authorization.read(authorizationId(first))
  t.like(taken, { status: 'failed', reason: 'nonce-used' })
  t.is(countOf(store.events(), 'ChallengeSettled'), 1)
  t.deepEqual(await reservations(ledger), [])
  const again = await takeAuthorization(flowOf({ ledger, store, world }), sale, wish)
  t.like(again, { authorization: { status: 'failed' } })
})

/** Takes whatever was accepted for what it asked for. */
const trusting = (ledger: Ledger): Ledger =>
  new Proxy({} as Ledger, {
    get: (_, name) =>
      name === 'authorization'
        ? {
            ...ledger.authorization,
            accept: async (...given: Parameters<Ledger['authorization']['accept']>) => {
              const accepted = await ledger.authorization.accept(...given)
              return { ...accepted, events: [given[1]] }
            },
          }
        : ledger[name as keyof Ledger],
  })
