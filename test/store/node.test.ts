import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { type ProposedEvent, RefusedAppend, StaleAppend } from '../../adapters/store/node/appends.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { groupCommit } from '../../adapters/store/node/group-commit.ts'
import { recentMap } from '../../domain/kernel/recent-map.ts'
import { newCore, newDirectory } from './open.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

const proposal = (type = 'Wrote', data = bytes('{}'), id: string = crypto.randomUUID()): ProposedEvent => ({
  id,
  type,
  contentType: 'application/json',
  data,
  metadata: bytes('{}'),
})

/** Runs the writer; `limit` is a shell's `ulimit` on the size of its files. */
const writer = (file: string, writers: number, round: number, limit = 'unlimited') => {
  const script = join(import.meta.dirname, 'log-writer.ts')
  const child = spawn('/bin/sh', [
    '-c',
    `ulimit -f ${limit}; exec "$0" "$@"`,
    process.execPath,
    script,
    file,
    String(writers),
    String(round),
  ])
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const lines = (word: string) =>
    Buffer.concat(out)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' '))
      .filter(([first]) => first === word)
  return { child, lines, errors: () => Buffer.concat(err).toString(), closed: once(child, 'close') }
}

const until = async (holds: () => boolean) => {
  for (const end = performance.now() + 20_000; !holds() && performance.now() < end; ) await sleep(5)
}

test('after a kill in the middle of writing, what was acknowledged is there and what was not can be repeated', async (t) => {
  const file = join(newDirectory(t), 'log.db')
  for (let round = 0; round < 3; round++) {
    const { child, lines, closed } = writer(file, 32, round)
    await until(() => lines('ack').length > 200)
    await sleep(Math.random() * 100)
    child.kill('SIGKILL')
    await closed
    const [tries, acks] = [lines('try'), lines('ack')]
    t.true(acks.length > 200)
    const core = openCore(file)
    const idAt = (stream: string, revision: number) => core.readStream(stream, revision, 1, 'forwards')[0]?.id
    t.deepEqual(
      acks.filter(([, stream = '', revision, id]) => idAt(stream, Number(revision)) !== id),
      [],
    )
    const acked = new Set(acks.map(([, , , id]) => id))
    for (const [, stream = '', revision, id] of tries.filter(([, , , each]) => !acked.has(each))) {
      const done = await core.append(stream, Number(revision) - 1, [proposal('Wrote', bytes('{}'), id)])
      t.is(done.revision, Number(revision))
    }
    for (const [stream, own] of Map.groupBy(tries, ([, name = '']) => name)) {
      const events = core.readStream(stream, 0, 500, 'forwards')
      t.deepEqual(
        events.map((e) => [e.revision, e.id]),
        own.slice(0, 500).map(([, , revision, id]) => [Number(revision), id]),
      )
    }
    await core.close()
  }
})

test('a commit that fails ends the process with one line and loses nothing acknowledged', async (t) => {
  const file = join(newDirectory(t), 'log.db')
  const { child, lines, errors, closed } = writer(file, 8, 0, '2000')
  await closed
  t.is(child.exitCode, 1)
  t.regex(errors(), /^the log could not be written, stopping: [^\n]+\n$/)
  const core = openCore(file)
  t.true(lines('ack').length > 10)
  t.true(
    lines('ack').every(
      ([, stream = '', revision, id]) => core.readStream(stream, Number(revision), 1, 'forwards')[0]?.id === id,
    ),
  )
  await core.close()
})

test('a failed commit refuses every append that waits and all that come after', async (t) => {
  const failures: Error[] = []
  const commits = groupCommit({
    write: () => {
      throw new Error('disk full')
    },
    committed: () => t.fail(),
    failed: (error) => failures.push(error),
  })
  const event = { ...proposal(), position: 0, stream: 'a', revision: 0, created: 0 }
  const results = await Promise.allSettled([commits.add([event]), commits.add([event])])
  t.deepEqual(
    results.map((result) => result.status),
    ['rejected', 'rejected'],
  )
  await t.throwsAsync(commits.add([event]), { message: /commit of the log failed/ })
  t.is(failures.length, 1)
  t.true(commits.closed())
})

test('more than the disk can keep up with is refused as busy, and what was taken is written', async (t) => {
  const core = newCore(t)
  const large = new Uint8Array(250_000)
  const tries = await Promise.allSettled(
    Array.from({ length: 400 }, (_, i) => core.append(`stream-${i}`, -1, [proposal('Large', large)])),
  )
  const refused = tries.filter((result) => result.status === 'rejected')
  t.true(
    refused.length > 100 && refused.every(({ reason }) => reason instanceof RefusedAppend && reason.reason === 'busy'),
  )
  for (const [i, result] of tries.entries()) t.is(core.head(`stream-${i}`), result.status === 'fulfilled' ? 0 : -1)
  await t.notThrowsAsync(core.append('after', -1, [proposal()]))
})

