import test from 'ava'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { arenaHistory } from '../projections/arena-history.ts'
import { commerceHistory } from '../projections/commerce-history.ts'
import { consoleHistory } from '../projections/console-history.ts'
import { gameHistory } from '../projections/game-history.ts'
import { signedPayments, wholeHistory } from '../projections/history.ts'
import { signInHistory } from '../projections/sign-in-history.ts'
import { answered, around } from '../support/ledger.ts'
import { memoryStore } from '../support/memory-store.ts'

/** What policies write on histories of every subject tells whether their keys are enough. */

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
