/**
 * The write side on a real embedded log, for tests that need no HTTP: the ledger, its policies, and ways to break an
 * append.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import type { SecondVoice } from '../../domain/chains/second-voice.ts'
import type { EventStore, RecordedEvent, Snapshots, World } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { type Policy, type PolicyTogether, reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import { createLedger, type Ledger } from '../../domain/write-side/ledger.ts'
import { fixedWorld } from './world.ts'

/** Snapshots may always be missing; so here none is ever kept. */
export const noSnapshots: Snapshots = { load: async () => undefined, save: async () => {} }

/** An empty log in a file of its own. */
export const newStore = (t: ExecutionContext): EventStore => {
  const directory = mkdtempSync(join(tmpdir(), 'daybook-ledger-'))
  const core = openCore(join(directory, 'log.db'))
  t.teardown(async () => {
    await core.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return embeddedStore(core)
}

/** A process's worth of ledger over a store. Two of them need two seeds, as two processes have different chance. */
export const ledgerOn = (
  store: EventStore,
  world: World = fixedWorld(),
  snapshots = noSnapshots,
  actor = 'tester',
): Ledger => createLedger(store, world, snapshots).open({ actor, correlationId: 'test' }).ledger

/** The real store with something done around every append. */
export const around = (store: EventStore, append: (go: EventStore['append']) => EventStore['append']): EventStore => ({
  ...store,
  append: append(store.append),
})

/** The real store, and how many of its streams were read so far. */
export const countingReads = (store: EventStore) => {
  let count = 0
  const read: EventStore['read'] = (...given) => {
    count++
    return store.read(...given)
  }
  return { store: { ...store, read }, reads: () => count }
}

export const everything = async (store: EventStore, after = -1n): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for await (const page of store.readAll(after)) events.push(...page)
  return events
}

export const streamOf = async (store: EventStore, stream: string): Promise<readonly RecordedEvent[]> => {
  const events: RecordedEvent[] = []
  for await (const page of store.read(stream)) events.push(...page)
  return events
}

/** Chains of one provider, whose word is enough for any payment. */
export const alone: SecondVoice = { known: () => 1, heard: async () => 1 }

/** Runs every policy from the first event on, each in the order of the log, until none has anything new to read. */
export const runPolicies = async (store: EventStore, ledger: Ledger, world: World, which = policies): Promise<void> => {
  const log: RecordedEvent[] = []
  const places = which.map((policy) => ({ policy, ...reactionsIn(policy, ledger, world), done: 0 }))
  for (let moved = true; moved; ) {
    moved = false
    for (const place of places) {
      log.push(...(await everything(store, log.at(-1)?.position)))
      for (const event of log.slice(place.done)) {
        const { policy, handles } = place
        if (handles(event.type)) await answered.run({ policy, event }, () => place.react(event))
        place.done++
        moved = true
      }
    }
  }
}

export const react = async (
  policy: Policy | PolicyTogether,
  event: RecordedEvent,
  ledger: Ledger,
  world: World,
): Promise<void> => {
  const { handles, react } = reactionsIn(policy, ledger, world)
  if (handles(event.type)) await answered.run({ policy, event }, () => react(event))
}

/** The event that is being answered, and by which policy, for who looks at what is written meanwhile. */
export const answered = new AsyncLocalStorage<{ policy: Policy | PolicyTogether; event: RecordedEvent }>()

const reactionsIn = (policy: Policy | PolicyTogether, ledger: Ledger, world: World) =>
  reactionsOf(policy, () => ({ ledger, world, secondVoice: alone }))

/** A promise and its ends, for gates. */
export const gate = () => {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open }
}

/** Lets everything that is ready run, for some turns of the event loop. */
export const turns = async (count = 5): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * The process dies at its k-th append, which may have happened all the same; nothing it does afterwards reaches the
 * log.
 */
export const dyingAt = (store: EventStore, k: number, landed: boolean): EventStore => {
  let left = k
  return around(store, (go) => async (...call) => {
    left--
    if (left > 0) return go(...call)
    if (left === 0 && landed) await go(...call)
    throw new Error('the process dies')
  })
}
