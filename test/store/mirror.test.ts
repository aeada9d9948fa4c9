/** The local mirror of the log: what is read through it is what the log says, at whatever byte its writing ended. */
import { appendFile, readdir, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { type Keeper, OtherLog, openKeeper } from '../../adapters/store/mirror/keeper.ts'
import { mirroredLines, mirroredStore, openMirror } from '../../adapters/store/mirror/mirror.ts'
import { MirrorDamage, segmentsIn } from '../../adapters/store/mirror/segments.ts'
import { BOUNDS } from '../../adapters/store/mirror/writer.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startMirror } from '../../src/engine/mirror.ts'
import { chanceOf } from '../faults/chance.ts'
import { deepTest } from '../support/deep-test.ts'
import { cases, runs } from '../support/depth.ts'
import { plainLine } from '../support/log-lines.ts'
import { all, newEvent, newStream } from './events.ts'
import { newDirectory } from './open.ts'
import { contents, endingAfter, flip, keep, mirror, SMALL, slowly, unusualLog } from './unusual-log.ts'

/** The quick run ends the mirror at every tenth step, and reads from every tenth place. */
const STEP = runs({ quick: 10, deep: 1 })

test('what is read through the mirror is what the log says, from every place on', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(30)
  const dir = newDirectory(t)
  await mirror(t, place, dir)
  await write(5)
  const without = await all(place.store.readAll(-1n))
  t.is(without.length, 45)
  const through = mirroredStore(place.store, openMirror(place.store, dir, never(t)))
  for (const { position } of cases([{ position: -1n }, ...without], STEP))
    t.deepEqual(
      await all(through.readAll(position)),
      without.filter((event) => event.position > position),
    )
  const anywhere = mirroredStore(place.store, openMirror(place.store, dir, never(t)), true)
  for (const { position } of cases(without, STEP))
    t.deepEqual(
      await all(anywhere.readAll(position - 1n)),
      without.filter((event) => event.position >= position),
    )
})

test('lines of the mirror are the lines of the log', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(30)
  const dir = newDirectory(t)
  await mirror(t, place, dir)
  await write(3)
  const head = await place.store.head()
  const without = (await Array.fromAsync(place.bytes.readLines(-1n, head))).flat()
  const view = openMirror(place.store, dir, never(t))
  for (const [i, { position }] of cases([...without.entries()], STEP)) {
    const until = without.at(i + 7)?.position ?? head
    for (const after of [position, position + 1n]) {
      const lines = await Array.fromAsync(mirroredLines(place.bytes, view, after, until))
      t.deepEqual(lines.flat().map(plainLine), without.slice(i + 1, i + 8).map(plainLine))
    }
  }
})

deepTest('a long segment of large and small events is read from every place on', async (t) => {
  const { core, place } = await unusualLog(t)
  const text = 'é€'.repeat(40_000)
  for (let i = 0; i < 20; i++) {
    await place.store.append(newStream(), -1n, [newEvent('Large', { text })])
    await place.store.append(
      newStream(),
      -1n,
      Array.from({ length: 60 }, () => newEvent('Small')),
    )
  }
  t.true(core.last() > 0)
  const dir = newDirectory(t)
  await mirror(t, place, dir, BOUNDS)
  const [segment] = await segmentsIn(dir)
  t.true((segment?.note.bytes ?? 0) > 4_000_000)
  const without = await all(place.store.readAll(-1n))
  const through = mirroredStore({ ...place.store, readAll: () => none() }, openMirror(place.store, dir, never(t)))
  for (let at = 0; at < without.length; at += 97)
    t.deepEqual(await all(through.readAll(without[at]?.position ?? 0n)), without.slice(at + 1))
})

