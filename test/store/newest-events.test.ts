import test from 'ava'
import fc from 'fast-check'
import { newestEvents } from '../../adapters/store/node/newest-events.ts'
import type { StoredEvent } from '../../adapters/store/node/stored-event.ts'

const eventAt = (position: number, bytes = 1): StoredEvent => ({
  position,
  stream: 's',
  revision: position,
  id: String(position),
  type: 'T',
  contentType: 'application/json',
  created: 0,
  metadata: new Uint8Array(),
  data: new Uint8Array(bytes),
})

test('the end of the log in memory shows what was written, in order and to the last event, or sends the reader to the disk', (t) => {
  const page = fc.record({ length: fc.integer({ min: 1, max: 3_000 }), step: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(fc.array(page, { maxLength: 8 }), fc.nat(1_000), fc.nat(), fc.nat(2_000), (pages, end, at, count) => {
      const kept = newestEvents(end)
      const all: StoredEvent[] = []
      for (const { length, step } of pages) {
        const from = all.at(-1)?.position ?? end
        const added = Array.from({ length }, (_, i) => eventAt(from + (i + 1) * step))
        kept.add(added)
        all.push(...added)
      }
      const last = all.at(-1)?.position ?? end
      const position = at % (last + 2)
      const shown = kept.after(position, count)
      const wanted = all.filter((event) => event.position > position).slice(0, count)
      // Who is at most one generation behind is served from memory; nobody is ever shown a gap.
      if (shown === undefined) t.true(position < end || all.filter((event) => event.position > position).length > 4_096)
      else t.deepEqual(shown, wanted)
    }),
    { numRuns: 60 },
  )
})

test('large events do not pile up in memory', (t) => {
  const kept = newestEvents(-1)
  for (let i = 0; i < 100; i++) kept.add([eventAt(i, 1_048_576)])
  const first = Array.from({ length: 100 }, (_, i) => i - 1).find((position) => kept.after(position, 1) !== undefined)
  t.true(first !== undefined && first >= 80)
  t.is(kept.after(98, 1)?.[0]?.position, 99)
})

test('small events do not keep the large buffers alive that they came in', (t) => {
  const kept = newestEvents(-1)
  const came = new Uint8Array(65_536)
  kept.add([{ ...eventAt(0), data: came.subarray(10, 20), metadata: came.subarray(20, 25) }])
  const [event] = kept.after(-1, 1) ?? []
  t.deepEqual([event?.data.length, event?.metadata.length, event?.data.buffer.byteLength], [10, 5, 15])
})
