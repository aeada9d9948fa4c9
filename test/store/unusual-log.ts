/** A log with everything that is unusual in one, and ways to write its mirror and to end that early. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { type Disk, disk } from '../../adapters/store/mirror/disk.ts'
import { openKeeper } from '../../adapters/store/mirror/keeper.ts'
import { segmentsIn } from '../../adapters/store/mirror/segments.ts'
import type { Bounds } from '../../adapters/store/mirror/writer.ts'
import { LOG_STREAM } from '../../domain/audit/log.ts'
import { newEvent, newStream } from './events.ts'
import { newNode } from './open.ts'

/** Segments and batches of a few events. */
export const SMALL: Bounds = { segmentBytes: 1_000_000, segmentEvents: 12, batchBytes: 900 }

/**
 * A store over EventStoreDB's protocol, with what is unusual in a log: copied events, large ones, other alphabets, line
 * feeds, bytes that are no text.
 */
export const unusualLog = async (t: ExecutionContext) => {
  const { core, url } = await newNode(t)
  const place = eventStoreDbPlace(url, 'there', () => {})
  t.teardown(() => place.close())
  const copied = ['20', '5000000000'].map((order) => withOrder(order))
  await place.store.append(newStream(), -1n, copied)
  await place.store.append(LOG_STREAM, -1n, [
    newEvent('LogCopied', { from: randomUUID(), source: 's', events: 2, lastOrder: '5000000000' }),
  ])
  const odd = (data: string | Buffer) => ({
    id: randomUUID(),
    type: 'Odd',
    contentType: 'application/json',
    data: Buffer.from(data),
    metadata: Buffer.from(JSON.stringify(newEvent('Odd').meta)),
  })
  await core.append('odd-1', -1, [
    odd('{\n  "spread": true\n}'),
    odd(Buffer.concat([Buffer.from('{"torn":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')])),
    odd('{"mark":"\ufffd","__proto__":1,"same":1,"same":2}'),
  ])
  const write = async (count: number) => {
    for (let i = 0; i < count; i++)
      await place.store.append(newStream('größe "," \\ €'), -1n, [
        newEvent(i % 9 === 4 ? 'Größe"\\' : 'One', {
          text: 'ж'.repeat(i % 7),
          big: i === 20 ? 'x'.repeat(200_000) : '',
        }),
      ])
  }
  await write(4)
  return { core, place, write }
}

const withOrder = (order: string) => {
  const event = newEvent('Copied')
  return { ...event, meta: { ...event.meta, order } }
}

export type Place = Awaited<ReturnType<typeof unusualLog>>['place']

/** Brings the mirror in a directory up to a position, and closes it. */
export const keep = async (
  place: Pick<Place, 'store' | 'bytes'>,
  dir: string,
  until: bigint,
  on: Disk = disk,
  bounds = SMALL,
) => {
  const keeper = await openKeeper({ dir, ...place }, bounds, on)
  try {
    await keeper?.catchUp(until)
  } finally {
    await keeper?.close()
  }
}

/** Brings the mirror in a directory up to the log. */
export const mirror = async (t: ExecutionContext, place: Place, dir: string, bounds = SMALL) => {
  await keep(place, dir, await place.store.head(), disk, bounds)
  t.true((await segmentsIn(dir)).length > 0)
}

/** The same log in pages of three, so that a segment is made of several batches. */
export const slowly = ({ store, bytes }: Place): Pick<Place, 'store' | 'bytes'> => ({
  store,
  bytes: {
    ...bytes,
    async *readLines(after, until) {
      for await (const page of bytes.readLines(after, until))
        for (let at = 0; at < page.length; at += 3) yield page.slice(at, at + 3)
    },
  },
})

/** Every step from the given one on fails; of a write that is the first of them a part is still done. */
export const endingAfter = (steps: number, part: () => number): Disk => {
  let left = steps
  const step = (act: () => Promise<unknown>, half?: () => Promise<unknown>) => async () => {
    if (left-- > 0) return act()
    if (left === -1) await half?.()
    throw new Error('ended')
  }
  return {
    ...disk,
    open: (...given) => step(() => disk.open(...given))() as ReturnType<Disk['open']>,
    write: async (file, bytes, at) => {
      const some = bytes.subarray(0, Math.floor(bytes.length * part()))
      await step(
        () => disk.write(file, bytes, at),
        () => disk.write(file, some, at),
      )()
    },
    truncate: async (...given) => void (await step(() => disk.truncate(...given))()),
    sync: async (file) => void (await step(() => disk.sync(file))()),
    rename: async (...given) => void (await step(() => disk.rename(...given))()),
  }
}

/** The segments of a mirror and their notes, by name. */
export const contents = async (dir: string): Promise<Record<string, string>> => {
  const names = (await readdir(dir)).filter((name) => /^\d+\.(jsonl|open\.json|sealed\.json)$/.test(name)).sort()
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), 'utf8')] as const)),
  )
}

/** Changes one bit of a file. */
export const flip = async (file: string, place: number) => {
  const bytes = await readFile(file)
  bytes[place] = (bytes[place] ?? 0) ^ 1
  await writeFile(file, bytes)
}
