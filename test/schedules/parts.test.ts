import test from 'ava'
import type { Chain, RecordedEvent } from '../../domain/kernel/ports.ts'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { attributeTransfers, finishSettlement } from '../../domain/reactions/policies/selling.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { matchTransfer } from '../../domain/use-cases/selling/settling/match-transfer.ts'
import { recheckPayment } from '../../domain/use-cases/selling/settling/recheck-payment.ts'
import { ACCOUNT, CHALLENGE_ID, entry, SET_ID } from '../domain/samples.ts'
import { DEEP } from '../support/depth.ts'
import { alone, ledgerOn, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { countOf, createCheck } from './books.ts'
import { FIRST, LATE, MOVED, paidInParts, paidOverReorganisation, SECOND, SHALLOW, WHOLE } from './given-parts.ts'
import { createMachine, createOutside } from './machine.ts'
import { found, holds } from './proving.ts'
import type { Scenario } from './schedule.ts'

/**
 * A price that is paid in parts: whoever books them, in whatever order and wherever a process dies, there is one
 * settlement with the right sum.
 */

const parts = await paidInParts([FIRST, SECOND])
const partsAndWhole = await paidInParts([FIRST, WHOLE, SECOND])
const asideParts = await paidInParts([FIRST, SECOND], true)
const asideLate = await paidInParts([LATE, FIRST], true)

const goneAndWhole = await paidOverReorganisation(WHOLE)
const goneAndRest = await paidOverReorganisation(SECOND)
const movedAndRest = goneAndRest

const CRASH = { preemptions: 0, crashes: 1 }
const PREEMPTION = { preemptions: 1, crashes: 0 }
const BOTH = { preemptions: 1, crashes: 1 }
/** Thousands of schedules each, which are for the deep run. */
const MOST = DEEP ? [BOTH] : [CRASH]

test('N-24 N-25 two parts that the watches of two processes book settle once, with the sum of both', (t) =>
  holds(t, booking(parts, { A: ['watch'], B: ['watch', 'finish'] }, [FIRST, SECOND]), 50, CRASH, PREEMPTION))

test('N-24 N-25 the price in full between two parts settles once, and what came is told to the last unit', (t) =>
  holds(t, booking(partsAndWhole, { A: ['watch'], B: ['finish'] }, [FIRST, SECOND, WHOLE]), 50, CRASH, PREEMPTION))

test('N-24 N-62 a seller who matches both parts at once, from two processes, settles once', (t) =>
  holds(t, booking(asideParts, { A: ['first'], B: ['second', 'finish'] }, [FIRST, SECOND]), 20, ...MOST))

test('N-24 X-IDEM-04 a part that is matched from two processes at once is booked once', (t) =>
  holds(t, booking(asideParts, { A: ['first'], B: ['first again', 'finish'] }, [FIRST, SECOND], false), 20, ...MOST))

test('N-24 N-62 a late payment that is matched while a part is matched too stands in the books once', (t) =>
  holds(t, booking(asideLate, { A: ['late'], B: ['first', 'finish'] }, [LATE, FIRST]), 20, ...MOST))

test('N-24 N-25 a part whose block leaves the chain counts no more, and the price in full settles without it', (t) =>
  holds(t, reorganised(goneAndWhole, undefined, [WHOLE]), 20, CRASH, PREEMPTION))

test('N-24 N-25 a part that comes back in another block counts once, and settles with the rest', (t) =>
  holds(t, reorganised(movedAndRest, MOVED, [MOVED, SECOND]), 20, CRASH, PREEMPTION))

test('N-24 a part that is gone and is counted all the same is found out', (t) =>
  found(t, reorganised(goneAndRest, undefined, [SECOND], SHALLOW), /it says .* were paid/, CRASH))

test('a part that is booked without being claimed is found out', (t) =>
  found(t, unclaimed, /is a part of two challenges/, { preemptions: 0, crashes: 0 }))

type Actor = 'watch' | 'finish' | 'first' | 'first again' | 'second' | 'late'
const TRANSFERS = { first: FIRST, 'first again': FIRST, second: SECOND, late: LATE } as const

/** The actors of each process book what came. At rest all of `came` is told once; `settles` whether it is enough. */
const booking =
  (
    given: readonly RecordedEvent[],
    actors: { readonly [process: string]: readonly Actor[] },
    came: readonly TransferData[],
    settles = true,
  ): Scenario =>
  (start) => {
    const outside = createOutside(given)
    for (const [process, own] of Object.entries(actors))
      start(process, (self) => {
        const machine = createMachine(self, outside)
        for (const actor of own)
          if (actor === 'watch') machine.run(attributeTransfers)
          else if (actor === 'finish') machine.run(finishSettlement)
          else self.task(actor, () => matched(machine.ledger, TRANSFERS[actor]))
      })
    const checkBooks = createCheck()
    return {
      shared: outside.shared,
      always() {
        checkBooks(outside.store.events())
        checkSums(outside.store.events())
      },
      async atRest() {
        const world = fixedWorld('at rest')
        await runPolicies(outside.store, ledgerOn(outside.store, world), world)
        checkBooks(outside.store.events())
        checkSums(outside.store.events())
        const settlements = countOf(outside.store.events(), 'ChallengeSettled')
        if (settlements !== (settles ? 1 : 0)) throw new Error(`${settlements} settlements at rest`)
        for (const each of came) checkTold(outside.store.events(), each)
      },
    }
  }

/**
 * One process looks again at the shallow part, which is in another block now or nowhere; another follows the watch. At
 * rest, once it was looked at a last time, `came` has settled the challenge.
 */
const reorganised =
  (
    given: readonly RecordedEvent[],
    now: TransferData | undefined,
    came: readonly TransferData[],
    believed: TransferData | undefined = now,
  ): Scenario =>
  (start) => {
    const outside = createOutside(given)
    start('A', (self) => {
      const { ledger } = createMachine(self, outside)
      self.task('look again', () => recheck(ledger, believed))
    })
    start('B', (self) => {
      const machine = createMachine(self, outside)
      machine.run(attributeTransfers)
      machine.run(finishSettlement)
    })
    return {
      shared: outside.shared,
      always: () => checkSums(outside.store.events()),
      async atRest() {
        const world = fixedWorld('at rest')
        const ledger = ledgerOn(outside.store, world)
        await recheck(ledger, now)
        await runPolicies(outside.store, ledger, world)
        const events = outside.store.events()
        checkSums(events)
        const settled = told(events, 'ChallengeSettled')
        if (settled.length !== 1) throw new Error(`${settled.length} settlements at rest`)
        const sum = came.reduce((total, { amount }) => total + BigInt(amount), 0n)
        const { paid, transfer } = settled[0]?.data ?? {}
        if (BigInt(paid ?? transfer?.amount ?? 0) !== sum) throw new Error(`it says ${paid} were paid, and ${sum} were`)
        for (const each of came) checkTold(events, each)
      },
    }
  }

/** Looks for the shallow part on a chain that has it in this block, or not at all. */
const recheck = (ledger: Parameters<typeof matchTransfer>[0]['ledger'], now: TransferData | undefined) => {
  const chain = {
    transfersOf: async () => (now ? [now] : undefined),
    hashAt: async (height: number) => `0x${height}b`,
  } as unknown as Chain
  const { tx, height, blockHash } = SHALLOW
  return recheckPayment(
    ledger,
    chain,
    { challengeId: CHALLENGE_ID, transferId: transferId(SHALLOW), tx, height, blockHash },
    140,
    alone.heard,
  )
}

const matched = (ledger: Parameters<typeof matchTransfer>[0]['ledger'], transfer: TransferData) =>
  matchTransfer(
    { ledger },
    { accountId: ACCOUNT, transferId: transferId(transfer), challengeId: CHALLENGE_ID, by: 'key' },
  ).catch((error: unknown) => {
    // Another payment was faster.
    if (!(error instanceof Refusal) || error.code !== 'already-paid') throw error
  })

type Told = RecordedEvent & {
  readonly data: { readonly transfer: TransferData; readonly paid?: string; readonly parts?: readonly string[] }
}
const told = (events: readonly RecordedEvent[], ...types: readonly string[]): readonly Told[] =>
  events.filter(({ type }) => types.includes(type)) as readonly Told[]

/** What a settlement says that was paid is the sum of its parts and of the payment that made it enough. */
const checkSums = (events: readonly RecordedEvent[]) => {
  const partial = told(events, 'ChallengeUnderpaid')
  const ids = partial.map(({ data }) => transferId(data.transfer))
  if (new Set(ids).size !== ids.length) throw new Error('a transfer is a part twice')
  for (const { data } of told(events, 'ChallengeSettled')) {
    const before = partial.reduce((sum, part) => sum + BigInt(part.data.transfer.amount), 0n)
    const all = before + BigInt(data.transfer.amount)
    if (BigInt(data.paid ?? data.transfer.amount) !== all)
      throw new Error(`it says ${data.paid} were paid, and ${all} were`)
    if (all < BigInt(entry.amount)) throw new Error(`${all} settled it`)
    if ((data.parts ?? []).join() !== ids.join()) throw new Error('its parts are others')
  }
}

/** A transfer is in the books once at the most, and something says what became of it. */
const checkTold = (events: readonly RecordedEvent[], transfer: TransferData) => {
  const own = told(events, 'ChallengeUnderpaid', 'ChallengeSettled', 'TransferSetAside').filter(
    ({ data }) => transferId(data.transfer) === transferId(transfer),
  )
  if (own.length === 0) throw new Error(`nothing tells of ${transfer.tx}`)
  const posted = own.reduce((sum, event) => sum + postingsOf(event).length, 0)
  const isUnmatched = own.length === 1 && own[0]?.type === 'TransferSetAside' && posted === 0
  if (posted !== 2 && !isUnmatched) throw new Error(`${transfer.tx} is posted ${posted / 2} times`)
}

/** What booking a part without its claim would do: the same transfer is a part of two challenges. */
const unclaimed: Scenario = (start) => {
  const outside = createOutside(parts)
  start('A', (self) => {
    const { ledger } = createMachine(self, outside)
    self.task('books', async () => {
      const payment = { challengeId: CHALLENGE_ID, asset: 'eth', transfer: FIRST }
      await ledger.challenge.add(SET_ID, payment)
      await matched(ledger, FIRST).catch(() => {})
    })
  })
  return {
    shared: outside.shared,
    always() {},
    atRest() {
      const events = outside.store.events()
      if (countOf(events, 'ChallengeUnderpaid') > countOf(events, 'TransferClaimed'))
        throw new Error('what nobody claimed is a part of two challenges')
    },
  }
}
