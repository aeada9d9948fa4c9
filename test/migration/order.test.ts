/**
 * Where the ledger's own order goes on in a copy, and how a store tells which log it holds. The same on both stores.
 */
import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { HalfCopy, type LogStore } from '../../adapters/store/base/origin.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { LOG_STREAM } from '../../domain/audit/log.ts'
import type { NewEvent } from '../../domain/kernel/ports.ts'
import { all, newEvent, newStream } from '../store/events.ts'
import { newClient, newCore, newNode } from '../store/open.ts'

/** Two views of one log, as two processes have it. */
type Open = (t: ExecutionContext) => Promise<() => LogStore>

const stores: Readonly<Record<string, Open>> = {
  'the embedded store': async (t) => {
    const core = newCore(t)
    return () => embeddedStore(core)
  },
  EventStoreDB: async (t) => {
    const { url } = await newNode(t)
    return () => newClient(t, url) as LogStore
  },
}

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: a log is known by its first event, and an empty one by nothing`, async (t) => {
    const store = (await open(t))()
    t.is(await store.origin(), undefined)
    const first = newEvent('First')
    const { position } = await store.append(newStream(), -1n, [first, newEvent('Second')])
    t.deepEqual(await store.origin(), { id: first.id, base: 0n })
    t.is((await all(store.readAll(-1n))).at(-1)?.order, position)
  })

  test(`${name}: half a copy can be read but is no log; the event that ends it makes it one, and what follows comes later`, async (t) => {
    const reopened = await open(t)
    const store = reopened()
    const copies = [at('20'), at('5000000000')]
    await store.append(newStream(), -1n, copies)
    await t.throwsAsync(store.origin(), { instanceOf: HalfCopy })
    t.deepEqual(
      (await all(store.readAll(-1n))).map(({ order }) => order),
      [20n, 5_000_000_000n],
    )
    const end = ended('5000000000')
    await store.append(LOG_STREAM, -1n, [end])
    for (const view of [store, reopened()]) {
      t.deepEqual(await view.origin(), { id: end.id, base: 5_000_000_001n })
      await view.append(newStream(), -1n, [newEvent('Later')])
    }
    const [, , ...later] = await all(reopened().readAll(-1n))
    t.is(later.length, 3)
    for (const { order, position } of later) t.is(order, position + 5_000_000_001n)
  })

  test(`${name}: the end of an earlier copy is not the end of this one`, async (t) => {
    const store = (await open(t))()
    const earlier = ended('5')
    await store.append(newStream(), -1n, [at('5')])
    await store.append(LOG_STREAM, -1n, [{ ...earlier, meta: { ...earlier.meta, order: '90' } }])
    await store.append(newStream(), -1n, [at('95')])
    await t.throwsAsync(store.origin(), { instanceOf: HalfCopy })
    const end = ended('95')
    await store.append(LOG_STREAM, 0n, [end])
    t.deepEqual(await store.origin(), { id: end.id, base: 96n })
    t.deepEqual(
      (await all(store.readAll(-1n))).map(({ order, position }) => order - (order > 95n ? position : 0n)),
      [5n, 90n, 95n, 96n],
    )
  })

  test(`${name}: an event with a place in the order that is none is shown as one that cannot be read`, async (t) => {
    const store = (await open(t))()
    await store.append(newStream(), -1n, [at('-1')])
    const [event] = await all(store.readAll(-1n))
    t.is(event?.unreadable, 'its metadata has no true place in the order of the log: -1')
    t.is(event?.order, event?.position)
  })
}

const at = (order: string): NewEvent => {
  const event = newEvent('Copied')
  return { ...event, meta: { ...event.meta, order } }
}

const ended = (lastOrder: string): NewEvent =>
  newEvent('LogCopied', { from: randomUUID(), source: 'file:/there', events: 2, lastOrder })
