/** The embedded node's log byte for byte. */
import { setImmediate as turn } from 'node:timers/promises'
import { WrongRevision } from '../../../domain/kernel/ports.ts'
import { ledgerRules } from '../../../domain/write-side/readable.ts'
import type { ByteLog, LogPlace, StoredBytes } from '../base/bytes.ts'
import type { ReadingWarning } from '../base/event-reading.ts'
import { PAGE_EVENTS } from '../base/limits.ts'
import { isDoubtful, type LogLine, lineOf } from '../base/log-line.ts'
import { baseOf, type LogStore } from '../base/origin.ts'
import { isSystem } from '../base/recorded.ts'
import { StaleAppend } from './appends.ts'
import { type Core, type CoreOptions, openCore } from './core.ts'
import { embeddedStore } from './embedded.ts'
import type { StoredText } from './stored-event.ts'

/** Opens the log in a file, or makes it. Throws when another process has it open. */
export const embeddedPlace = (file: string, options?: CoreOptions): LogPlace => placeOf(openCore(file, options), file)

/** The log of an open node, as the ledger reads it; `file` is where it is. Closing it closes the node. */
export const placeOf = (core: Core, file: string, warn?: ReadingWarning): LogPlace => {
  const store = embeddedStore(core, { rules: ledgerRules, ...(warn && { warn }) })
  return { name: `file:${file}`, store, bytes: bytesOf(core, store), close: () => core.close() }
}

/**
 * The node decides where an append stands at the moment of the call, and commits in that order; so many may share a
 * flush of the disk.
 */
const APPENDS_IN_ORDER = 32

const bytesOf = (core: Core, store: LogStore): ByteLog => ({
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
  lineAt: async (position) => {
    const [event] = core.readAll(Number(position) - 1, 1, 'forwards')
    if (!event || BigInt(event.position) !== position || isSystem(event)) return undefined
    return lineOf(numbered(event), await baseOf(store))
  },
  readLines: async function* (after, until) {
    const base = await baseOf(store)
    yield* readLines(core, base, Number(after), Number(until))
  },
})

async function* readAll(core: Core, after: number, until: number): AsyncGenerator<readonly StoredBytes[]> {
  for (let position = after; position < until; ) {
    const page = core.readAll(position, PAGE_EVENTS, 'forwards')
    position = page.at(-1)?.position ?? until
    const shown = page.filter((event) => !isSystem(event) && event.position <= until)
    yield shown.map(numbered)
    await turn()
  }
}

/**
 * Lines of one page, fewer than elsewhere: whatever is alive when the garbage collector runs makes it ask for more
 * memory, and an audit reads for long.
 */
const LINES_PAGE = 100

/** Reads events as text, which takes a third of the time; those that may not be text are read again as bytes. */
async function* readLines(core: Core, base: bigint, after: number, until: number): AsyncGenerator<readonly LogLine[]> {
  for (let position = after; position < until; ) {
    const page = core.readText(position, LINES_PAGE)
    position = page.at(-1)?.position ?? until
    const lines: LogLine[] = []
    for (const event of page)
      if (event.position <= until && !isSystem(event))
        lines.push(lineOf(isDoubtful(event) ? bytesAt(core, event) : event, base))
    yield lines
    await turn()
  }
}

const bytesAt = (core: Core, event: StoredText) => core.readAll(event.position - 1, 1, 'forwards')[0] ?? event

const numbered = <E extends { readonly revision: number; readonly position: number }>(event: E) => ({
  ...event,
  revision: BigInt(event.revision),
  position: BigInt(event.position),
})
