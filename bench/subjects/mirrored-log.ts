/**
 * The whole log of a node, read and written in one of the ways that there are. Arguments: the node's URL, and a
 * directory for its mirror.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { eventStoreDbPlace } from '../../adapters/store/client/bytes.ts'
import { openKeeper } from '../../adapters/store/mirror/keeper.ts'
import { mirroredStore, openMirror } from '../../adapters/store/mirror/mirror.ts'
import { answering } from '../answering.ts'
import { forgetPeak, peakMb } from '../memory.ts'

export type Way = 'store' | 'mirror' | 'lines' | 'sha256' | 'store-lines' | 'write'

const [url = '', kept = ''] = process.argv.slice(2)
const place = eventStoreDbPlace(url, 'node', () => {})
const mirror = openMirror(place.store, kept, (message) => {
  throw new Error(message)
})

const counted = async (pages: AsyncIterable<readonly unknown[]>): Promise<number> => {
  let events = 0
  for await (const page of pages) events += page.length
  return events
}

/** Writes the mirror from nothing. */
const write = async (): Promise<number> => {
  await rm(kept, { recursive: true, force: true })
  const keeper = await openKeeper({ dir: kept, ...place })
  await keeper?.catchUp(await place.store.head())
  await keeper?.close()
  return 0
}

/** The least work that any reading and check of the segments takes: their bytes from memory, and one hash of each. */
const hashed = () => {
  for (const name of readdirSync(kept).filter((each) => each.endsWith('.jsonl'))) {
    const bytes = readFileSync(join(kept, name))
    createHash('sha256').update(bytes).digest()
  }
  return 0
}

const ways: Readonly<Record<Way, () => Promise<number> | number>> = {
  store: () => counted(place.store.readAll(-1n)),
  mirror: () => counted(mirroredStore(place.store, mirror).readAll(-1n)),
  lines: async () => counted(mirror.lines(-1n, await place.store.head())),
  sha256: hashed,
  'store-lines': async () => counted(place.bytes.readLines(-1n, await place.store.head())),
  write,
}

await answering(
  async ({ way, times }: { way: Way; times: number }) => {
    forgetPeak(process.pid)
    const start = performance.now()
    let events = 0
    for (let time = 0; time < times; time++) events += await ways[way]()
    return { events, ms: performance.now() - start, peakMb: peakMb(process.pid) }
  },
  () => place.close(),
)
