import test from 'ava'
import fc from 'fast-check'
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Checkpoints, type Reactor, runReactor } from '../../adapters/following/reactor.ts'
import type { EventStore, NewEvent, RecordedEvent } from '../../domain/kernel/ports.ts'
import { carryGameUnits } from '../../domain/reactions/policies/game.ts'
import { billSettlement } from '../../domain/reactions/policies/money.ts'
import { type Policy, reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { HANG_MS, runs } from '../support/depth.ts'
import { alone, ledgerOn, noSnapshots, runPolicies } from '../support/ledger.ts'
import { type MemoryStore, memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'

/**
 * Real policies on random logs, whatever their appends take and wherever a process ends, beside the same policies that
 * answer one event after the other: the streams that they write are the same.
 */

const POLICIES = [billSettlement, carryGameUnits]

test('N-110 X-IDEM-04 policies that answer several keys at once leave the streams that they leave one at a time', async (t) => {
  t.timeout(HANG_MS)
  await fc.assert(
    fc.asyncProperty(lives, async (life) => t.deepEqual(await atOnce(life), await oneAtATime(life))),
    { numRuns: runs({ quick: 60, deep: 3_000 }), ...(process.env.SEED && { seed: Number(process.env.SEED) }) },
  )
})

test('a policy that does not say what its order matters for is found out', async (t) => {
  t.timeout(HANG_MS)
  const keyless = ({ ...reactor }: Reactor): Reactor => ({ ...reactor, keysOf: () => [] })
  const found = await fc.check(
    fc.asyncProperty(lives, async (life) => {
      const [left, expected] = [await atOnce(life, keyless), await oneAtATime(life)]
      return JSON.stringify(left) === JSON.stringify(expected)
    }),
    { numRuns: 300, endOnFailure: true },
  )
  t.true(found.failed, `${found.numRuns} runs: ${found.errorInstance}`)
  t.log(`found in run ${found.numRuns}`)
})

/** What a sale costs, a test sale or one of less than a fee nothing, or what members are sent by a tournament. */
type Happening =
  | { readonly kind: 'sale'; readonly account: number; readonly dollars: number; readonly test: boolean }
  | { readonly kind: 'prize'; readonly units: readonly number[] }

/**
 * A process that ends after some of its appends. When it `dies`, those under way may have landed or not, and how far it
 * had come may be noted or not.
 */
type Ending = {
  readonly afterAppends: number
  readonly dies: boolean
  readonly lands: boolean
  readonly noted: boolean
}

const lives = fc.record({
  happenings: fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('sale' as const),
        account: fc.integer({ min: 0, max: 2 }),
        dollars: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1_000, max: 2_000 }) }, fc.constant(0)),
        test: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
      }),
      fc.record({
        kind: fc.constant('prize' as const),
        units: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
      }),
    ),
    { minLength: 1, maxLength: 24 },
  ),
  endings: fc.array(
    fc.record({
      afterAppends: fc.integer({ min: 0, max: 12 }),
      dies: fc.boolean(),
      lands: fc.boolean(),
      noted: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  /** Turns of the event loop that appends take, one after the other. */
  turns: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 16 }),
})
type Life = typeof lives extends fc.Arbitrary<infer L> ? L : never

/** The log before any policy has seen it. Each account has a credit that its first fees use up. */
const beginning = async ({ happenings }: Life): Promise<MemoryStore> => {
  const store = memoryStore()
  const ledger = ledgerOn(store, fixedWorld('given'))
  for (const account of [0, 1, 2])
    await ledger.creditAccount.grant(`acc_${account}`, {
      amount: '5000000',
      reason: 'email-verified',
      ref: 'given',
      source: 'given',
      position: '0',
    })
  for (const [n, each] of happenings.entries()) await store.append(`given-${n}`, -1n, [happened(n, each)])
  return store
}

