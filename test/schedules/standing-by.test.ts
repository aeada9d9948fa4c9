import assert from 'node:assert/strict'
import test from 'ava'
import { deciders } from '../../domain/write-side/deciders.ts'
import { ACCOUNT } from '../domain/samples.ts'
import { createMachine, createOutside, type Machine } from './machine.ts'
import { bothAreKnown, setting } from './one-wallet.ts'
import { holdsUnderDrawn } from './proving.ts'
import { type Scenario, step } from './schedule.ts'

/** A process to which some events do not arrive until it follows the log. */

test('N-118 who begins to follow sees every event, and knows every stream, whatever was left out before', (t) =>
  holdsUnderDrawn(t, takingOver, 200, { preemptions: 2, crashes: 0 }, { preemptions: 1, crashes: 1 }))

/** All that a wallet says is left out. */
const LEFT_OUT = new Set(Object.keys(deciders.wallet.evolve))

/** One process stands by, writes to a wallet and then follows, while another one writes to the same wallet. */
const takingOver: Scenario = (start) => {
  const outside = createOutside([])
  let standby: Machine | undefined
  start('A', (self) => {
    const machine = createMachine(self, outside, { leftOut: LEFT_OUT })
    standby = machine
    setting(self, machine, 'eth')
    self.task('follows', async () => {
      const feed = await machine.listen()
      await step('stands by', { ready: () => !feed.hearsAll() })
      // Nothing arrives here, so all that is there may be passed.
      feed.foundUpTo(await outside.store.head())
      await step('goes on standing by')
      const stop = new AbortController()
      const seen: string[] = []
      for await (const page of feed.after(-1n, stop.signal)) {
        seen.push(...page.map(({ id }) => id))
        const there = outside.store.events().map(({ id }) => id)
        assert.deepEqual(seen, there.slice(0, seen.length))
        if (seen.length === 2) stop.abort()
      }
      assert.deepEqual(Object.keys(await machine.ledger.wallet.recent(ACCOUNT)).sort(), ['eth', 'sol'])
    })
  })
  start('B', (self) => setting(self, createMachine(self, outside), 'sol'))
  return bothAreKnown(outside, () => standby)
}
