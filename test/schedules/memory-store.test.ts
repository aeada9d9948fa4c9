import test from 'ava'
import { eventStoreContract } from '../contracts/event-store.ts'
import { newEvent } from '../store/events.ts'
import { memoryStore } from '../support/memory-store.ts'

eventStoreContract(test, 'the store in memory', async () => memoryStore())

test('a store in memory that begins with the log of another goes on by itself', async (t) => {
  const first = memoryStore()
  await first.append('thing-1', -1n, [newEvent('One')])
  const second = memoryStore(first.events())
  await second.append('thing-1', 0n, [newEvent('Two')])
  t.deepEqual([first.revision('thing-1'), second.revision('thing-1'), second.revision('thing-2')], [0n, 1n, -1n])
  t.deepEqual(
    second.events().map(({ type, position }) => [type, position]),
    [
      ['One', 1n],
      ['Two', 2n],
    ],
  )
  t.is(first.events().length, 1)
})
