/** Events of other programs in the log of the ledger, written by the unmodified client of EventStoreDB. */
import { randomUUID } from 'node:crypto'
import { type EventData, EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import test, { type ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { copyOf } from '../../adapters/store/base/bytes.ts'
import { lineOf } from '../../adapters/store/base/log-line.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import { ownEventsOnly } from '../../adapters/store/node/own-events.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { QUARANTINE_ID } from '../../domain/audit/quarantine.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { FOREIGN, SET_ASIDE, UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { ledgerRules } from '../../domain/write-side/readable.ts'
import { eventually } from '../../src/demo/stage.ts'
import { ledgerOn } from '../support/ledger.ts'
import { plainLine } from '../support/log-lines.ts'
import { brokenEvents, wholeEvents } from './broken-events.ts'
import { all } from './events.ts'
import { connectionString, newCore, newNode } from './open.ts'

/** Another program, with the client as it is published; with credentials, without which its calls share a fate. */
const otherProgram = (t: ExecutionContext, url: string) => {
  const client = EventStoreDBClient.connectionString(url)
  t.teardown(() => client.dispose())
  const credentials = { username: 'other', password: 'other' }
  return (stream: string, event: EventData) => client.appendToStream(stream, event, { credentials })
}

const placeAt = (t: ExecutionContext, url: string, log: (message: string) => void = () => {}) => {
  const place = eventStoreDbPlace(url, 'test', log)
  t.teardown(() => place.close())
  return place
}

test('the embedded node refuses, over its protocol, every event that the ledger could not read, and takes those it can', async (t) => {
  const core = newCore(t)
  const served = await serveProtocol(ownEventsOnly(core, ledgerRules), '127.0.0.1:0')
  t.teardown(() => served.stop())
  const write = otherProgram(t, connectionString(served.address))
  for (const { stream, how, event } of brokenEvents())
    await t.throwsAsync(write(stream, event), { message: /could not be read by Daybook/ }, `${stream}: ${how}`)
  const order = jsonEvent({ id: randomUUID(), type: 'OrderPlaced', data: { total: 3 } })
  await t.throwsAsync(write('orders-1', order), { message: /no stream of Daybook/ })
  await t.throwsAsync(write('orders', order), { message: /no stream of Daybook/ })
  const whole = wholeEvents()
  for (const { stream, event } of whole) await t.notThrowsAsync(write(stream, event), stream)
  const read = await all(placeOf(core, 'log').store.readAll(-1n))
  t.deepEqual(
    read.map(({ stream, unreadable }) => ({ stream, unreadable })),
    whole.map(({ stream }) => ({ stream, unreadable: undefined })),
  )
})

test('in EventStoreDB no event of another program ends a reader, whatever it is and whichever stream it is in', async (t) => {
  const { url } = await newNode(t)
  const write = otherProgram(t, url)
  const said: string[] = []
  const { store } = placeAt(t, url, (message) => said.push(message))
  const broken = brokenEvents()
  const seen: RecordedEvent[] = []
  const feed = await startFeed(store, { arrived: (page) => seen.push(...page) })
  t.teardown(() => feed.stop())
  for (const total of [1, 2, 3])
    await write('orders-1', jsonEvent({ id: randomUUID(), type: 'OrderPlaced', data: { total } }))
  for (const { stream, event } of broken) await write(stream, event)
  await eventually('the whole log', () => seen.length === broken.length + 3)

  const read = await all(store.readAll(-1n))
  for (const events of [read, seen]) {
    t.deepEqual(
      events.map(({ stream }) => stream),
      ['orders-1', 'orders-1', 'orders-1', ...broken.map(({ stream }) => stream)],
    )
    t.deepEqual(
      events.slice(0, 3).map(({ type, data }) => ({ type, data })),
      Array.from({ length: 3 }, () => ({ type: FOREIGN, data: { type: 'OrderPlaced' } })),
    )
    for (const event of events.slice(3)) {
      const how = broken.find(({ stream }) => stream === event.stream)?.how
      t.is(typeof event.unreadable, 'string', `${event.stream}: ${how}`)
      t.throws(() => event.data, { instanceOf: UnreadableEvent }, `${event.stream}: ${how}`)
    }
  }
  t.deepEqual([...store.reading.foreign()], [['orders', 3]])
  t.is(said.filter((each) => each.includes('passed over')).length, 1)
  t.is(store.reading.unreadable().length, broken.length)
  t.deepEqual([await store.head()], [read.at(-1)?.position])
})

/** A wallet stream with one event, and one that cannot be read behind it. */
const brokenWallet = async (t: ExecutionContext) => {
  const { url } = await newNode(t)
  const place = placeAt(t, url)
  const ledger = ledgerOn(place.store)
  const wallet = { asset: 'eth', addresses: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'] }
  await ledger.wallet.setAddress('acc_one', wallet)
  const event = jsonEvent({ id: randomUUID(), type: 'WalletAddressSet', data: { coin: 'eth' } })
  await otherProgram(t, url)('wallet-acc_one', event)
  return { url, place, ledger, wallet, id: event.id }
}

const aside = (id: string) => ({
  event: id,
  stream: 'wallet-acc_one',
  revision: '1',
  type: 'WalletAddressSet',
  fault: 'f',
  by: 'root',
  reason: 'a test of another program',
})

test('nothing is decided on a stream with an event that cannot be read, in whichever process, until it is set aside', async (t) => {
  const { url, place, ledger, wallet, id } = await brokenWallet(t)
  const other = placeAt(t, url)
  const feed = await startFeed(other.store)
  t.teardown(() => feed.stop())
  for (const each of [ledger, ledgerOn(other.store)]) {
    const error = await t.throwsAsync(each.wallet.setAddress('acc_one', { ...wallet, asset: 'base' }), {
      instanceOf: UnreadableEvent,
    })
    t.is(error?.event.id, id)
    await t.notThrowsAsync(each.wallet.setAddress('acc_two', wallet))
  }
  await ledger.quarantine.setAside(QUARANTINE_ID, aside(id))
  await ledger.quarantine.setAside(QUARANTINE_ID, aside(id))
  await eventually('the news', () => other.store.reading.isSetAside(id))
  const fresh = placeAt(t, url)
  for (const store of [place.store, other.store, fresh.store]) {
    await all(store.readAll(-1n))
    await t.notThrowsAsync(ledgerOn(store).wallet.setAddress('acc_one', { ...wallet, asset: 'base' }))
    t.deepEqual(store.reading.unreadable(), [])
    const shown = (await all(store.read('wallet-acc_one'))).map(({ type }) => type)
    t.is(shown[1], SET_ASIDE)
  }
  const set = (await all(fresh.store.readAll(-1n))).filter(({ type }) => type === 'EventQuarantined')
  t.is(set.length, 1)
})

test('who stands at an event in the memory of the feed finds it set aside there', async (t) => {
  const { place, ledger, id } = await brokenWallet(t)
  const feed = await startFeed(place.store)
  t.teardown(() => feed.stop())
  await ledger.quarantine.setAside(QUARANTINE_ID, aside(id))
  await eventually('the news', () => place.store.reading.isSetAside(id))
  const stop = new AbortController()
  const events: RecordedEvent[] = []
  for await (const page of feed.after(-1n, stop.signal)) {
    events.push(...page)
    if (events.length >= 3) stop.abort()
  }
  t.deepEqual(
    events.map(({ type }) => type),
    ['WalletAddressSet', SET_ASIDE, 'EventQuarantined'],
  )
})

test('a copy of a log carries events of other programs byte for byte, and their lines and their order are the same in it', async (t) => {
  const { url } = await newNode(t)
  const write = otherProgram(t, url)
  const odd = [
    Buffer.from(''),
    Buffer.from('{}'),
    Buffer.from('[1]'),
    Buffer.from('"text"'),
    Buffer.from('no JSON'),
    Buffer.from('{"a":\n1}'),
    Buffer.from('{"order":"nowhere"}'),
    Buffer.from([0, 255, 10, 128, 34]),
  ]
  for (const metadata of odd)
    await write('orders-1', jsonEvent({ id: randomUUID(), type: 'OrderPlaced', data: {}, metadata }))
  const { bytes, store } = placeAt(t, url)
  const events = (await Array.fromAsync(bytes.readAll(-1n, await store.head()))).flat()
  t.is(events.length, odd.length)
  for (const event of events) {
    const copied = copyOf(event, 1_000n)
    t.deepEqual(plainLine(lineOf({ ...copied, position: 5n }, 9n)), {
      ...plainLine(lineOf(event, 1_000n)),
      position: 5n,
    })
    t.deepEqual(copyOf(copied, 7n), copied)
    t.notThrows(() => JSON.parse(lineOf(event, 0n).line))
    t.is(recordedOrder(store, copied), event.position + 1_000n)
  }
})

const recordedOrder = (store: LogStore, event: Parameters<LogStore['reading']['event']>[0]) =>
  store.reading.event(event, 0n).order
