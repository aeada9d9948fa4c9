/** The product on an event store that another program writes to as well. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type EventData, EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import test from 'ava'
import { eventStoreDb } from '../../../adapters/store/client/eventstoredb.ts'
import type { Books } from '../../../src/books/books.ts'
import { verifyLog } from '../../../src/commands/audit/verify.ts'
import { migrate } from '../../../src/commands/log/migrate.ts'
import { quarantineEvent } from '../../../src/commands/log/quarantine.ts'
import { replay } from '../../../src/commands/log/replay.ts'
import type { Output } from '../../../src/console/output.ts'
import { eventually } from '../../../src/demo/stage.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { sealWitnessIn } from '../../../src/settings/seal-witness.ts'
import { all } from '../../store/events.ts'
import { startApp, storeUrlOf, type TestApp } from '../../support/app.ts'
import { inProcess } from '../../support/commands.ts'
import { deepTest } from '../../support/deep-test.ts'
import { sell, shop } from '../../support/sale.ts'
import { activeSeller, freshAddress, ok } from '../../support/seller.ts'

let app: TestApp
let write: (stream: string, event: EventData) => Promise<unknown>
let client: EventStoreDBClient

test.before(async () => {
  app = await startApp({ store: 'eventstoredb' })
  client = EventStoreDBClient.connectionString(storeUrlOf(app))
  // Without credentials the calls of all clients of a process share a fate.
  const credentials = { username: 'other', password: 'other' }
  write = (stream, event) => client.appendToStream(stream, event, { credentials })
})

test.after.always(async () => {
  await client?.dispose()
  await app?.stop()
})

const META = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'other', correlationId: 'req_other' } }

const ready = async () => {
  const { status, json } = await app.call('GET', '/readyz')
  return { code: status, status: json.status, events: json.checks.events, followers: json.checks.followers }
}

/** As `ready`, once a process that has just started, or hung, has looked at all that it depends on. */
const readyAs = (wanted: string) =>
  eventually(`status ${wanted}`, async () => {
    const found = await ready()
    return found.status === wanted && found
  })

const metrics = async () => (await fetch(app.served().metricsUrl)).text()

const logged = async () => {
  const store = eventStoreDb(storeUrlOf(app))
  try {
    return await all(store.readAll(-1n))
  } finally {
    await store.close()
  }
}

const command = <T>(act: (books: Books, out: Output) => Promise<T>) => inProcess(app.env, act)

const quarantine = (id: string, reason = 'written by a test of another program') =>
  command((books, out) => quarantineEvent(books, out, { id, reason }))

test.serial('events in streams of another program change nothing, before a restart and after it', async (t) => {
  const seller = await shop(app)
  for (const data of [{ total: 1 }, { total: 2 }])
    await write('orders-1', jsonEvent({ id: randomUUID(), type: 'OrderPlaced', data }))
  await sell(app, seller)
  t.like(await readyAs('ok'), { code: 200, events: { status: 'ok', foreign: { orders: 2 } } })
  t.true((await metrics()).includes('daybook_foreign_events{category="orders"} 2'))
  await app.restart()
  await sell(app, seller)
  t.like(await readyAs('ok'), { code: 200 })
})

