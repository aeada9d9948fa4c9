/** The embedded node's log byte for byte. */
import { setImmediate as turn } from 'node:timers/promises'
import { WrongRevision } from '../../domain/ports.ts'
import type { ByteLog, LogPlace, StoredBytes } from './bytes.ts'
import { embeddedStore } from './embedded.ts'
import { PAGE_EVENTS } from './limits.ts'
import { StaleAppend } from './node/appends.ts'
import { type Core, openCore } from './node/core.ts'
import { isSystem } from './recorded.ts'

/** Opens the log in a file, or makes it. Throws when another process has it open. */
export const embeddedPlace = (file: string): LogPlace => {
  const core = openCore(file)
  return { name: `file:${file}`, store: embeddedStore(core), bytes: bytesOf(core), close: () => core.close() }
}

/** The node decides where an append stands at the moment of the call, and commits in that order; so many may share a flush of the disk. */
const APPENDS_IN_ORDER = 32

const bytesOf = (core: Core): ByteLog => ({
  appendsInOrder: APPENDS_IN_ORDER,
  append: async (stream, expected, events) => {
    try {
      await core.append(stream, Number(expected), events)
    } catch (error) {
      if (error instanceof StaleAppend) throw new WrongRevision(error.message, { cause: error })
      throw error
    }
  },
  readAll: (after, until) => readAll(core, Number(after), Number(until)),
})

async function* readAll(core: Core, after: number, until: number): AsyncGenerator<readonly StoredBytes[]> {
  for (let position = after; position < until; ) {
    const page = core.readAll(position, PAGE_EVENTS, 'forwards')
    position = page.at(-1)?.position ?? until
    const shown = page.filter((event) => !isSystem(event) && event.position <= until)
    yield shown.map((event) => ({ ...event, revision: BigInt(event.revision), position: BigInt(event.position) }))
    await turn()
  }
}
