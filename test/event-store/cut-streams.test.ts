import test, { type ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { createCheckpoints, followLog } from '../../adapters/postgres/checkpoints.ts'
import { connect } from '../../adapters/postgres/connect.ts'
import { createCutStreamRows } from '../../adapters/postgres/cut-streams.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { eventually } from '../../src/demo/stage.ts'
import { keepCutStreams, learnCutStreams } from '../../src/event-store/cut-streams.ts'
import { type CuttingServer, cuttingServer } from '../store/cutting-server.ts'
import { newEvent, newStream } from '../store/events.ts'
import { createStartedDatabase } from '../support/postgres.ts'

/** What a process has heard of cut streams, from one start to the next. */

const newDatabase = async (t: ExecutionContext) => {
  const database = await createStartedDatabase()
  const sql = connect(database.url, { schema: 'public' })
  t.teardown(async () => {
    await sql.end({ timeout: 5 })
    database.drop()
  })
  return sql
}

const newStore = (t: ExecutionContext, { url }: CuttingServer) => {
  const store = eventStoreDb(url)
  t.teardown(() => store.close())
  return store
}

test('what is heard while the service runs is kept, so that the next start looks no further back', async (t) => {
  const [server, sql] = [await cuttingServer(t), await newDatabase(t)]
  const checkpoints = await createCheckpoints(sql)
  const store = newStore(t, server)
  const [cut, healed, begun] = [newStream(), newStream(), newStream()]
  for (const stream of [cut, healed]) await store.append(stream, -1n, [newEvent('One')])
  await server.setMetadata(healed, { $maxCount: 1 })
  const feed = await startFeed(store)
  await learnCutStreams(store, sql, checkpoints)
  t.deepEqual(store.cuts.all(), [{ stream: healed, reason: 'truncated' }])
  const stopping = new AbortController()
  const keeping = keepCutStreams({ store, sql, feed, log: { warn: () => t.fail() } }, stopping.signal, 20)
  await server.softDelete(cut)
  await server.setMetadata(healed, {})
  const { position } = await store.append(begun, -1n, [newEvent('One')])
  const keptPlace = async () =>
    (await sql`select position from daybook_run.checkpoints where name = 'cut-streams'`)[0]?.position
  await eventually('the checkpoint', async () => (await keptPlace()) === String(position))
  stopping.abort()
  await Promise.all([keeping, feed.stop()])

  const next = newStore(t, server)
  const looked: bigint[] = []
  const look = next.lookForCuts
  await learnCutStreams(
    { ...next, lookForCuts: async (after) => void looked.push(after, (await look?.(after)) ?? 0n) },
    sql,
    checkpoints,
  )
  t.deepEqual(looked, [position, 0n])
  t.deepEqual(next.cuts.all(), [{ stream: cut, reason: 'deleted' }])
})

test('a process whose log was moved away keeps no place of it for the log that is followed now', async (t) => {
  const [server, sql] = [await cuttingServer(t), await newDatabase(t)]
  const checkpoints = await createCheckpoints(sql)
  const [store, stream] = [newStore(t, server), newStream()]
  await store.append(stream, -1n, [newEvent('One')])
  const feed = await startFeed(store)
  await learnCutStreams(store, sql, checkpoints)
  const before = await checkpoints.load('cut-streams')
  await followLog(sql, { id: 'moved', name: 'esdb://elsewhere' })
  await server.softDelete(stream)
  const { position } = await store.append(newStream(), -1n, [newEvent('One')])
  await eventually('the news', () => feed.head() >= position && store.cuts.all().length === 1)
  const stopping = new AbortController()
  const keeping = keepCutStreams({ store, sql, feed, log: { warn: () => t.fail() } }, stopping.signal, 20)
  await eventually('the notes', () => store.cuts.unsaved().length === 0)
  stopping.abort()
  await Promise.all([keeping, feed.stop()])
  t.true(position > before)
  t.is(await checkpoints.load('cut-streams'), before)
})

test('notes belong to one log: its copy elsewhere is not cut, and an older note changes nothing', async (t) => {
  const [server, copy, sql] = [await cuttingServer(t), await cuttingServer(t), await newDatabase(t)]
  const checkpoints = await createCheckpoints(sql)
  const [store, stream] = [newStore(t, server), newStream()]
  await store.append(stream, -1n, [newEvent('One')])
  await server.softDelete(stream)
  await learnCutStreams(store, sql, checkpoints)
  const there = newStore(t, copy)
  await there.append(stream, -1n, [newEvent('One')])
  await sql`delete from daybook_run.checkpoints`
  await learnCutStreams(there, sql, checkpoints)
  t.deepEqual(there.cuts.all(), [])
  // A process that is behind keeps what it has heard, and takes nothing back.
  const rows = await createCutStreamRows(sql)
  const log = (await store.origin())?.id ?? ''
  const [note] = await rows.load(log)
  await rows.save(log, [{ stream, reason: undefined, position: (note?.position ?? 0n) - 1n }])
  t.deepEqual(await rows.load(log), [{ stream, reason: 'deleted', position: note?.position ?? -1n }])
  await rows.save(log, [{ stream, reason: undefined, position: (note?.position ?? 0n) + 1n }])
  t.deepEqual(await rows.load(log), [])
})