test.serial(
  'an event of an unknown type stops nobody but the decisions on its stream: 503 with a code of its own',
  async (t) => {
    const [hurt, other] = [await activeSeller(app), await activeSeller(app)]
    const [stream = ''] = (await logged())
      .filter(({ type }) => type === 'ApiKeyIssued')
      .map(({ stream }) => stream)
      .slice(-2)
    const account = stream.slice('account-'.length)
    const event = jsonEvent({ id: randomUUID(), type: 'WalletMoved', data: { asset: 'eth' }, metadata: META })
    await write(`wallet-${account}`, event)
    const set = (key: string) =>
      app.call('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } })
    const refused = await set(hurt.key)
    t.is(refused.status, 503)
    t.like(refused.json, { success: false, error: 'svc_event_unreadable', error_code: 'svc_event_unreadable' })
    t.false(refused.text.includes(event.id))
    t.is((await set(other.key)).status, 200)
    t.like(await readyAs('ok'), {
      code: 200,
      events: { status: 'unreadable', count: 1 },
      followers: { status: 'ok' },
    })
    const { told } = await quarantine(event.id)
    t.like(told, { event: event.id, fresh: true })
    await eventually('the quarantine', async () => (await ready()).events.count === 0)
    t.is((await set(hurt.key)).status, 200)
  },
)

deepTest.serial(
  'an event that cannot be read stops the followers that need it, through a restart, until it is set aside',
  async (t) => {
    const seller = await shop(app)
    const ids = [randomUUID(), randomUUID()] as const
    // The read models of resources and of the timeline need these; nobody else does.
    await write('resource-res_of_nobody', jsonEvent({ id: ids[0], type: 'ResourceCreated', data: {}, metadata: META }))
    await write(
      'resource-res_of_nobody',
      jsonEvent({ id: ids[1], type: 'ResourceCreated', data: {}, metadata: { ...META, v: 7 } }),
    )
    const stopped = async () => (await ready()).followers.stopped['read-model-resources']?.id
    await eventually('the stop', async () => (await stopped()) === ids[0])
    t.like(await readyAs('degraded'), { code: 200, followers: { status: 'stopped' }, events: { count: 2 } })
    t.true((await metrics()).includes('daybook_follower_stopped{follower="read-model-resources"} 1'))
    // What does not rest on it goes on, and no call waits for the read model that stands still.
    const before = performance.now()
    await sell(app, seller)
    t.true(performance.now() - before < 20_000)

    await app.restart()
    await eventually('the stop again', async () => (await stopped()) === ids[0])
    await eventually('the service', async () => (await ready()).code === 200)
    await sell(app, seller)

    const whole = await command((books, out) =>
      verifyLog(books, out, { key: [], unsealedOk: true, witness: sealWitnessIn(app.dataDir) }),
    )
    t.like(whole.told, { whole: true, foreign_events: 2, unreadable_events: 3 })
    t.deepEqual(
      (whole.told as { unreadable: { id: string; aside: object | null }[] }).unreadable.map(({ id, aside }) => [
        id,
        aside !== null,
      ]),
      [
        [(whole.told as { unreadable: { id: string }[] }).unreadable[0]?.id, true],
        [ids[0], false],
        [ids[1], false],
      ],
    )

    t.like((await quarantine(ids[0])).told, { event: ids[0], type: 'ResourceCreated', fresh: true })
    t.like((await quarantine(ids[0])).told, { event: ids[0], fresh: false })
    await eventually('the next stop', async () => (await stopped()) === ids[1])
    await quarantine(ids[1])
    await eventually('the rest', async () => {
      const { status, events } = await ready()
      return status === 'ok' && events.count === 0
    })
    const created = await ok(
      app.call('POST', '/v1/resources', { key: seller.key, body: { amount: 5, currency: 'USD' } }),
    )
    t.is((await app.call('GET', `/r/${created.json.res_id}`)).status, 402)
  },
)

test.serial(
  'only what cannot be read is set aside: an event of the ledger, of another program or of nobody is refused',
  async (t) => {
    const [first] = await logged()
    const foreign = (await logged()).find(({ stream }) => stream === 'orders-1')
    await t.throwsAsync(quarantine(first?.id ?? ''), { message: /can be read, and nobody stops at it/ })
    await t.throwsAsync(quarantine(foreign?.id ?? ''), { message: /another program's/ })
    await t.throwsAsync(quarantine(randomUUID()), { message: /the log has no event/ })
    await t.throwsAsync(quarantine('all'), { message: /not the id of an event/ })
    await t.throwsAsync(quarantine(randomUUID(), ' '), { message: /--reason/ })
  },
)

deepTest.serial(
  'replay and migrate come through a log with events of other programs, and name what is not set aside',
  async (t) => {
    const id = randomUUID()
    await write(
      'resource-res_of_nobody',
      jsonEvent({ id, type: 'ResourceCreated', data: { half: true }, metadata: META }),
    )
    await app.served().stop()
    await t.throwsAsync(command(replay), { message: new RegExp(`id ${id}.*daybook events quarantine ${id}`) })
    await quarantine(id)
    await t.notThrowsAsync(command(replay))
    const to = `file:${join(app.dataDir, 'copy.db')}`
    const moved = await command((books, out) => migrate(books, out, readConfig(app.env), { to }))
    t.is((moved.told as { events: number }).events, (await logged()).length)
  },
)
