import test from 'ava'
import { idOf } from '../../domain/kernel/decider.ts'
import type { Chain, RecordedEvent, Transfer } from '../../domain/kernel/ports.ts'
import { isRefusal } from '../../domain/kernel/refusal.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { finishRefunds } from '../../domain/reactions/policies/refunds.ts'
import { recordTransaction } from '../../domain/reactions/policies/selling.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { isGone } from '../../domain/selling/transactions/transaction.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { recheckRefund } from '../../domain/use-cases/selling/refunds/recheck-refund.ts'
import { lookForRefunds, refundPayment } from '../../domain/use-cases/selling/refunds/refund-payment.ts'
import { reversePayment } from '../../domain/use-cases/selling/settling/reverse-payment.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { chain } from '../domain/flow-setup.ts'
import { CHALLENGE_ID, transferData } from '../domain/samples.ts'
import { DEEP } from '../support/depth.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { flowOn } from '../support/money.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { OTHER_CHALLENGE_ID, paid } from './given.ts'
import { createMachine, createOutside, watched } from './machine.ts'
import { holds, holdsUnderDrawn } from './proving.ts'
import { type Scenario, step } from './schedule.ts'

/** A refund that several find at once, for one payment or for two, in processes that may die. */

const HASH = `0x${'77'.repeat(32)}`
const back: Transfer = {
  ...transferData,
  tx: HASH,
  from: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
  to: transferData.from,
  amount: BigInt(transferData.amount),
  height: 120,
}

/** Two sales are completed, each by a payment of its own. */
const twoSales = async (): Promise<readonly RecordedEvent[]> => {
  const store = memoryStore(await paid())
  const world = fixedWorld('two sales')
  const ledger = ledgerOn(store, world)
  await settlePayment(ledger, CHALLENGE_ID, transferData)
  await settlePayment(ledger, OTHER_CHALLENGE_ID, { ...transferData, tx: `0x${'ef'.repeat(32)}` })
  await runPolicies(store, ledger, world, policies)
  return store.events()
}

const given = await twoSales()
const [sale = '', otherSale = ''] = given
  .filter(({ type }) => type === 'TransactionCompleted')
  .map(({ stream }) => idOf(stream))

/** The same refund, in the block that came instead. */
const AGAIN: Transfer = { ...back, height: 125, blockHash: '0xagain' }
const PLACE = { transferId: transferId(back), tx: HASH, height: back.height, blockHash: back.blockHash, gone: false }

const chains = new Map<string, Chain>([
  ['eth', { ...chain(), head: async () => ({ height: 500, hash: '0x500' }), transfersOf: async () => [back] }],
])

/** The first of them is given back, and its chain has shown it. */
const refunded = await (async () => {
  const store = memoryStore(given)
  const world = fixedWorld('refunded')
  const ledger = ledgerOn(store, world)
  const transaction = await ledger.transaction.read(sale)
  if (isGone(transaction)) throw new Error('it is gone')
  const named = { transactionId: sale, by: 'owner', hash: HASH }
  await refundPayment({ ...flowOn(store, ledger, world), chains }, transaction, named)
  return store.events()
})()

const CRASH = { preemptions: 0, crashes: 1 }
const LOSSES = DEEP ? [CRASH, { preemptions: 1, crashes: 0 }] : [CRASH]
const BOTH = { preemptions: 1, crashes: 1 }

test('N-68 J-TXN-06 two who find the refund of one payment, and one who only records it, note it once', (t) =>
  holds(t, racing({ A: ['finds', 'records'], B: ['finds'] }), 200, BOTH))

test('N-68 J-TXN-06 one transfer gives back one of two payments, whoever comes first and whoever dies', (t) =>
  holds(t, racing({ A: ['finds', 'finishes'], B: ['finds for the other'] }), 200, BOTH))

test('N-68 J-TXN-06 the clock and its seller find one refund once', (t) =>
  holds(t, racing({ A: ['names', 'looks'], B: ['finds'] }), 100, DEEP ? BOTH : CRASH))

test('N-24 N-68 a refund whose block is gone is taken back once, and sent again once it is mined again', (t) =>
  holds(t, losing({ A: ['loses', 'mines', 'looks'], B: ['loses'], C: ['finishes'] }), 50, ...LOSSES))

test('N-24 N-68 a payment that is gone with its refund recorded leaves nothing owed, whoever finds the refund', (t) =>
  holdsUnderDrawn(t, losing({ A: ['loses the payment', 'follows'], B: ['loses', 'finishes'] }), 900, ...LOSSES))

type Actor = 'finds' | 'finds for the other' | 'records' | 'names' | 'looks' | 'finishes'

