/** The half of the contract of event stores that is about appending. */
import type { TestFn } from 'ava'
import { WrongRevision } from '../../domain/kernel/ports.ts'
import { all, newEvent, newStream, type OpenStore } from './events.ts'

export const appendContract = (test: TestFn, name: string, open: OpenStore): void => {
  appending(test, name, open)
  bounds(test, name, open)
  repeating(test, name, open)
}

const appending = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: a stale append is refused and leaves nothing behind`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    await store.append(stream, -1n, [newEvent('Kept')])
    for (const expected of [-1n, 1n, 7n])
      await t.throwsAsync(store.append(stream, expected, [newEvent('Lost'), newEvent('Lost')]), {
        instanceOf: WrongRevision,
      })
    await t.throwsAsync(store.append(newStream(), 0n, [newEvent('Lost')]), { instanceOf: WrongRevision })
    t.deepEqual(
      (await all(store.read(stream))).map((e) => e.type),
      ['Kept'],
    )
  })

  test(`${name}: of two racing appends exactly one wins`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const tries = await Promise.allSettled(['A', 'B'].map((type) => store.append(stream, -1n, [newEvent(type)])))
    t.deepEqual(tries.map((result) => result.status).sort(), ['fulfilled', 'rejected'])
    const lost = tries.find((result) => result.status === 'rejected')
    t.true(lost?.reason instanceof WrongRevision)
    t.is((await all(store.read(stream))).length, 1)
  })
}

const bounds = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: what breaks a rule is refused before anything is written`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const large = (bytes: number) => newEvent('Large', { text: 'x'.repeat(bytes) })
    await t.throwsAsync(store.append(stream, -1n, []), { message: /no event/ })
    await t.throwsAsync(store.append(stream, -1n, [large(300_000)]), { message: /the most is 262144/ })
    await t.throwsAsync(
      store.append(
        stream,
        -1n,
        Array.from({ length: 6 }, () => large(200_000)),
      ),
      { message: /the most is 1048576/ },
    )
    await t.throwsAsync(store.append(stream, -1n, [newEvent('Fine'), newEvent('$own')]), { message: /\$/ })
    await t.throwsAsync(store.append(`$${stream}`, -1n, [newEvent('Fine')]), { message: /\$/ })
    await t.throwsAsync(store.append(stream, -1n, [newEvent('Fine', {}, 'no-uuid')]), { message: /UUID/ })
    t.deepEqual(await all(store.read(stream)), [])
    await store.append(
      stream,
      -1n,
      Array.from({ length: 4 }, () => large(250_000)),
    )
    t.is((await all(store.read(stream))).length, 4)
  })

  test(`${name}: pipelined appends to one stream succeed in the order of the calls`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const calls = Array.from({ length: 50 }, (_, i) => store.append(stream, BigInt(i - 1), [newEvent('Step', { i })]))
    const done = await Promise.all(calls)
    t.deepEqual(
      done.map((d) => d.revision),
      done.map((_, i) => BigInt(i)),
    )
    t.true(done.every((d, i) => i === 0 || d.position > (done[i - 1]?.position ?? 0n)))
    t.deepEqual(
      (await all(store.read(stream))).map((e) => (e.data as { i: number }).i),
      done.map((_, i) => i),
    )
  })
}

const repeating = (test: TestFn, name: string, open: OpenStore) => {
  test(`${name}: a repeat of the same ids at the same revision answers as the first time, also long after`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const events = [newEvent('One'), newEvent('Two')]
    const first = await store.append(stream, -1n, events)
    t.deepEqual(await store.append(stream, -1n, events), first)
    await store.append(stream, 1n, [newEvent('Later')])
    t.deepEqual(await store.append(stream, -1n, events), first)
    t.deepEqual(
      (await all(store.read(stream))).map((e) => e.type),
      ['One', 'Two', 'Later'],
    )
  })

  test(`${name}: a repeat that overtakes the first answer is still written once`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const events = [newEvent('One'), newEvent('Two')]
    const [first, again] = await Promise.all([store.append(stream, -1n, events), store.append(stream, -1n, events)])
    t.deepEqual(first, again)
    t.is((await all(store.read(stream))).length, 2)
  })

  test(`${name}: other ids at a revision that is taken are a conflict, also when the first of them is the same`, async (t) => {
    const store = await open(t)
    const stream = newStream()
    const [one, two] = [newEvent('One'), newEvent('Two')]
    await store.append(stream, -1n, [one, two])
    for (const events of [[newEvent('One')], [one, newEvent('Other')], [one, two, newEvent('More')]])
      await t.throwsAsync(store.append(stream, -1n, events), { instanceOf: WrongRevision })
    t.is((await all(store.read(stream))).length, 2)
  })
}
