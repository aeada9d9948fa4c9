import test from 'ava'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { finishSettlement } from '../../domain/reactions/policies/selling.ts'
import { takePieces } from '../../domain/reactions/policies/stock.ts'
import { lendPieces } from '../../domain/use-cases/selling/stock/lend-pieces.ts'
import { ACCOUNT, opened, RES_ID, recordedTransaction, requestOpened, transferData } from '../domain/samples.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf } from './books.ts'
import { unbilled } from './given.ts'
import { createMachine, createOutside, seen, watched } from './machine.ts'
import { holdsUnderDrawn } from './proving.ts'
import type { Scenario } from './schedule.ts'

/** The last piece, a person on a page and an agent with a cart who want it, and one who pays when the time was up. */

const NO_CRASH = { preemptions: 1, crashes: 0 }
const ONE_CRASH = { preemptions: 0, crashes: 1 }

const [CART, CART_SET] = ['pr_cart', `ch_${'f'.repeat(26)}`]
const LAPSED = '2026-03-02T09:00:00.000Z'

/** A resource of which one piece is there, two challenges of it, and the payment request of a cart with it. */
const lastPiece = async () => {
  const { store, ledger, sales } = await unbilled(100, 100)
  await ledger.stock.change(RES_ID, { accountId: ACCOUNT, by: 'k', reason: 'counted', count: 1 })
  const { transactionId } = requestOpened
  const goods = [{ productId: RES_ID, quantity: 1 }]
  await ledger.paymentRequest.open(CART, { ...requestOpened, goods })
  await ledger.transaction.create(transactionId, {
    ...recordedTransaction,
    challengeId: null,
    resId: null,
    requestId: CART,
    type: 'payment-request',
  })
  const paymentRequest = { requestId: CART, transactionId }
  await ledger.challenge.open(CART_SET, { ...opened, resId: null, paymentRequest })
  const [person, late] = sales
  if (!person || !late) throw new Error('there are two challenges')
  const cart = {
    setId: CART_SET,
    challengeId: `${CART_SET}.eth`,
    transfer: { ...transferData, tx: `0x${'9'.repeat(64)}` },
  }
  return { given: store.events(), buyers: { person, cart, late }, goods }
}
const { given, buyers, goods } = await lastPiece()
type Buyer = keyof typeof buyers

/** Each buyer is lent the piece, and pays only then; whoever is late was lent it once, and pays all the same. */
const wanted =
  (actors: { readonly [process: string]: readonly Buyer[] }): Scenario =>
  (start) => {
    const outside = createOutside(given)
    const refused = new Set<Buyer>()
    const paid = new Set<Buyer>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        const { ledger } = machine
        if (process === 'A') machine.run(takePieces)
        if (process === 'B') machine.run(finishSettlement)
        for (const buyer of own)
          if (!refused.has(buyer))
            self.task(buyer, async () => {
              const { setId, challengeId, transfer } = buyers[buyer]
              const holder = buyer === 'cart' ? CART : setId
              const endsAt = buyer === 'late' ? LAPSED : opened.expiresAt
              const isLent = await lendPieces(ledger, { holder, goods, endsAt }).then(
                () => true,
                (error: unknown) => {
                  if (!isRefusal(error, 'out-of-stock')) throw error
                  return false
                },
              )
              if (!isLent && buyer !== 'late') return void refused.add(buyer)
              await seen(ledger, challengeId, transfer)
              paid.add(buyer)
            })
      })
    const count = (type: string) => countOf(outside.store.events(), type)
    const always = () => {
      for (const type of ['PiecesSold', 'ChallengeSettled'])
        if (count(type) > 1) throw new Error(`${count(type)} of ${type} for one piece`)
    }
    return {
      shared: () => `${outside.shared()} ${[...refused]} ${[...paid]}`,
      always,
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        always()
        const [settled, aside] = [count('ChallengeSettled'), count('TransferSetAside')]
        if (settled !== count('PiecesSold')) throw new Error(`${settled} sold, ${count('PiecesSold')} pieces taken`)
        if (settled + aside !== count('TransferClaimed')) throw new Error('a payment is neither taken nor set aside')
        if (paid.size > 0 && settled !== 1) throw new Error('nobody got the piece')
        const { count: left } = await ledgerOn(memoryStore(outside.store.events()), world).stock.read(RES_ID)
        if (left !== 1 - settled) throw new Error(`${left} pieces are left`)
      },
    }
  }

test('N-98 of a person and an agent who want the last piece one gets it, and nobody pays for nothing', (t) =>
  holdsUnderDrawn(t, wanted({ A: ['person'], B: ['cart'] }), 1_000, NO_CRASH, ONE_CRASH))

test('N-98 who pays when the time was up gets the piece or has unmatched money, whoever else pays, wherever one dies', (t) =>
  holdsUnderDrawn(t, wanted({ A: ['late'], B: ['cart'] }), 1_000, NO_CRASH, ONE_CRASH))