const racing =
  (actors: { readonly [process: string]: readonly Actor[] }): Scenario =>
  (start) => {
    const outside = createOutside(given)
    const told: { readonly sent: boolean }[] = []
    const done = new Set<string>()
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside, { store: watched(outside.store) })
        const { ledger, store, world } = machine
        const flow: UseCaseContext = { ...flowOn(store, ledger, world as never), chains }
        const asks = async (on: UseCaseContext, transactionId: string, hash?: string) => {
          const transaction = await ledger.transaction.read(transactionId)
          if (isGone(transaction)) throw new Error('it is gone')
          told.push(await refundPayment(on, transaction, { transactionId, by: 'owner', hash }))
        }
        const unknown = { ...flow, chains: new Map([['eth', chain()]]) }
        const acts: Record<Exclude<Actor, 'finishes'>, () => Promise<unknown>> = {
          finds: () => asks(flow, sale, HASH),
          'finds for the other': () => asks(flow, otherSale, HASH),
          records: () => asks(flow, sale),
          names: () => asks(unknown, sale, HASH),
          looks: () => look(flow),
        }
        for (const actor of own)
          if (actor === 'finishes') machine.run(finishRefunds)
          else if (!done.has(`${process} ${actor}`))
            self.task(actor, async () => {
              await acts[actor]().catch((error: unknown) => {
                if (!isRefusal(error, 'transfer-taken', 'state-forbids')) throw error
              })
              done.add(`${process} ${actor}`)
            })
      })
    const checkBooks = createCheck()
    return {
      shared: () => JSON.stringify([outside.shared(), told, [...done]]),
      always() {
        const events = outside.store.events()
        checkBooks(events)
        if (told.some(({ sent }) => sent) && countOf(events, 'RefundTransferClaimed') === 0)
          throw new Error('somebody was told of what is not in the log')
      },
      async atRest() {
        const world = fixedWorld('at rest')
        const ledger = ledgerOn(outside.store, world)
        await look({ ...flowOn(outside.store, ledger, world), chains })
        await runPolicies(outside.store, ledger, world)
        const events = outside.store.events()
        checkBooks(events)
        for (const type of ['RefundTransferClaimed', 'RefundSent'])
          if (countOf(events, type) !== 1) throw new Error(`${countOf(events, type)} of ${type}`)
        if (owed(events) !== 0n) throw new Error(`${owed(events)} are recorded and not sent`)
      },
    }
  }

type LosingActor = 'loses' | 'mines' | 'looks' | 'finishes' | 'loses the payment' | 'follows'

/** A refund was found and sent; then its block, or that of its payment, is replaced. */
const losing =
  (actors: { readonly [process: string]: readonly LosingActor[] }): Scenario =>
  (start) => {
    const outside = createOutside(refunded)
    const seen = { isThere: false, isPaid: true }
    const node = nodeThatHas(() => seen.isThere)
    const on = new Map([['eth', node]])
    const loses = (ledger: Ledger) =>
      recheckRefund({ ledger, chain: node, network: { confirmations: 6 }, head: { height: 500, hash: '0x500' } }, PLACE)
    const losesPayment = async (ledger: Ledger) => {
      seen.isPaid = false
      await reversePayment(ledger, await ledger.transfer.read(transferId(transferData)))
    }
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside)
        const { ledger, store, world } = machine
        const flow: UseCaseContext = { ...flowOn(store, ledger, world as never), chains: on }
        const acts: Record<Exclude<LosingActor, 'finishes' | 'follows'>, () => Promise<unknown>> = {
          loses: () => loses(ledger),
          mines: async () => {
            seen.isThere = true
          },
          looks: () => look(flow),
          'loses the payment': () => losesPayment(ledger),
        }
        for (const actor of own)
          if (actor === 'finishes') machine.run(finishRefunds)
          else if (actor === 'follows') machine.run(recordTransaction)
          else self.task(actor, async () => void (await acts[actor]()))
      })
    const checkBooks = createCheck()
    return {
      shared: () => `${outside.shared()},${seen.isThere},${seen.isPaid}`,
      always: () => checkBooks(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        const ledger = ledgerOn(outside.store, world)
        for (let n = 0; n < 2; n++) {
          if (!seen.isPaid) await losesPayment(ledger)
          if (!seen.isThere) await loses(ledger)
          await look({ ...flowOn(outside.store, ledger, world), chains: on })
          await runPolicies(outside.store, ledger, world)
        }
        const events = outside.store.events()
        checkBooks(events)
        await checkRefund(ledger, events, seen)
      },
    }
  }

const nodeThatHas = (isThere: () => boolean): Chain => ({
  ...chain(),
  head: async () => ({ height: 500, hash: '0x500' }),
  hashAt: async (height) => (height === AGAIN.height ? AGAIN.blockHash : `0x${height}`),
  async transfersOf(tx) {
    const there = tx === HASH && isThere()
    await step(there ? 'the chain has the refund' : 'the chain has nothing')
    return there ? [AGAIN] : undefined
  },
})

const checkRefund = async (
  ledger: Ledger,
  events: readonly RecordedEvent[],
  { isThere, isPaid }: { isThere: boolean; isPaid: boolean },
): Promise<void> => {
  const standing = countOf(events, 'RefundSent') - countOf(events, 'RefundUnsent')
  if (standing !== (isThere ? 1 : 0)) throw new Error(`${standing} refunds stand, and the chain has ${isThere}`)
  const due = isPaid && !isThere ? BigInt(transferData.amount) : 0n
  if (owed(events) !== -due) throw new Error(`${owed(events)} are owed, and ${-due} should be`)
  const transaction = await ledger.transaction.read(sale)
  const { sent, recorded } = (transaction.status !== 'none' && transaction.coinRefund) || {}
  if (BigInt(recorded ?? 0) - BigInt(sent ?? 0) !== due) throw new Error('the record says something else')
}

/** A round of the clock, as the read model would tell of it. */
const look = (flow: UseCaseContext) =>
  lookForRefunds(
    flow,
    { soughtRefunds: async () => [{ transactionId: sale, hash: HASH, namedAt: null }] },
    '',
    (error) => {
      throw error
    },
  )

/** What is recorded as given back and not sent. */
const owed = (events: readonly RecordedEvent[]): bigint =>
  events
    .flatMap(postingsOf)
    .filter(({ account }) => account.endsWith(':refunds'))
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
