import test from 'ava'
import type { Chain, RecordedEvent } from '../../domain/kernel/ports.ts'
import { isFinal } from '../../domain/kernel/refusal.ts'
import { attributeTransfers, finishSettlement, reversePayments } from '../../domain/reactions/policies/selling.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { recheckBooked } from '../../domain/use-cases/selling/settling/recheck-booked.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { ACCOUNT, CHALLENGE_ID, entry, SET_ID, transferData } from '../domain/samples.ts'
import { DEEP } from '../support/depth.ts'
import { ledgerOn, runPolicies } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf } from './books.ts'
import { paid } from './given.ts'
import { createMachine, createOutside } from './machine.ts'
import { found, holds } from './proving.ts'
import { type Scenario, step } from './schedule.ts'

/**
 * A payment that has settled is reorganised away, and may come again in another block, while two processes look, book
 * and die: at every moment one settlement lives at the most, and at rest the books are those of what the chain has.
 */

const settled = await (async () => {
  const store = memoryStore(await paid())
  const world = fixedWorld('settled')
  await runPolicies(store, ledgerOn(store, world), world)
  return store.events()
})()

/** The same transaction, in the block that came instead. */
const AGAIN: TransferData = { ...transferData, height: transferData.height + 2, blockHash: '0xagain' }
const HEAD = { height: transferData.height + 20, hash: '0xhead' }
const FEE = 200_000n

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
/** Thousands of schedules each, which are for the deep run. */
const MOST = DEEP ? [CRASH, PREEMPTION] : [CRASH]

test('N-24 two processes that find a settled payment gone take it back once, and nothing old settles it again', (t) =>
  holds(t, losing({ A: ['look', 'finish'], B: ['look again', 'watch'] }), 100, ...MOST))

test('N-24 N-62 a payment that is gone, and mined again while it is taken back, ends in one settlement', (t) =>
  holds(t, losing({ A: ['look', ...(DEEP ? (['reverse'] as const) : [])], B: ['mined', 'finish'] }), 100, ...MOST))

test('N-24 N-62 a payment that was taken back is settled once more, by whoever comes first', (t) =>
  holds(t, losing({ A: ['look', 'mined'], B: ['mined again', 'reverse'] }), 100, ...MOST))

test('N-24 a settlement that is booked again from what was gone is found out', (t) =>
  found(t, losing({ A: ['look'], B: ['heedless'] }), /is paid by what the chain has not/, PREEMPTION))

type Actor = 'look' | 'look again' | 'mined' | 'mined again' | 'watch' | 'finish' | 'reverse' | 'heedless'
const POLICIES = { watch: attributeTransfers, finish: finishSettlement, reverse: reversePayments } as const

/** `heedless` settles with what was claimed before, as if nothing had been taken back since. */
const losing =
  (actors: { readonly [process: string]: readonly Actor[] }): Scenario =>
  (start) => {
    const outside = createOutside(settled)
    let mined = false
    const chain = chainThatHas(() => (mined ? AGAIN : undefined))
    const look = (ledger: Ledger) => looking(ledger, chain, outside.store.events())
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside)
        for (const actor of own)
          if (actor === 'watch' || actor === 'finish' || actor === 'reverse') machine.run(POLICIES[actor])
          else if (actor === 'look' || actor === 'look again') self.task(actor, () => look(machine.ledger))
          else if (actor === 'heedless') self.task(actor, () => heedless(machine.ledger))
          else
            self.task(actor, async () => {
              await step('a block takes it in')
              mined = true
              await booked(machine.ledger)
            })
      })
    return {
      shared: () => `${outside.shared()},${mined}`,
      always: () => checkLife(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        const ledger = ledgerOn(outside.store, world)
        for (let n = 0; n < 2; n++) {
          await look(ledger)
          await runPolicies(outside.store, ledger, world)
        }
        checkLife(outside.store.events())
        await checkRest(ledger, outside.store.events(), mined)
      },
    }
  }

