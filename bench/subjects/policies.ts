/**
 * Policies that answer settlements, with keys or one event at a time. Arguments: the URL of the node, by which the
 * settlements are written, and the one by which the policies reach it through the EventStoreDB adapter. Or the file of
 * a log in this process, and the milliseconds that each call to it takes longer: no processor time goes to a protocol.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Reactor, runReactor } from '../../adapters/following/reactor.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import type { EventStore, Snapshots } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { billSettlement } from '../../domain/reactions/policies/money.ts'
import { reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { world } from '../../src/settings/world.ts'
import { answering } from '../answering.ts'
import { writeSales } from '../sale-log.ts'
import { allSteps } from '../sales.ts'

export type Answering = {
  readonly sales: number
  /** The number of the first of them. */
  readonly from: number
  /** The fee alone, or all that follows from a settlement. */
  readonly which: 'fee' | 'all'
  /** Events of different keys at once, or every event after the one before it. */
  readonly order: 'by key' | 'of the log'
}
/** `cpuMs` is the processor time of this process for one settlement. */
export type Answered = { readonly rate: number; readonly cpuMs: number; readonly events: number }

/** Events of a sale up to its settlement, of streams that no other sale has. */
const SETTLED = ['ChallengeOpened', 'TransferClaimed', 'ChallengeSettled']
const AT_ONCE = 64
const ANSWER_MS = 110_000
const LOOK_MS = 20

const later = (store: EventStore, ms: number): EventStore => ({
  ...store,
  async append(...given) {
    await pause(ms)
    return store.append(...given)
  },
  async *read(...given) {
    await pause(ms)
    yield* store.read(...given)
  },
})

const [nearUrl = '', farUrl = ''] = process.argv.slice(2)
const near = nearUrl.startsWith('esdb:') ? eventStoreDb(nearUrl) : embeddedStore(openCore(nearUrl))
const far = nearUrl.startsWith('esdb:') ? eventStoreDb(farUrl) : later(near, Number(farUrl))
const kept = new Map<string, { revision: bigint; state: unknown }>()
const snapshots: Snapshots = {
  load: async (stream) => kept.get(stream),
  save: async (stream, _version, revision, state) => void kept.set(stream, { revision, state }),
}
const secondVoice = { known: () => 1 }

const reactorsOf = ({ which, order }: Answering, open: ReturnType<typeof createLedger>['open']): readonly Reactor[] =>
  (which === 'fee' ? [billSettlement] : policies).map((policy) => ({
    name: policy.name,
    ...reactionsOf(policy, ({ id, cause }) => ({
      ledger: open({ actor: policy.name, correlationId: cause.correlationId, causationId: id }).ledger,
      world,
      secondVoice,
    })),
    concurrency: order === 'by key' ? AT_ONCE : 1,
    ...(order === 'of the log' && { keysOf: () => ['the log'], together: undefined }),
  }))

/** Answers settlements that are there, and whatever follows from that, until nothing follows any more. */
const answer = async (question: Answering): Promise<Answered> => {
  const { from, sales } = question
  const before = await near.head()
  const steps = (n: number) => allSteps(n).filter(({ type }) => SETTLED.includes(type))
  const doors = createLedger(far, world, snapshots)
  const stopping = new AbortController()
  // The settlements come by the one subscription of a process, as in a service that runs.
  const feed = await startFeed(far, { arrived: doors.arrived })
  const given = await writeSales(near, steps, from, from + sales)
  while (feed.head() < (await near.head())) await pause(LOOK_MS)
  const checkpoints = { load: async () => before, save: async () => {} }
  const log = {
    warn: (facts: object, message: string) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
  }
  const start = performance.now()
  const used = process.cpuUsage()
  const followers = reactorsOf(question, doors.open).map((reactor) => {
    const progress = createProgress()
    return { progress, ended: runReactor(reactor, { feed, checkpoints, progress, log }, stopping.signal) }
  })
  for (let head = -1n; head !== (await near.head()); ) {
    head = await near.head()
    const reached = await Promise.all(followers.map(({ progress }) => progress.reached(head, ANSWER_MS)))
    if (!reached.every(Boolean)) throw new Error('not every event was answered in time')
  }
  const seconds = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(used)
  stopping.abort()
  await Promise.all(followers.map(({ ended }) => ended))
  await feed.stop()
  return { rate: sales / seconds, cpuMs: (user + system) / 1_000 / sales, events: (await eventsAfter(before)) - given }
}

const eventsAfter = async (position: bigint): Promise<number> => {
  let events = 0
  for await (const page of near.readAll(position)) events += page.length
  return events
}

await answering<Answering>(answer, async () => {
  await far.close()
  await near.close()
})
