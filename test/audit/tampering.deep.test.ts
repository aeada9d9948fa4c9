/**
 * Whatever is changed in a sealed log, the first wrong place is named: thousands of changes, each looked for from the
 * first event on.
 */
import test, { type ExecutionContext } from 'ava'
import type { SignedHead } from '../../adapters/audit/head.ts'
import type { KnownHead } from '../../adapters/audit/known-heads.ts'
import { trustedKeys } from '../../adapters/audit/trusted-keys.ts'
import { type LogVerification, type VerifyOptions, verifier } from '../../adapters/audit/verify.ts'
import type { StoredBytes } from '../../adapters/store/base/bytes.ts'
import { lineOf } from '../../adapters/store/base/log-line.ts'
import { type SealedLog, sealedLog } from '../support/sealed-log.ts'

const look = (
  events: readonly StoredBytes[],
  pins: readonly string[] = [],
  options: VerifyOptions = {},
): LogVerification => {
  const verify = verifier(trustedKeys(pins), options)
  for (const event of events) if (verify.add(lineOf(event, 0n))) break
  return verify.end()
}

const knownHere = ({ head: { log, size, root } }: { head: SignedHead }): KnownHead => ({
  log,
  size,
  root,
  source: 'test',
})

/** Some 70 events under ten seals by two keys, of which the last five are not sealed yet. */
const history = async (
  t: ExecutionContext,
): Promise<SealedLog & { events: StoredBytes[]; sealed: number; pins: string[] }> => {
  const log = sealedLog(t)
  for (let round = 0; round < 5; round++) {
    await log.write(9 + round)
    await log.seal(10)
    if (round === 2) await log.rotate()
  }
  await log.write(5)
  const events = await log.stored()
  const pins = [...new Set(log.heads.map(({ publicKey }) => publicKey))]
  return { ...log, events, pins, sealed: log.heads.at(-1)?.head.size ?? 0 }
}

test('a log that nobody touched is whole, by the keys of the log and by keys that were brought along', async (t) => {
  const { events, sealed, heads, pins } = await history(t)
  for (const given of [[], pins.slice(0, 1), pins]) {
    const { wrong, edge, seals, end } = look(events, given, { known: heads.map(knownHere) })
    t.is(wrong, undefined)
    t.deepEqual({ size: edge?.head.size, seals, end }, { size: sealed, seals: heads.length, end: events.length })
  }
  t.is(pins.length, 2)
  t.true(events.length - sealed >= 5)
})

test('in a log that was sealed late, in one go, a changed event is named all the same', async (t) => {
  const log = sealedLog(t)
  await log.write(60)
  await log.seal(7)
  const events = await log.stored()
  t.is(look(events).wrong, undefined)
  for (const [index, event] of events.slice(0, 60).entries()) {
    const changed = events.with(index, { ...event, data: Buffer.from('{"n":-1}') })
    t.like(look(changed).wrong, { index, order: event.position, what: 'changed' })
  }
})

test('any byte of any sealed event that is flipped names that event', async (t) => {
  const { events, sealed, pins } = await history(t)
  let tried = 0
  for (const [index, event] of events.slice(0, sealed).entries())
    for (const [part, at, mask] of flips(event, index)) {
      const changed = events.with(index, flipped(event, part, at, mask))
      // Who hides a key hides who sealed what follows from whoever does not know that key: what is said then is tested
      // below.
      const { wrong } = look(changed, index % 2 || event.type === 'SealKeyPublished' ? pins : [])
      if (wrong?.index !== index)
        t.fail(`${event.type} at ${index}, ${part} byte ${at} ^ ${mask}: ${JSON.stringify(wrong, text)}`)
      tried++
    }
  t.true(tried > 3_000, `${tried}`)
})

