/** One signature that is sent to several sales of a seller at once, by processes that may die. */

import { callerId } from '../../domain/gasless/caller.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { countCallerSpend, endAuthorizations } from '../../domain/reactions/policies/gasless.ts'
import { authorizationId } from '../../domain/selling/authorization-terms.ts'
import { bookRelayed } from '../../domain/use-cases/gasless/book-relayed.ts'
import { takeAuthorization } from '../../domain/use-cases/gasless/take-authorization.ts'
import type { Sale } from '../../domain/use-cases/selling/challenges/keep-challenge.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ACCOUNT, opened, recordedTransaction, requestOpened } from '../domain/samples.ts'
import { alone, ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { OTHER_SET_ID } from './given.ts'
import { CHALLENGE, first, flowOf, open, receipt, SALE, usdc } from './given-signed.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import type { Scenario } from './schedule.ts'

export type Place = 'door' | 'other door' | 'cart' | 'elsewhere' | 'other store'

const OTHER_RES_ID = 'res_2'
const request = { requestId: 'pr_1', transactionId: requestOpened.transactionId }
const uncapped = { ...SALE, resId: null, cap: null }
export const places: { readonly [P in Place]: { readonly sale: Sale; readonly challengeId?: string } } = {
  door: { sale: SALE, challengeId: CHALLENGE },
  'other door': { sale: { ...SALE, resId: OTHER_RES_ID }, challengeId: `${OTHER_SET_ID}.usdc_base` },
  // They have no challenge yet: one is opened for the signature alone.
  cart: { sale: { ...uncapped, paymentRequest: request } },
  elsewhere: { sale: { ...uncapped, assetAmount: '1000000' } },
  'other store': { sale: { ...uncapped, assetAmount: '1000000', storeId: 2 } },
}

type Answer = { readonly place: Place; readonly fault: string | undefined }
const ID = authorizationId(first)

/**
 * Each process sends the signature to its places; one of them has sold in the end, and nothing is kept back for the
 * others.
 */
export const selling =
  (sent: { readonly [process: string]: readonly Place[] }, changed = (ledger: Ledger) => ledger): Scenario =>
  async (start) => {
    const outside = createOutside(await given)
    const answers: Answer[] = []
    for (const [process, own] of Object.entries(sent))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        for (const place of own)
          self.task(place, async () => {
            const { sale, challengeId } = places[place]
            const wish = { authorization: first, challengeId, exactly: true }
            const { fault } = await takeAuthorization(flowOf(machine, changed), sale, wish)
            answers.push({ place, fault })
          })
      })
    const checkBooks = createCheck()
    return {
      shared: () => `${outside.shared()} ${JSON.stringify(answers)}`,
      always() {
        checkBooks(outside.store.events())
        const sold = new Set(answers.filter(({ fault }) => fault === undefined).map(({ place }) => place))
        if (sold.size > 1) throw new Error(`${[...sold].toSorted().join(' and ')} were both sold`)
        if (sold.size > countOf(outside.store.events(), 'AuthorizationAccepted'))
          throw new Error('a payer was told of what is not in the log')
      },
      async atRest() {
        const wrong = answers.find(({ fault }) => fault !== undefined && fault !== 'duplicate')
        if (wrong) throw new Error(`${wrong.place} refused it for ${wrong.fault}`)
        const ledger = ledgerOn(outside.store, fixedWorld('at rest'))
        await checkKept(ledger, outside.store.events())
        await bookRelayed(ledger, receipt, alone.known)
        await runPolicies(outside.store, ledger, fixedWorld('policies'), [endAuthorizations, countCallerSpend])
        checkBooks(outside.store.events())
        for (const type of ['ChallengeSettled', 'AuthorizationSettled', 'AuthorizationGasSpent'])
          if (countOf(outside.store.events(), type) !== 1) throw new Error(`not one ${type}`)
        const held = await reservations(ledger)
        if (held.length > 0) throw new Error(`${held.join()} is kept back of what has settled`)
      },
    }
  }

/** Once it is taken: the challenge and the reservations of that sale are kept, and nothing else. */
const checkKept = async (ledger: Ledger, log: readonly RecordedEvent[]): Promise<void> => {
  const taken = await ledger.authorization.read(ID)
  if (taken.status === 'none') throw new Error('no sale was made')
  const reserved = await reservations(ledger)
  const wanted = ['payer', ...(taken.resId === null ? [] : [taken.resId])]
  if (reserved.join() !== wanted.join()) throw new Error(`${reserved.join()} is kept back, and not ${wanted.join()}`)
  const sets = log
    .filter(({ type }) => type === 'ChallengeOpened')
    .map(({ stream }) => stream.replace('challenge-', ''))
  for (const setId of sets) {
    const set = await ledger.challenge.read(setId)
    const isKept = set.status === 'open' && set.reserved.usdc_base === ID
    if (isKept !== (taken.challengeId === `${setId}.usdc_base`)) throw new Error(`${setId} is kept: ${isKept}`)
  }
}

/** Whose reservations there are. */
export const reservations = async (ledger: Ledger): Promise<readonly string[]> => {
  const payer = await ledger.payer.read(`base:usdc_base:${first.from}`)
  const held = Object.keys(payer.reserved).map(() => 'payer')
  for (const resId of [SALE.resId, OTHER_RES_ID]) {
    const { reserved } = await ledger.caller.read(callerId(resId, first.from))
    held.push(...Object.keys(reserved).map(() => resId))
  }
  return held
}

/** A seller with two resources, each with a challenge of a dollar, and a cart that asks for as much. */
export const given = (async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore(await open)
  const ledger = ledgerOn(store, fixedWorld('two doors'))
  const asked = { ...opened, amount: '1000000', usd: '1000000', entries: [usdc] }
  await ledger.challenge.open(OTHER_SET_ID, { ...asked, resId: OTHER_RES_ID })
  await ledger.paymentRequest.open(request.requestId, { ...requestOpened, accountId: ACCOUNT, amount: '1000000' })
  await ledger.transaction.create(request.transactionId, {
    ...recordedTransaction,
    challengeId: null,
    resId: null,
    requestId: request.requestId,
    type: 'payment-request',
  })
  return store.events()
})()
