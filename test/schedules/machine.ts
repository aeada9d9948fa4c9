/**
 * Processes of Daybook for exploring: the real ledger, feed and reactors on a log in memory, with a step wherever they
 * meet the outside.
 */
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { type Checkpoints, type Reactor, runReactor } from '../../adapters/following/reactor.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import {
  type AppendPlace,
  type EventStore,
  OutcomeUnknown,
  type RecordedEvent,
  type World,
} from '../../domain/kernel/ports.ts'
import { isFinal } from '../../domain/kernel/refusal.ts'
import type { Effect } from '../../domain/reactions/subscriber/effect.ts'
import { type Policy, type PolicyTogether, reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import type { TransferData } from '../../domain/selling/challenge-terms.ts'
import { settlePayment } from '../../domain/use-cases/selling/settling/settle-payment.ts'
import type { Homes } from '../../domain/write-side/homes.ts'
import { createLedger, type Ledger, type LedgerDoors } from '../../domain/write-side/ledger.ts'
import { alone, noSnapshots } from '../support/ledger.ts'
import { type MemoryStore, memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { type Process, type StartProcess, step, unscheduled } from './schedule.ts'
import './virtual-time.ts'

/** What outlives a process, and is the same for all of them. */
export type Outside = {
  readonly store: MemoryStore
  readonly checkpoints: Map<string, bigint>
  /** Who may run a follower, by its name. */
  readonly leases: Map<string, Lease>
  shared(): string
}
type Lease = { readonly holder: string; readonly lost: AbortController }

export const createOutside = (given: readonly RecordedEvent[]): Outside => {
  const store = memoryStore(given)
  const checkpoints = new Map<string, bigint>()
  const leases = new Map<string, Lease>()
  // What an event says follows from the history of its writer, and that is compared anyway; left is the order.
  const written = () => store.events().slice(given.length)
  const shared = () =>
    [
      ...written().map(({ id }) => id),
      ...checkpoints,
      ...[...leases].map(([name, { holder }]) => [name, holder]),
    ].join()
  return { store, checkpoints, leases, shared }
}

/** A policy or an effect. */
type Follower = (Policy | PolicyTogether | Effect) & { readonly concurrency?: number }

/** As many as in the product: enough for all that a scenario has. */
const REACTIONS_AT_ONCE = 64

export type Machine = {
  readonly ledger: Ledger
  readonly doors: LedgerDoors
  readonly world: World
  readonly store: EventStore
  /**
   * Hears of what is written from now on, as every process of the product does. Those that run a follower do so anyway.
   */
  listen(): Promise<Feed>
  /**
   * Follows the log with it, as the product does, while this process has the lease; `context` is what it gets beside
   * ledger and world.
   */
  run(follower: Follower, context?: object): void
}

type Given = {
  readonly store?: EventStore
  readonly homes?: Homes
  readonly changed?: (reactor: Reactor, checkpoints: Checkpoints) => Reactor
  /** Types of events that do not arrive while nothing follows the log; then nothing is known of any stream. */
  readonly leftOut?: ReadonlySet<string>
}

/** A process as the product composes it. What is given here stands in the place of the true one. */
export const createMachine = (self: Process, outside: Outside, given: Given = {}): Machine => {
  const { store = watched(outside.store), homes, changed = (reactor) => reactor, leftOut } = given
  const world = fixedWorld(self.name)
  let heard: Feed | undefined
  const hearsAll = () => heard?.hearsAll() === true
  const hearing = leftOut && { isKept: () => false, changesRow: () => false, arrives: hearsAll, isFresh: hearsAll }
  const doors = createLedger(store, world, noSnapshots, { homes, hearing })
  const checkpoints = keptIn(outside.checkpoints)
  let feed: Promise<Feed> | undefined
  const openFeed = () => {
    feed ??= new Promise((resolve, reject) =>
      self.follow('feed', async () => {
        try {
          heard = await startFeed(store, { arrived: doors.arrived, missed: doors.missed, leftOut })
          resolve(heard)
        } catch (error) {
          reject(error)
        }
      }),
    )
    return feed
  }

  const run = (follower: Follower, context: object = {}) => {
    const { name, concurrency = REACTIONS_AT_ONCE } = follower
    const contextOf = (event: RecordedEvent) => {
      const cause = { actor: name, correlationId: event.cause.correlationId, causationId: event.id }
      return { ...context, world, secondVoice: alone, ledger: doors.open(cause).ledger }
    }
    const reactor = changed(
      { name, concurrency, ...reactionsOf({ keys: () => [], ...follower } as Policy | PolicyTogether, contextOf) },
      checkpoints,
    )
    self.follow(name, async () => {
      const log = { warn() {} }
      while (!self.crashed.aborted)
        await inTurn(self, outside.leases, name, async (signal) => {
          // Who only stands by has no need to listen: less to explore.
          const feed = await openFeed()
          await runReactor(reactor, { feed, checkpoints, progress: createProgress(), log }, signal)
        })
    })
  }
  return {
    ledger: doors.open({ actor: 'client', correlationId: self.name }).ledger,
    doors,
    world,
    store,
    listen: openFeed,
    run,
  }
}

/**
 * Waits for the lease, and does the work while it is held. A crash lets it go; others may take it before the work has
 * noticed a loss.
 */
const inTurn = async (
  { name: holder, crashed }: Process,
  leases: Outside['leases'],
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
) => {
  if (leases.has(name)) await step('takes over', { ready: () => !leases.has(name) })
  const lease = { holder, lost: new AbortController() }
  const release = () => {
    if (leases.get(name) === lease) leases.delete(name)
  }
  leases.set(name, lease)
  crashed.addEventListener('abort', release)
  await work(AbortSignal.any([crashed, lease.lost.signal]))
  crashed.removeEventListener('abort', release)
  release()
}

/**
 * An append may be cut off before it reaches the log, and after it did. What a read answers is fixed when it is asked,
 * and may come late.
 */
export const watched = (store: MemoryStore): EventStore => ({
  ...store,
  async append(stream, expected, events) {
    const what = `${events.map(({ type }) => type).join(', ')} to ${stream}`
    await step(`append ${what}`, { crash: true })
    const appended = await store.append(stream, expected, events)
    await step(`appended ${what} at ${appended.position}`, { crash: true })
    return appended
  },
  async *read(stream, from) {
    const pages = await Array.fromAsync(store.read(stream, from))
    await step(`read ${stream} up to ${store.revision(stream)}`)
    yield* pages
  },
  async *readAll(after) {
    for await (const page of store.readAll(after)) {
      await step(`read the log from ${after} to ${page.at(-1)?.position}`)
      yield page
    }
  },
  async *subscribe(after, signal, leftOut = NONE) {
    for (let at = Number(after); ; ) {
      const from = Math.max(0, at)
      const heard = () => store.events().filter(({ type }, n) => n >= from && !leftOut.has(type))
      await step(`hear what comes after ${from}`, { ready: () => signal.aborted || heard().length > 0 })
      if (signal.aborted) return
      const page = heard()
      at = store.events().length
      yield page
    }
  },
})

const NONE: ReadonlySet<string> = new Set()
/** How long an append over a network is waited for. */
const ANSWER_LIMIT_MS = 10_000

/**
 * The same log over a network that takes its time. A request goes its own way, whatever becomes of who sent it: its
 * answer may come too late, and it may land when it was sent again long ago.
 */
export const overNetwork = (start: StartProcess, store: MemoryStore): EventStore => {
  let requests = 0
  let network: Process | undefined
  start('network', (self) => {
    network = self
  })
  return {
    ...watched(store),
    async append(stream, expected, events) {
      const answer = Promise.withResolvers<AppendPlace>()
      answer.promise.catch(() => {})
      const limit = setTimeout(() => answer.reject(new OutcomeUnknown('no answer in time')), ANSWER_LIMIT_MS)
      const request = ++requests
      network?.follow(`request ${request}`, async () => {
        await step(`append ${events.map(({ type }) => type).join(', ')} to ${stream} after ${expected}`)
        await store.append(stream, expected, events).then(answer.resolve, answer.reject)
      })
      await step(`sent request ${request}`, { crash: true })
      return answer.promise.finally(() => clearTimeout(limit))
    },
  }
}

/** At any moment another process may take the lease of a process, which hears of it a little later. */
export const loseLease = (start: StartProcess, { leases }: Outside, name: string, holder: string): void =>
  start('Postgres', (self) =>
    self.follow('server', async () => {
      await step(`${holder} loses its lease`, { ready: () => leases.get(name)?.holder === holder })
      const lease = leases.get(name)
      leases.delete(name)
      await step(`${holder} hears of it`)
      unscheduled(() => lease?.lost.abort('lost'))
    }),
  )

/** As the rows of Postgres are: a save never goes back. */
const keptIn = (rows: Map<string, bigint>): Checkpoints => ({
  async load(name) {
    const position = rows.get(name) ?? -1n
    await step(`loaded checkpoint ${position}`)
    return position
  },
  async save(name, position) {
    if (position > (rows.get(name) ?? -1n)) rows.set(name, position)
    await step(`saved checkpoint ${position}`, { crash: true })
  },
})

/**
 * A payment that is seen again after a crash, as the watch takes it: one that was set aside meanwhile stays so, and is
 * no reason to stop.
 */
export const seen = async (ledger: Ledger, challengeId: string, transfer: TransferData): Promise<void> => {
  await settlePayment(ledger, challengeId, transfer).catch((error: unknown) => {
    if (!isFinal(error)) throw error
  })
}
