/**
 * Streams that were cut or deleted on the server: none of them passes for a whole one, and no append to one of them is
 * made in silence.
 */
import { status } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { createCutStreams } from '../../adapters/store/base/cut-streams.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { StreamCut } from '../../domain/audit/stream-cut.ts'
import { OutcomeUnknown, WrongRevision } from '../../domain/kernel/ports.ts'
import { eventually } from '../../src/demo/stage.ts'
import { lost } from './answers.ts'
import { cuttingServer } from './cutting-server.ts'
import { all, newEvent, newStream } from './events.ts'

/** A store of a process of its own. */
const newStore = (t: ExecutionContext, url: string): LogStore => {
  const store = eventStoreDb(url)
  t.teardown(() => store.close())
  return store
}

/** A server, a process that has written four events to a stream there, and one that has just started. */
const begun = async (t: ExecutionContext, faults: Parameters<typeof cuttingServer>[1] = {}) => {
  const server = await cuttingServer(t, faults)
  const [writer, fresh] = [newStore(t, server.url), newStore(t, server.url)]
  const stream = newStream()
  await writer.append(stream, -1n, [newEvent('One'), newEvent('Two'), newEvent('Three'), newEvent('Four')])
  return { server, writer, fresh, stream }
}

const cut = async (t: ExecutionContext, act: Promise<unknown>, stream: string, how: RegExp) => {
  const error = await t.throwsAsync(act, { instanceOf: StreamCut })
  t.is(error?.stream, stream)
  t.regex(error?.message ?? '', how)
}

/** Follows the log until the test ends, as every serving process does. */
const followed = (t: ExecutionContext, store: LogStore) => {
  const stopping = new AbortController()
  const seen: string[] = []
  const following = (async () => {
    for await (const page of store.subscribe(-1n, stopping.signal)) seen.push(...page.map(({ type }) => type))
  })()
  t.teardown(async () => {
    stopping.abort()
    await following
  })
  return seen
}

test('a stream that was cut by its length is not read, whoever reads it from wherever', async (t) => {
  const { server, writer, fresh, stream } = await begun(t)
  await server.setMetadata(stream, { $maxCount: 1 })
  await cut(t, all(fresh.read(stream)), stream, /goes from revision -1 on at 3/)
  await cut(t, all(writer.read(stream, 1n)), stream, /goes from revision 0 on at 3/)
  t.deepEqual(fresh.cuts.all(), [{ stream, reason: 'incomplete' }])
  // Whoever has seen all that is missing goes on.
  t.is((await all(writer.read(stream, 3n))).length, 1)
})

test('a stream of which nothing is left to see is not taken for one that never was, where it is known', async (t) => {
  const { server, writer, stream } = await begun(t)
  await server.setMetadata(stream, { $tb: 9 })
  await cut(t, all(writer.read(stream)), stream, /ends at revision -1, and had come to 3/)
  await server.softDelete(stream)
  await cut(t, all(writer.read(stream)), stream, /ends at revision -1, and had come to 3/)
})

test('what is cut and healed again can be read, and is not named any more', async (t) => {
  const { server, writer, stream } = await begun(t)
  await server.setMetadata(stream, { $maxCount: 1 })
  await t.throwsAsync(all(writer.read(stream)), { instanceOf: StreamCut })
  await server.setMetadata(stream, {})
  t.is((await all(writer.read(stream))).length, 4)
  t.deepEqual(writer.cuts.all(), [])
})

test('an append that the server takes elsewhere is a fault, and the last one of its process', async (t) => {
  const { server, fresh, stream } = await begun(t)
  await server.softDelete(stream)
  await cut(t, fresh.append(stream, -1n, [newEvent('One')]), stream, /ends at revision 0 at revision 4/)
  t.deepEqual(fresh.cuts.all(), [{ stream, reason: 'misplaced' }])
  t.false(fresh.cuts.writable())
  const before = server.asked.appends
  await t.throwsAsync(fresh.append(newStream(), -1n, [newEvent('One')]), { instanceOf: OutcomeUnknown })
  await cut(t, fresh.append(stream, 4n, [newEvent('One')]), stream, /elsewhere/)
  t.is(server.asked.appends, before)
})

test('an append that landed elsewhere while its answer was lost is a fault as well', async (t) => {
  const { server, fresh, stream } = await begun(t, {
    append: (attempt, answer) => (attempt === 2 ? lost(status.UNAVAILABLE, answer) : answer),
  })
  await server.softDelete(stream)
  await cut(t, fresh.append(stream, -1n, [newEvent('One')]), stream, /ends at revision 0 at revision 4/)
  t.false(fresh.cuts.writable())
})

test('an append that is answered with another revision than its own is a fault', async (t) => {
  const { writer, stream } = await begun(t, {
    append: (attempt, answer) => (error, told) => {
      if (attempt > 1) told?.getSuccess()?.setCurrentRevision('7')
      answer(error, told)
    },
  })
  await cut(t, writer.append(stream, 3n, [newEvent('Five')]), stream, /ends at revision 4 at revision 7/)
  t.false(writer.cuts.writable())
})

