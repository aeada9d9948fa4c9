/** EventStoreDB's log byte for byte: how much is asked for at once, and the end of it. */
import { status } from '@grpc/grpc-js'
import test from 'ava'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { refusal } from '../../adapters/store/node/wire.ts'
import { eventually } from '../../src/demo/stage.ts'
import { newEvent } from './events.ts'
import { faultyServer } from './faulty-server.ts'
import { connectionString } from './open.ts'
import { wireProxy } from './wire-proxy.ts'

test('a log is read byte for byte in pages of 500 events', async (t) => {
  const { url, asked } = await faultyServer(t)
  const place = eventStoreDbPlace(url, 'there', () => {})
  t.teardown(() => place.close())
  for (let at = 0; at < 1_000; at += 400)
    await place.store.append(
      'thing',
      BigInt(at - 1),
      Array.from({ length: 400 }, () => newEvent('One')),
    )
  const head = await place.store.head()
  const before = asked.reads.length
  const pages = await Array.fromAsync(place.bytes.readAll(-1n, head))
  t.is(pages.flat().length, 1_200)
  t.true(pages.every((page) => page.length <= 501))
  const counts = asked.reads.slice(before).map((call) => Number(call.request.getOptions()?.getCount()))
  // One more than a page, because the event that a page begins after comes with it.
  t.deepEqual(counts, [501, 501, 501])
})

test('closing the place of a log ends its connection', async (t) => {
  const { address } = await faultyServer(t)
  const wire = await wireProxy(t, address)
  const place = eventStoreDbPlace(connectionString(wire.address), 'there', () => {})
  await place.store.append('thing', -1n, [newEvent('One')])
  const head = await place.store.head()
  t.is((await Array.fromAsync(place.bytes.readAll(-1n, head))).flat().length, 1)
  t.true(wire.open() > 0)
  await place.close()
  await eventually('the end of the connection', () => wire.open() === 0)
})

test('a read byte for byte that is being tried again gives up when its place closes', async (t) => {
  const { url, asked } = await faultyServer(t, {
    read: (call) => call.emit('error', refusal(status.INTERNAL, 'RST_STREAM')),
  })
  const told: number[] = []
  const place = eventStoreDbPlace(url, 'there', () => {
    if (told.push(asked.reads.length) === 2) void place.close()
  })
  await t.throwsAsync(Array.fromAsync(place.bytes.readAll(-1n, 1n)), { message: 'the event store is closed' })
  t.deepEqual(told, [1, 2])
  t.is(asked.reads.length, 2)
})
