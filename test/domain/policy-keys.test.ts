import { readFileSync } from 'node:fs'
import test from 'ava'
import type { AnyDecider } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { reactionsOf } from '../../domain/reactions/subscriber/policy.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { upcast } from '../../domain/write-side/upcasts.ts'
import { type ReactorParts, reactorsOf } from '../../src/engine/reactors.ts'
import { arenaHistory } from '../projections/arena-history.ts'
import { commerceHistory } from '../projections/commerce-history.ts'
import { consoleHistory } from '../projections/console-history.ts'
import { gameHistory } from '../projections/game-history.ts'
import { signedPayments, wholeHistory } from '../projections/history.ts'
import { signInHistory } from '../projections/sign-in-history.ts'
import { answered, around } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'

/** What policies write on histories of every subject tells whether their keys are enough. */

test('N-110 every event that a policy answers has keys, whichever version of Daybook wrote it', (t) => {
  const told = new Set<string>()
  for (const policy of policies) {
    const { handles, keysOf } = reactionsOf(policy, () => t.fail() as never)
    for (const event of golden.filter(({ type }) => handles(type))) {
      const keys = keysOf(event)
      t.true(
        keys.every((key) => typeof key === 'string' && !/undefined|null/.test(key)),
        `${policy.name}: ${keys}`,
      )
      told.add(policy.name)
    }
  }
  t.deepEqual(
    policies.filter(({ name }) => !told.has(name)).map(({ name }) => name),
    [],
  )
})

/** An example of each event and each of its former versions, as it is read. */
const golden = (
  JSON.parse(readFileSync(new URL('../golden/events.json', import.meta.url), 'utf8')) as {
    type: string
    v: number
    data: object
  }[]
).map(({ type, v, data }): RecordedEvent => {
  const place = { id: crypto.randomUUID(), revision: 0n, position: 1n, order: 1n }
  const cause = { actor: 'tester', correlationId: 'test' }
  const category = Object.values<AnyDecider>(deciders).find(({ evolve }) => type in evolve)?.category
  const stream = `${category}-golden`
  return { ...place, stream, type, data: upcast(type, v, data), at: '2026-03-02T10:00:00.000Z', cause }
})

/** Each begins with an empty log. */
const HISTORIES = [
  [wholeHistory, signedPayments, signInHistory, consoleHistory, commerceHistory, gameHistory],
  [arenaHistory],
]

test('N-110 events for which a policy writes to the same stream share a key', async (t) => {
  const written = new Map<string, Map<string, Set<RecordedEvent>>>()
  for (const history of HISTORIES) {
    const log = memoryStore()
    const store = around(log, (go) => (...call) => {
      const { policy, event } = answered.getStore() ?? {}
      if (policy && event) {
        const streams = written.get(policy.name) ?? new Map<string, Set<RecordedEvent>>()
        written.set(policy.name, streams.set(call[0], (streams.get(call[0]) ?? new Set()).add(event)))
      }
      return go(...call)
    })
    for (const part of history) await part(store)
  }
  const seen: string[] = []
  for (const policy of policies) {
    if (policy.keys === 'in order') continue
    const { name, keys } = policy
    for (const [stream, events] of written.get(name) ?? []) {
      if (events.size > 1) seen.push(name)
      for (const one of events)
        for (const other of events) {
          const shared = keys(one).filter((key) => keys(other).includes(key))
          t.true(one === other || shared.length > 0, `${name}: ${one.type} and ${other.type} write to ${stream}`)
        }
    }
  }
  t.log(`${written.size} policies wrote; more than one event each to a stream: ${[...new Set(seen)].join(', ')}`)
  t.true(new Set(seen).size > 5)
})

test('an event of a type that every object has a member of is for no policy and no effect', (t) => {
  // What a reactor handles asks nothing of its parts.
  const reactors = reactorsOf(policies, effects, { effectContext: {} } as ReactorParts)
  t.is(reactors.length, policies.length + effects.length)
  for (const { name, handles } of reactors)
    for (const type of ['constructor', 'toString', '__proto__']) t.false(handles(type), `${name}: ${type}`)
})