const chainThatHas = (what: () => TransferData | undefined): Chain =>
  ({
    hashAt: async (height: number) => (height === AGAIN.height && what() ? AGAIN.blockHash : `0x${height}b`),
    async transfersOf() {
      const has = what()
      await step(`the chain has ${has ? 'it' : 'nothing'}`)
      return has && [{ ...has, amount: BigInt(has.amount) }]
    },
  }) as unknown as Chain

const looking = async (ledger: Ledger, chain: Chain, events: readonly RecordedEvent[]): Promise<void> => {
  const newest = told(events, 'ChallengeSettled').at(-1)?.data.transfer ?? transferData
  const { tx, height, blockHash } = newest
  const gone = told(events, 'TransferReversed').length > 0
  const place = { transferId: transferId(newest), tx, height, blockHash, gone }
  const network = { confirmations: entry.confirmations }
  const looking = { ledger, chain, network, head: HEAD, mayCome: async () => false, hear: () => 1 }
  await recheckBooked(looking, place)
}

const booked = (ledger: Ledger) =>
  settlePayment(ledger, CHALLENGE_ID, AGAIN).catch((error: unknown) => {
    if (!isFinal(error)) throw error
  })

const heedless = async (ledger: Ledger) => {
  await ledger.challenge.read(SET_ID)
  const payment = { challengeId: CHALLENGE_ID, asset: 'eth', transfer: transferData }
  await ledger.challenge.settle(SET_ID, { ...payment, again: 1 })
}

type Told = RecordedEvent & {
  readonly data: { readonly transfer: TransferData; readonly unsettled?: object; readonly again?: number }
}
const told = (events: readonly RecordedEvent[], type: string): readonly Told[] =>
  events.filter((event) => event.type === type) as readonly Told[]

/** Settlements that stand. */
const living = (events: readonly RecordedEvent[]): number =>
  countOf(events, 'ChallengeSettled') -
  told(events, 'PaymentReversed').filter(({ data }) => data.unsettled !== undefined).length

const checkLife = (events: readonly RecordedEvent[]): void => {
  let live = 0
  for (const event of events) {
    const { type, data } = event as Told
    if (type === 'ChallengeSettled') live++
    if (type === 'PaymentReversed' && data.unsettled !== undefined) live--
    if (live < 0 || live > 1) throw new Error(`${live} settlements live at once`)
    if (type === 'ChallengeSettled' && data.again !== undefined && data.transfer.blockHash === transferData.blockHash)
      throw new Error('it is paid by what the chain has not')
  }
  for (const type of ['DeliveryScheduled', 'TransactionCreated'])
    if (countOf(events, type) > 1) throw new Error(`${countOf(events, type)} of ${type}`)
}

const checkRest = async (ledger: Ledger, events: readonly RecordedEvent[], mined: boolean): Promise<void> => {
  const live = living(events)
  if (live !== (mined ? 1 : 0)) throw new Error(`${live} settlements at rest, and the chain has ${mined ? 1 : 0}`)
  const sumOf = (account: string, asset: string) =>
    events
      .flatMap((event) => postingsOf(event))
      .filter((posting) => posting.account === account && posting.asset === asset)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  const wallet = sumOf(`seller:${ACCOUNT}:wallet`, 'eth')
  if (wallet !== BigInt(live) * BigInt(entry.amount)) throw new Error(`the wallet has ${wallet}`)
  const fees = sumOf('platform:fees', 'USD')
  if (fees !== BigInt(live) * FEE) throw new Error(`the fees are ${fees}`)
  const created = told(events, 'TransactionCreated')[0]
  const transaction = await ledger.transaction.read(created?.stream.slice('transaction-'.length) ?? '')
  if (transaction.status !== (live ? 'C' : 'P')) throw new Error(`the transaction is ${transaction.status}`)
  if (countOf(events, 'DeliveryScheduled') !== 1) throw new Error('its webhook is not told once')
}