test('what cuts or deletes a stream is heard of by every process, and nothing more is read or sent', async (t) => {
  const { server, writer, fresh, stream } = await begun(t)
  const other = newStream()
  await writer.append(other, -1n, [newEvent('Other')])
  const seen = followed(t, writer)
  followed(t, fresh)
  await server.softDelete(stream)
  await server.setMetadata(other, { $maxAge: 3_600 })
  const named = [
    { stream, reason: 'deleted' as const },
    { stream: other, reason: 'truncated' as const },
  ].sort((a, b) => (a.stream < b.stream ? -1 : 1))
  for (const store of [writer, fresh])
    await eventually('the news', () => store.cuts.all().length === 2).then(() => t.deepEqual(store.cuts.all(), named))
  const before = [server.asked.appends, server.asked.reads.length]
  for (const store of [writer, fresh]) {
    await cut(t, store.append(stream, -1n, [newEvent('One')]), stream, /was deleted on the server$/)
    await cut(t, all(store.read(other)), other, /was cut by its metadata/)
  }
  t.deepEqual([server.asked.appends, server.asked.reads.length], before)
  t.true(writer.cuts.writable())
  await server.setMetadata(other, { $acl: { $w: 'daybook' } })
  await eventually('the healing', () => writer.cuts.all().length === 1)
  t.is((await all(writer.read(other))).length, 1)
  t.deepEqual(seen, ['One', 'Two', 'Three', 'Four', 'Other'])
})

test('a start looks for what was done while it was down, from where it had come to', async (t) => {
  const { server, writer, fresh, stream } = await begun(t)
  const late = newStream()
  await writer.append(late, -1n, [newEvent('One')])
  await server.softDelete(stream)
  const { position } = await writer.append(newStream(), -1n, [newEvent('Between')])
  await server.tombstone(late)
  await server.setMetadata('$$ours-not', { $maxCount: 1 })
  await fresh.lookForCuts?.(position)
  t.deepEqual(fresh.cuts.all(), [{ stream: late, reason: 'tombstoned' }])
  await fresh.lookForCuts?.(-1n)
  t.is(fresh.cuts.all().length, 2)
  const before = server.asked.appends
  await cut(t, fresh.append(stream, -1n, [newEvent('One')]), stream, /was deleted/)
  t.is(server.asked.appends, before)
})

test('a stream that was deleted for good is a fault to whoever reads it or appends to it', async (t) => {
  const { server, writer, fresh, stream } = await begun(t)
  await server.tombstone(stream)
  await cut(t, all(writer.read(stream)), stream, /for good/)
  await cut(t, fresh.append(stream, -1n, [newEvent('One')]), stream, /for good/)
})

test('more cutting events than fit a page are all looked at', async (t) => {
  const { server, fresh } = await begun(t)
  const streams = Array.from({ length: 1_002 }, () => newStream())
  await Promise.all(streams.map((stream) => server.setMetadata(stream, { $maxCount: 1 })))
  await fresh.lookForCuts?.(-1n)
  t.is(fresh.cuts.all().length, 1_002)
})

test('a rival that won a moment ago is waited for, and one that cannot be read at all is a fault', async (t) => {
  const { server, writer, fresh, stream } = await begun(t)
  t.is((await all(fresh.read(stream))).length, 4)
  await writer.append(stream, 3n, [newEvent('Five')])
  await t.throwsAsync(fresh.append(stream, 3n, [newEvent('Other')]), { instanceOf: WrongRevision })
  await server.setMetadata(stream, { $tb: 9 })
  const before = server.asked.reads.length
  const reading = all(fresh.read(stream, 4n))
  await eventually('a second read', () => server.asked.reads.length > before + 1)
  await server.setMetadata(stream, {})
  t.deepEqual(
    (await reading).map(({ type }) => type),
    ['Five'],
  )
  await server.setMetadata(stream, { $tb: 9 })
  await cut(t, all(fresh.read(stream, 4n)), stream, /ends at revision 3, and had come to 4/)
})

const fields: readonly [json: string, reason: 'truncated' | 'deleted' | undefined][] = [
  ['{"$maxCount":1}', 'truncated'],
  ['{"$maxCount":1000000}', 'truncated'],
  ['{"$maxAge":86400}', 'truncated'],
  ['{"$tb":3}', 'truncated'],
  ['{"$tb":9223372036854775807}', 'deleted'],
  ['{"$tmp":true}', 'truncated'],
  ['[]', undefined],
  ['"no object"', 'truncated'],
  ['no json', 'truncated'],
  ['{"$tb":0}', undefined],
  ['{"$maxCount":null}', undefined],
  ['{"$acl":{"$d":"$admins"},"$cacheControl":60,"theirs":1}', undefined],
  ['{}', undefined],
  ['', undefined],
]

for (const [json, reason] of fields)
  test(`metadata ${json || 'of nothing'} ${reason ? `counts as ${reason}` : 'hides nothing'}`, (t) => {
    const cuts = createCutStreams()
    cuts.see({ stream: '$$thing-1', type: '$metadata', position: 5n, data: Buffer.from(json) })
    t.is(cuts.of('thing-1'), reason)
  })

test('the newest word of the server counts, in whatever order it is heard, and a tombstone is the last', (t) => {
  const cuts = createCutStreams()
  const say = (position: bigint, data: object, type = '$metadata', stream = '$$a') =>
    cuts.see({ stream, type, position, data })
  say(9n, {})
  say(5n, { $maxCount: 1 })
  t.is(cuts.of('a'), undefined)
  say(12n, { $maxCount: 1 })
  say(11n, {})
  t.is(cuts.of('a'), 'truncated')
  say(13n, {}, '$streamDeleted', 'a')
  say(14n, {})
  t.is(cuts.of('a'), 'tombstoned')
  say(15n, { $maxCount: 1 }, '$metadata', '$$$stats')
  say(16n, {}, '$streamDeleted', '$mine')
  t.deepEqual(cuts.all(), [{ stream: 'a', reason: 'tombstoned' }])
  t.deepEqual(cuts.unsaved(), [{ stream: 'a', reason: 'tombstoned', position: 13n }])
})
