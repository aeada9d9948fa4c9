import test from 'ava'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { eventStoreContract } from '../contracts/event-store.ts'
import { all, newEvent, newStream } from './events.ts'
import { newCore } from './open.ts'

eventStoreContract(test, 'the embedded store', async (t) => embeddedStore(newCore(t)))

test('a new log has no head and shows nothing, though it holds an event of its own', async (t) => {
  const core = newCore(t)
  const store = embeddedStore(core)
  t.is(await store.head(), -1n)
  t.deepEqual(await all(store.readAll(-1n)), [])
  t.is(core.readAll(-1, 10, 'forwards').length, 1)
})

test('closing the store ends its subscriptions and refuses what comes after', async (t) => {
  const store = embeddedStore(newCore(t))
  const running = all(store.subscribe(-1n, new AbortController().signal))
  const last = store.append(newStream(), -1n, [newEvent('Last')])
  await store.close()
  await t.notThrowsAsync(last)
  t.true((await running).length <= 1)
  await t.throwsAsync(store.append(newStream(), -1n, [newEvent('Late')]), { message: /closed/ })
})

test('an event that Daybook did not write stops nobody but who looks at its data', async (t) => {
  const core = newCore(t)
  const bytes = new TextEncoder()
  await core.append('foreign-1', -1, [
    {
      id: crypto.randomUUID(),
      type: 'Foreign',
      contentType: 'application/json',
      data: bytes.encode('{}'),
      metadata: bytes.encode('{}'),
    },
  ])
  const [event, ...others] = await all(embeddedStore(core).readAll(-1n))
  t.is(others.length, 0)
  t.like(event, { stream: 'foreign-1', type: 'Foreign', unreadable: 'it lacks v, at or cause in its metadata' })
  t.throws(() => event?.data, { instanceOf: UnreadableEvent, message: /event 0 of foreign-1 .* cannot be read/ })
})