const happened = (n: number, each: Happening): NewEvent => {
  const id = fixedWorld('given').uuidFrom(`given|${n}`)
  const meta = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'tester', correlationId: 'test' } }
  if (each.kind === 'sale') {
    const sale = { accountId: `acc_${each.account}`, challengeId: `ch_${n}.eth`, usd: String(each.dollars * 1_000_000) }
    return { id, type: 'ChallengeSettled', data: { ...sale, test: each.test }, meta }
  }
  const payouts = each.units.map((units, member) => ({ member: `us_${member}`, units }))
  return { id, type: 'TournamentSettled', data: { board: [], payouts, settledAt: meta.at }, meta }
}

const oneAtATime = async (life: Life) => {
  const store = await beginning(life)
  const world = fixedWorld('one')
  await runPolicies(store, ledgerOn(store, world), world, POLICIES)
  return streams(store)
}

const atOnce = async (life: Life, changed: (reactor: Reactor) => Reactor = (reactor) => reactor) => {
  const store = await beginning(life)
  const saved = new Map<string, bigint>()
  for (const [n, ending] of [...life.endings, undefined].entries())
    await runProcess(`p${n}`, { store, saved, changed, turns: life.turns, ending })
  return streams(store)
}

type Given = {
  readonly store: MemoryStore
  readonly saved: Map<string, bigint>
  readonly turns: readonly number[]
  readonly ending: Ending | undefined
  changed(reactor: Reactor): Reactor
}

/** Runs the policies in a process of their own until it ends, or until they have come to the end of the log. */
const runProcess = async (name: string, { store, saved, turns, ending, changed }: Given): Promise<void> => {
  const over = new AbortController()
  let appends = 0
  const slow: EventStore = {
    ...store,
    async append(...given) {
      const turn = turns[appends % turns.length] ?? 0
      if (ending && appends++ >= ending.afterAppends) over.abort()
      for (let n = 0; n < turn; n++) await new Promise((resolve) => setImmediate(resolve))
      if (!ending) appends++
      if (ending?.dies && over.signal.aborted && !ending.lands) throw new Error('the process has died')
      return store.append(...given)
    },
  }
  const feed = await startFeed(slow)
  const world = fixedWorld(name)
  const doors = createLedger(slow, world, noSnapshots)
  const checkpoints: Checkpoints = {
    load: async (policy) => saved.get(policy) ?? -1n,
    async save(policy, position) {
      if (!(ending?.dies && over.signal.aborted)) saved.set(policy, position)
    },
  }
  const followed = POLICIES.map((policy) => {
    const progress = createProgress()
    const reactor = changed(reactorOf(policy, doors.open, world))
    return {
      name: policy.name,
      progress,
      ended: runReactor(reactor, { feed, checkpoints, progress, log: { warn() {} } }, over.signal),
    }
  })
  const end = await store.head()
  await Promise.race([
    Promise.all(followed.map(({ progress }) => progress.reached(end, 30_000))),
    new Promise((resolve) => over.signal.addEventListener('abort', resolve, { once: true })),
  ])
  if (ending?.dies && ending.noted) for (const { name, progress } of followed) saved.set(name, progress.at())
  over.abort()
  await Promise.all(followed.map(({ ended }) => ended))
  // Nobody waits any longer for a process that is gone.
  for (const { progress } of followed) progress.advance(end)
  await feed.stop()
}

const reactorOf = (
  policy: Policy,
  open: ReturnType<typeof createLedger>['open'],
  world: ReturnType<typeof fixedWorld>,
): Reactor => ({
  name: policy.name,
  concurrency: 8,
  ...reactionsOf(policy, (event) => ({
    ledger: open({ actor: policy.name, correlationId: event.cause.correlationId, causationId: event.id }).ledger,
    world,
    secondVoice: alone,
  })),
})

/** What is in each stream, without what says when it was written and by whom. */
const streams = (store: MemoryStore) =>
  Object.fromEntries(
    [...Map.groupBy(store.events(), ({ stream }: RecordedEvent) => stream)]
      .map(([stream, events]) => [stream, events.map(({ type, data }) => ({ type, data }))] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