test('ended at any step, and in the midst of any write, the mirror goes on without a gap and without a repeat', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(25)
  const whole = newDirectory(t)
  await mirror(t, place, whole)
  const expected = await contents(whole)
  const head = await place.store.head()
  const chance = chanceOf(7)
  let steps = 0
  for (let ended = true; ended; steps += STEP) {
    const dir = newDirectory(t)
    const faulty = endingAfter(steps, () => chance.next())
    ended = await keep(slowly(place), dir, head, faulty).then(
      () => false,
      (error: Error) => error.message === 'ended',
    )
    await keep(place, dir, head)
    t.deepEqual(await contents(dir), expected, `ended after ${steps} steps`)
  }
  t.true(steps > 80, `${steps} steps`)
})

test('a batch that was cut off at any byte is written again', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(3)
  const dir = newDirectory(t)
  await mirror(t, place, dir, BOUNDS)
  const before = await contents(dir)
  const name = Object.keys(before).find((file) => file.endsWith('.jsonl')) ?? ''
  await write(1)
  await mirror(t, place, dir, BOUNDS)
  const after = await contents(dir)
  const added = Buffer.from((after[name] ?? '').slice(before[name]?.length))
  t.true(added.length > 100)
  for (let bytes = 0; bytes <= added.length; bytes += bytes < 40 ? STEP : 23 * STEP) {
    for (const [file, text] of Object.entries(before)) await writeFile(join(dir, file), text)
    await appendFile(join(dir, name), added.subarray(0, bytes))
    // Read before it is mended, only what is noted counts.
    t.deepEqual(
      await all(mirroredStore(place.store, openMirror(place.store, dir, never(t))).readAll(-1n)),
      await all(place.store.readAll(-1n)),
    )
    await mirror(t, place, dir, BOUNDS)
    t.deepEqual(await contents(dir), after)
  }
})

test('whatever is changed in a mirror is noticed, and who reads it is given the log itself', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(30)
  const dir = newDirectory(t)
  await mirror(t, place, dir)
  const whole = await contents(dir)
  const without = await all(place.store.readAll(-1n))
  const head = await place.store.head()
  const lines = (await Array.fromAsync(place.bytes.readLines(-1n, head))).flat()
  const files = Object.keys(whole)
  const [first, second, third] = files.filter((file) => file.endsWith('.jsonl'))
  const at = (file = '') => join(dir, file)
  const noteOf = (file = '') => file.replace('.jsonl', '.sealed.json')
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'one letter of an event': () => flip(at(second), 300),
    'one letter of the newest segment': () => flip(at(files.findLast((file) => file.endsWith('.jsonl'))), 300),
    'a shorter segment': () => truncate(at(second), 1_000),
    'a longer segment': () => appendFile(at(second), 'x'),
    'a segment that is gone': () => rm(at(second)),
    'a segment that is gone with its seal': () => Promise.all([rm(at(second)), rm(at(noteOf(second)))]),
    'a first segment that is gone with its seal': () => Promise.all([rm(at(first)), rm(at(noteOf(first)))]),
    'a seal that is gone': () => rm(at(noteOf(third))),
    'a seal that is another': () => flip(at(noteOf(third)), 200),
    'two segments that changed places': async () => {
      await rename(at(first), at('aside'))
      await rename(at(second), at(first))
      await rename(at('aside'), at(second))
    },
  }
  for (const [what, change] of Object.entries(changes)) {
    for (const [file, text] of Object.entries(whole)) await writeFile(join(dir, file), text)
    await change()
    const warned: string[] = []
    const view = openMirror(place.store, dir, (_, { reason }) => warned.push(reason))
    const seen = (await Array.fromAsync(mirroredLines(place.bytes, view, -1n, head))).flat()
    t.deepEqual(seen.map(plainLine), lines.map(plainLine), what)
    t.is(warned.length, 1, what)
    // A letter inside a text cannot be seen without hashing; everything else is.
    if (!what.includes('letter'))
      t.deepEqual(
        await all(
          mirroredStore(
            place.store,
            openMirror(place.store, dir, () => {}),
          ).readAll(-1n),
        ),
        without,
        what,
      )
    if (what !== 'one letter of an event' && !what.includes('changed places'))
      await t.throwsAsync(keep(place, dir, await place.store.head()), { instanceOf: MirrorDamage }, what)
  }
})