test('an event that is dropped, doubled, moved or brought in is named by its place', async (t) => {
  const { events, sealed, pins } = await history(t)
  for (let index = 0; index < sealed - 1; index++) {
    const event = events[index] as StoredBytes
    t.is(look(events.toSpliced(index, 1), pins).wrong?.index, index, `dropped ${index}`)
    t.is(look(events.toSpliced(index, 0, event), pins).wrong?.index, index + 1, `doubled ${index}`)
    t.is(look(events.toSpliced(index, 0, { ...event, id: 'x' }), pins).wrong?.index, index, `brought in ${index}`)
    const next = events[index + 1] as StoredBytes
    t.is(look(events.with(index, next).with(index + 1, event), pins).wrong?.index, index, `swapped ${index}`)
  }
  // Without the key that was published here nobody can tell who sealed what follows.
  const key = events.findLastIndex(({ type }) => type === 'SealKeyPublished')
  t.like(look(events.toSpliced(key, 1)).wrong, { what: 'seal', perhaps: key })
  const kinds = [events.toSpliced(3, 1), events.toSpliced(3, 0, { ...(events[3] as StoredBytes), id: 'x' })]
  t.deepEqual(
    kinds.map((each) => look(each).wrong?.what),
    ['missing', 'added'],
  )
})

test('a log that is cut short is seen by whoever knows a head of what was cut', async (t) => {
  const { events, heads } = await history(t)
  const last = heads.at(-1)?.head
  for (let end = 1; end < events.length; end++) {
    const { wrong } = look(events.slice(0, end), [], { known: last ? [knownHere({ head: last })] : [] })
    const isContained = end >= (last?.size ?? 0)
    t.deepEqual([wrong?.what, wrong?.index], isContained ? [undefined, undefined] : ['ended', end])
  }
})

test('a log that was written anew behind a head, with keys of its own, is not that log', async (t) => {
  const { events, heads, pins } = await history(t)
  const other = await history(t)
  // A whole log with good seals, by keys that nobody was told of.
  t.is(look(other.events, pins).wrong?.what, 'key')
  t.is(look(other.events, [], { known: heads.slice(0, 1).map(knownHere) }).wrong?.what, 'history')
  // The same beginning, then another history: the first seal of it that is not by a key of this log.
  for (const { head } of heads.slice(0, -1)) {
    const mixed = [...events.slice(0, head.size), ...other.events.slice(head.size)]
    const { wrong } = look(mixed, pins)
    t.true(wrong !== undefined && wrong.index >= head.size, `${head.size}: ${JSON.stringify(wrong, text)}`)
    const first = other.events.findIndex(({ type }, i) => i >= head.size && /Seal/.test(type))
    t.is(wrong?.index, first)
  }
})

test('a look that goes on from a head finds what was changed since, and a history that is another', async (t) => {
  const log = sealedLog(t)
  await log.write(20)
  await log.seal()
  const before = look(await log.stored()).edge
  await log.write(20)
  await log.seal()
  const events = await log.stored()
  const pins = log.heads.slice(0, 1).map(({ publicKey }) => publicKey)
  const since = events.slice(before?.head.size)
  t.like(look(since, pins, { start: before }), { wrong: undefined, end: events.length, seals: 1 })
  for (const [i, event] of since.entries()) {
    if ((before?.head.size ?? 0) + i >= (log.heads.at(-1)?.head.size ?? 0)) continue
    const { wrong } = look(since.with(i, flipped(event, 'data', 1, 1)), pins, { start: before })
    t.is(wrong?.index, (before?.head.size ?? 0) + i)
  }
  t.like(look([], pins, { start: before, known: log.heads.slice(-1).map(knownHere) }).wrong, {
    what: 'ended',
  })
})

type Part = 'data' | 'metadata' | 'type' | 'stream' | 'id' | 'contentType' | 'position' | 'revision'

/** Every byte of some events and a choice of the others, each with one of its bits. */
function* flips(event: StoredBytes, index: number): Generator<readonly [part: Part, at: number, mask: number]> {
  const every = index % 10 === 0 && event.data.length < 400
  for (const part of ['data', 'metadata', 'type', 'stream', 'id', 'contentType'] as const) {
    const { length } = Buffer.from(event[part])
    for (let at = index % 5; at < length; at += every ? 1 : Math.ceil(length / 6))
      yield [part, at, 1 << ((at + index) % 8)]
  }
  yield ['position', 0, 1]
  yield ['revision', 0, 1]
}

const flipped = (event: StoredBytes, part: Part, at: number, mask: number): StoredBytes => {
  const value = event[part]
  if (typeof value === 'bigint') return { ...event, [part]: value ^ BigInt(mask) }
  const bytes = Buffer.from(value)
  bytes[at] = (bytes[at] ?? 0) ^ mask
  // A name that is no text any more is shown as it would be read.
  return { ...event, [part]: typeof value === 'string' ? bytes.toString('latin1') : bytes }
}

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)
