/** The event store inside the process: the port over the embedded node, without a network between. */
import { setImmediate as turn } from 'node:timers/promises'
import { type EventStore, type Recorded, WrongRevision } from '../../domain/ports.ts'
import { PAGE_EVENTS } from './limits.ts'
import { StaleAppend } from './node/appends.ts'
import type { Core } from './node/core.ts'
import type { StoredEvent } from './node/log.ts'
import { encoded, isSystem, recorded } from './recorded.ts'

/** The port over an open node. `close()` closes the node with it. A subscription ends when its signal aborts or the node closes. */
export const embeddedStore = (core: Core): EventStore => ({
  append: async (stream, expected, events) => {
    const list = encoded(stream, events).map((event) => ({ ...event, contentType: 'application/json' }))
    try {
      const { revision, position } = await core.append(stream, Number(expected), list)
      return { revision: BigInt(revision), position: BigInt(position) }
    } catch (error) {
      if (error instanceof StaleAppend) throw new WrongRevision(error.message, { cause: error })
      throw error
    }
  },
  read: (stream, from = 0n) => readStream(core, stream, Math.max(0, Number(from))),
  readAll: (after) => readAll(core, Number(after)),
  subscribe: (after, signal) => subscribe(core, Number(after), signal),
  head: async () => head(core),
  close: () => core.close(),
})

async function* subscribe(core: Core, after: number, signal: AbortSignal): AsyncGenerator<readonly Recorded[]> {
  let position = after
  while (!signal.aborted && !core.closed()) {
    const page = core.readAll(position, PAGE_EVENTS, 'forwards')
    const newest = page.at(-1)
    if (!newest) {
      await core.grown(position, signal)
      continue
    }
    position = newest.position
    const shown = page.filter((event) => !isSystem(event)).map(fromStored)
    if (shown.length > 0) yield shown
    await turn()
  }
}

// A consumer that never leaves the microtask queue would starve everyone else, so each page gives the event loop a turn.
async function* readAll(core: Core, after: number): AsyncGenerator<readonly Recorded[]> {
  const end = core.last()
  for (let position = after; position < end; ) {
    const page = core.readAll(position, PAGE_EVENTS, 'forwards')
    position = page.at(-1)?.position ?? end
    const shown = page.filter((event) => !isSystem(event)).map(fromStored)
    if (shown.length > 0) yield shown
    await turn()
  }
}

async function* readStream(core: Core, stream: string, from: number): AsyncGenerator<readonly Recorded[]> {
  for (let revision = from; ; ) {
    const page = core.readStream(stream, revision, PAGE_EVENTS, 'forwards')
    const newest = page.at(-1)
    if (!newest) return
    revision = newest.revision + 1
    const shown = page.filter((event) => !isSystem(event)).map(fromStored)
    if (shown.length > 0) yield shown
    if (revision > core.head(stream)) return
    await turn()
  }
}

const head = (core: Core): bigint => {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = core.readAll(before, PAGE_EVENTS, 'backwards')
    const newest = page.find((event) => !isSystem(event))
    if (newest) return BigInt(newest.position)
    const oldest = page.at(-1)
    if (!oldest) return -1n
    before = oldest.position
  }
}

const fromStored = (event: StoredEvent): Recorded =>
  recorded({ ...event, revision: BigInt(event.revision), position: BigInt(event.position) })
