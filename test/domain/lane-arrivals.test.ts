import test from 'ava'
import fc from 'fast-check'
import { type EventStore, OutcomeUnknown, type RecordedEvent } from '../../domain/kernel/ports.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { runs } from '../support/depth.ts'
import { everything, ledgerOn, newStore, noSnapshots } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'

/** Whatever fails and whatever arrives when, a state in memory is that of the log once everything has arrived. */

const ASSETS = ['btc', 'eth', 'sol', 'trx'] as const
const asset = fc.constantFrom(...ASSETS)
const address = fc.constantFrom('a', 'b', 'c')
const step = fc.oneof(
  fc.record({ by: fc.constant('here' as const), asset, address, fails: fc.constantFrom('never', 'before', 'after') }),
  fc.record({ by: fc.constant('other' as const), asset, address }),
  fc.record({ by: fc.constant('feed' as const), events: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ by: fc.constant('reader' as const) }),
)

test('a state in memory is that of the log once everything has arrived, whatever could not be appended', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      const store = newStore(t)
      let fails = 'never'
      const failing: EventStore = {
        ...store,
        append: async (...given) => {
          if (fails === 'before') throw new Error('disk full')
          const appended = await store.append(...given)
          if (fails === 'after') throw new OutcomeUnknown('the answer was lost')
          return appended
        },
      }
      const doors = createLedger(failing, fixedWorld('here'), noSnapshots)
      const here = doors.open({ actor: 'tester', correlationId: 'here' }).ledger
      const other = ledgerOn(store)
      let arrived = -1n
      const arrive = async (max: number) => {
        const events: RecordedEvent[] = (await everything(store, arrived)).slice(0, max)
        doors.arrived(events)
        arrived = events.at(-1)?.position ?? arrived
      }
      const truth = () => ledgerOn(store).wallet.read('acc_1')
      for (const each of steps)
        if (each.by === 'feed') await arrive(each.events)
        else if (each.by === 'reader') t.deepEqual(await here.wallet.read('acc_1'), await truth())
        else {
          fails = each.by === 'here' ? each.fails : 'never'
          const ledger = each.by === 'here' ? here : other
          const set = { asset: each.asset, addresses: [each.address] }
          await ledger.wallet.setAddress('acc_1', set).catch((error: unknown) => t.true(error instanceof Error))
          fails = 'never'
        }
      await arrive(Number.POSITIVE_INFINITY)
      t.deepEqual(await here.wallet.recent('acc_1'), await truth())
    }),
    { numRuns: runs({ quick: 150, deep: 3_000 }) },
  )
})
