/** Events as lines: the same through every store and in every copy, with their bytes as they are stored. */
import test from 'ava'
import fc from 'fast-check'
import { copyOf, type StoredBytes } from '../../adapters/store/base/bytes.ts'
import { type LogLine, lineOf } from '../../adapters/store/base/log-line.ts'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { placeOf } from '../../adapters/store/node/embedded-bytes.ts'
import { plainLine } from '../support/log-lines.ts'
import { newEvent } from './events.ts'
import { newNode } from './open.ts'

const json = (value: object) => Buffer.from(JSON.stringify(value))
const META = json({ v: 1, at: '2026-11-20T10:00:00.000Z', cause: { actor: 'a', correlationId: 'c' } })

const event = (over: Partial<StoredBytes> = {}): StoredBytes => ({
  id: '0198f3a1-7c4e-8d21-9b3f-5a6c7d8e9f01',
  stream: 'thing-1',
  revision: 2n,
  position: 77n,
  type: 'ThingDone',
  contentType: 'application/json',
  metadata: META,
  data: json({ n: 1 }),
  ...over,
})

test('a line holds the stored bytes as they are, and is read as JSON', (t) => {
  const data = Buffer.from('{ "b":1.0,  "a":"é\\u00e9" }')
  const { line, order, position, type } = lineOf(event({ data }), 1_000n)
  t.deepEqual({ order, position, type }, { order: 1_077n, position: 77n, type: 'ThingDone' })
  t.true(line.endsWith(`"bytes":[${META.length},${data.length}],"metadata":${META},"data":${data}}`))
  t.like(JSON.parse(line), {
    order: '1077',
    stream: 'thing-1',
    revision: 2,
    type: 'ThingDone',
    data: { b: 1, a: 'éé' },
  })
})

test('what is no text, or would end the line, stands in base64', (t) => {
  for (const data of [Buffer.from([0x7b, 0xff, 0x7d]), Buffer.from('{\n}')]) {
    const { line } = lineOf(event({ data }), 0n)
    t.false(line.includes('\n'))
    t.is(JSON.parse(line).data, data.toString('base64'))
    t.not(line, lineOf(event({ data: Buffer.from(JSON.stringify(data.toString('base64'))) }), 0n).line)
  }
})

test('a copy has the same line as the event that it was made from', (t) => {
  const copied = copyOf(event(), 1_000n)
  t.deepEqual(plainLine(lineOf({ ...copied, position: 5n }, 9n)), {
    ...plainLine(lineOf(event(), 1_000n)),
    position: 5n,
  })
})

test('two events that differ anywhere have two lines', (t) => {
  const part = fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.json().map(Buffer.from))
  const name = fc.string({ unit: 'grapheme', maxLength: 6 })
  const any = fc.record({
    id: name,
    stream: name,
    revision: fc.bigInt(0n, 3n),
    position: fc.bigInt(0n, 3n),
    type: name,
    contentType: name,
    metadata: part,
    data: part,
  })
  const same = (a: StoredBytes, b: StoredBytes) =>
    (['id', 'stream', 'revision', 'position', 'type', 'contentType'] as const).every((k) => a[k] === b[k]) &&
    Buffer.compare(a.metadata, b.metadata) === 0 &&
    Buffer.compare(a.data, b.data) === 0
  fc.assert(
    fc.property(any, any, (a, b) => (lineOf(a, 0n).line === lineOf(b, 0n).line) === same(a, b)),
    { numRuns: 2_000 },
  )
  t.pass()
})

test('the lines of a log are those of its bytes, in the process and through the client of EventStoreDB', async (t) => {
  const { core, url } = await newNode(t)
  const here = placeOf(core, 'log.db')
  const there = eventStoreDbPlace(url, 'there', () => {})
  t.teardown(() => there.close())
  for (let at = 0; at < 3; at++)
    await here.store.append('thing', BigInt(at - 1), [newEvent('One', { text: ['plain', 'é ☃', '\ufffd'][at] })])
  await core.append('odd', -1, [
    { ...event({ id: crypto.randomUUID() }), contentType: 'application/octet-stream', data: new Uint8Array([0xff]) },
  ])
  const end = BigInt(core.last())
  const expected: LogLine[] = (await Array.fromAsync(here.bytes.readAll(-1n, end))).flat().map((e) => lineOf(e, 0n))
  t.is(expected.length, 4)
  for (const { bytes } of [here, there]) {
    t.deepEqual((await Array.fromAsync(bytes.readLines(-1n, end))).flat(), expected)
    const [, second] = expected
    t.deepEqual((await Array.fromAsync(bytes.readLines(second?.position ?? 0n, end))).flat(), expected.slice(2))
    for (const line of expected) t.deepEqual(await bytes.lineAt(line.position), line)
    t.is(await bytes.lineAt(end + 7n), undefined)
  }
})