test('the mirror of another log, and of a log that went on otherwise, is neither read nor written', async (t) => {
  const [one, other] = [await unusualLog(t), await unusualLog(t)]
  await one.write(5)
  await other.write(5)
  const dir = newDirectory(t)
  await mirror(t, one.place, dir)
  const before = await contents(dir)
  const warned: string[] = []
  const through = mirroredStore(
    other.place.store,
    openMirror(other.place.store, dir, (_, { reason }) => warned.push(reason)),
  )
  for (let i = 0; i < 2; i++) t.deepEqual(await all(through.readAll(-1n)), await all(other.place.store.readAll(-1n)))
  t.is(warned.length, 1)
  t.regex(warned[0] ?? '', /another log/)
  await t.throwsAsync(keep(other.place, dir, await other.place.store.head()), { instanceOf: OtherLog })
  // As a store that was restored from an older backup: the mirror is further.
  const origin = await one.place.store.origin()
  const shorter = { ...other.place.store, origin: async () => origin }
  await t.throwsAsync(keep({ ...other.place, store: shorter }, dir, 0n), {
    instanceOf: OtherLog,
    message: /its last event is/,
  })
  t.deepEqual(await contents(dir), before)
})

deepTest('a full disk stops the mirror, which says so once and goes on when there is room', async (t) => {
  const { place, write } = await unusualLog(t)
  const dir = newDirectory(t)
  // Whatever is written to the first segment is refused as by a full disk.
  const segment = join(dir, `${'20'.padStart(20, '0')}.jsonl`)
  await symlink('/dev/full', segment)
  const feed = await startFeed(place.store)
  const stopping = new AbortController()
  const said: string[] = []
  const say = (_: object, text?: string) => void said.push(text ?? '')
  const log = { error: say, info: say } as unknown as Parameters<typeof startMirror>[1]['log']
  const worker = startMirror({ dir, ...place }, { feed, log, retryMs: 20 }, stopping.signal)
  t.teardown(async () => {
    stopping.abort()
    await Promise.all([feed.stop(), worker.ended])
  })
  await eventually('the end of the mirror', () => worker.report().state === 'stopped')
  await write(1)
  await rm(segment)
  await eventually('the mirror', () => worker.report().state === 'following' && worker.report().at === feed.head())
  t.deepEqual(said, ['the mirror of the log has stopped, trying again', 'the mirror of the log goes on'])
  const alone = mirroredStore({ ...place.store, readAll: () => none() }, openMirror(place.store, dir, never(t)))
  await eventually('what was written since', async () => worker.report().at === (await place.store.head()))
  t.deepEqual(await all(alone.readAll(-1n)), await all(place.store.readAll(-1n)))
})

deepTest('one process at a time writes a mirror, and its files are its owner’s alone', async (t) => {
  const { place, write } = await unusualLog(t)
  await write(2)
  const dir = newDirectory(t)
  const keeper = (await openKeeper({ dir, ...place }, SMALL)) as Keeper
  t.is(await openKeeper({ dir, ...place }), undefined)
  await keeper.catchUp(await place.store.head())
  await keeper.close()
  await mirror(t, place, dir)
  t.is((await stat(dir)).mode & 0o777, 0o700)
  for (const file of (await readdir(dir)).filter((name) => name !== 'lock'))
    t.is((await stat(join(dir, file))).mode & 0o777, 0o600, file)
})

const never = (t: ExecutionContext) => (what: string, facts: object) => t.fail(`${what} ${JSON.stringify(facts)}`)

async function* none(): AsyncGenerator<readonly RecordedEvent[]> {}
