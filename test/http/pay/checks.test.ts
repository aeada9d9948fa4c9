import test from 'ava'
import { createChecks } from '../../../adapters/http/pay/checks.ts'
import type { EventStore } from '../../../domain/kernel/ports.ts'
import type { Queries } from '../../../projections/index.ts'
import { codeOf, flow } from '../../domain/flow-setup.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { fixedWorld } from '../../support/world.ts'

/** Looks at chains that sellers ask for at the same time. */

/** Nothing is read before the gate opens. */
const heldStore = (gate: Promise<void>): EventStore => {
  const store = memoryStore()
  return {
    ...store,
    async *read(stream, from) {
      await gate
      yield* store.read(stream, from)
    },
  }
}

const ACCOUNTS = 40
const queries = {
  challengesOfRequest: async () => [],
  waitingPayments: async () => [],
} as Partial<Queries> as Queries

test('M-TXN-09 N-09 however many looks others have under way, a seller gets one, and nobody gets more than four', async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const checks = createChecks()
  const known = flow(heldStore(gate), fixedWorld())
  const look = (account: string, id: number) => codeOf(checks.check(known, queries, account, [String(id)]))
  const greedy = Array.from({ length: 5 }, (_, n) => look('greedy', n))
  t.is(await greedy[4], 'busy', 'a fifth of its own')
  const others = Array.from({ length: ACCOUNTS }, (_, n) => look(`acc_${n}`, 1))
  t.is(await look('acc_0', 2), 'busy', 'a second one while so many are under way')
  const late = look('late', 1)
  const shared = look('late', 1)
  open()
  t.deepEqual(await Promise.all([...greedy.slice(0, 4), ...others, late, shared]), Array(ACCOUNTS + 6).fill('done'))
  t.is(await look('acc_0', 2), 'done')
})