test('a second process is told that the log is in use', async (t) => {
  const directory = newDirectory(t)
  newCore(t, directory)
  const { errors, lines, closed } = writer(join(directory, 'log.db'), 1, 0)
  await closed
  t.regex(errors(), /already in use by another process/)
  t.deepEqual(lines('open'), [])
})

test('the log is private to its user, and another file is not taken for one', async (t) => {
  const directory = newDirectory(t)
  const core = newCore(t, directory)
  await core.append('a', -1, [proposal()])
  for (const name of ['log.db', 'log.db-wal']) t.is(statSync(join(directory, name)).mode & 0o777, 0o600)
  const other = join(directory, 'other.db')
  const db = new DatabaseSync(other)
  db.exec('CREATE TABLE something (id INTEGER)')
  db.close()
  t.throws(() => openCore(other), { message: /not a log/ })
  writeFileSync(join(directory, 'text'), 'no database at all, but long enough to look at its header'.repeat(100))
  t.throws(() => openCore(join(directory, 'text')), { message: /not a database/ })
})

test('bytes are kept exactly as they came, whatever they are', async (t) => {
  const core = newCore(t)
  const odd = Uint8Array.from({ length: 256 }, (_, i) => i)
  await core.append('a', -1, [
    { ...proposal('Odd', odd), metadata: new Uint8Array(), contentType: 'application/octet-stream' },
  ])
  const [event] = core.readStream('a', 0, 10, 'forwards')
  t.deepEqual(event?.data, odd)
  t.is(event?.metadata.length, 0)
  t.is(event?.contentType, 'application/octet-stream')
})

test('pages run both ways over a stream and over the log', async (t) => {
  const core = newCore(t)
  for (let i = 0; i < 6; i++) await core.append(i % 2 ? 'odd' : 'even', Math.floor(i / 2) - 1, [proposal(`T${i}`)])
  const types = (events: readonly { type: string }[]) => events.map((e) => e.type)
  t.deepEqual(types(core.readStream('odd', 1, 10, 'forwards')), ['T3', 'T5'])
  t.deepEqual(types(core.readStream('odd', 1, 10, 'backwards')), ['T3', 'T1'])
  const log = core.readAll(-1, 100, 'forwards')
  t.deepEqual(types(log), ['$log-created', 'T0', 'T1', 'T2', 'T3', 'T4', 'T5'])
  t.deepEqual(core.readAll(Number.MAX_SAFE_INTEGER, 100, 'backwards'), log.toReversed())
  t.deepEqual(types(core.readAll(log[2]?.position ?? 0, 2, 'forwards')), ['T2', 'T3'])
  t.deepEqual(types(core.readAll(log[2]?.position ?? 0, 1, 'backwards')), ['T0'])
  t.true(log.every((e, i) => i === 0 || e.position - (log[i - 1]?.position ?? 0) > 1))
})

test('an append at any revision goes to the end, and its repeat is recognised', async (t) => {
  const core = newCore(t)
  const [first, second] = [proposal(), proposal()]
  await t.throwsAsync(core.append('a', 'exists', [first]), { instanceOf: StaleAppend })
  const done = await core.append('a', 'any', [first])
  await core.append('a', 'exists', [second])
  t.deepEqual(await core.append('a', 'any', [first]), done)
  t.is(core.head('a'), 1)
})

test('a conflict with an append that is not durable yet is answered once that one can be read', async (t) => {
  const core = newCore(t)
  void core.append('a', -1, [proposal('First')])
  const error = await t.throwsAsync(core.append('a', -1, [proposal('Second')]), { instanceOf: StaleAppend })
  t.is((error as StaleAppend).current, 0)
  t.is(core.head('a'), 0)
})

test('what was used lately is remembered, and never more than twice the bound', (t) => {
  const map = recentMap<number>(100)
  map.set('used', 1)
  for (let i = 0; i < 1_000; i++) {
    map.set(`key-${i}`, i)
    t.is(map.get('used'), 1)
    t.is(map.get(`key-${Math.max(0, i - 40)}`), Math.max(0, i - 40))
  }
  const kept = Array.from({ length: 1_000 }, (_, i) => map.get(`key-${i}`)).filter((value) => value !== undefined)
  t.true(kept.length >= 99 && kept.length <= 200)
})

test('a log is opened again at its end, with every stream at its head', async (t) => {
  const file = join(newDirectory(t), 'log.db')
  const first = openCore(file)
  await Promise.all(Array.from({ length: 3_000 }, (_, i) => first.append(`stream-${i}`, -1, [proposal()])))
  const end = first.last()
  await first.close()
  const second = openCore(file)
  t.is(second.last(), end)
  const { position } = await second.append('stream-1234', 0, [proposal()])
  t.true(position > end)
  await t.throwsAsync(second.append('stream-77', -1, [proposal()]), { instanceOf: StaleAppend })
  await second.close()
})
