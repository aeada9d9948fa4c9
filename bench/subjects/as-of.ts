/**
 * A log of sales with its journal, and the commands that show the books of a past time. Arguments: sales, DATA_DIR, the
 * database's URL, and that of an empty one, where a replay has to begin with the first event.
 */
import { join } from 'node:path'
import { connect } from '../../adapters/postgres/connect.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { BLOCK_LEVELS, journalProjection } from '../../projections/money/journal.ts'
import { type Books, openBooks } from '../../src/books/books.ts'
import { asOf } from '../../src/commands/books/as-of.ts'
import { trialBalance } from '../../src/commands/books/balances.ts'
import type { Output } from '../../src/console/output.ts'
import { readConfig } from '../../src/settings/config.ts'
import { answering } from '../answering.ts'
import { writeSales } from '../sale-log.ts'
import { allSteps } from '../sales.ts'

export type AsOfQuestion = { readonly what: 'fill' | 'replay' | 'books' | 'first' }
export type AsOfFilled = { readonly events: number; readonly logSeconds: number; readonly rowSeconds: number }
/** `read` are the events that were replayed, and `balances` tells whether two ways found the same. */
export type AsOfAnswer = { readonly ms: number; readonly read: number; readonly balances: string }

const SALE_MS = 500
const START = Date.parse('2026-03-02T10:06:00.000Z')

const [sales = '', dir = '', databaseUrl = '', emptyUrl = ''] = process.argv.slice(2)
const atOf = (n: number) => new Date(START + n * SALE_MS).toISOString()
let time = new Date(START)

const fill = async (): Promise<AsOfFilled> => {
  const store = embeddedStore(openCore(join(dir, 'events.db')))
  const sql = connect(databaseUrl, { schema: SERVING })
  const start = performance.now()
  const events = await writeSales(store, allSteps, 0, Number(sales), atOf)
  const filled = performance.now()
  await prepareSchema(sql, SERVING)
  await createMissing(sql, journalProjection)
  await rebuild(sql, store, journalProjection)
  await swap(sql, store, journalProjection)
  await sql`vacuum analyze`
  const built = performance.now()
  // Some time of the newest block that is full: of all times the farthest from an edge, on a log of any length.
  const [block] = await sql<{ min_at: string; max_at: string }[]>`
    select min_at, max_at from journal_blocks where level = ${BLOCK_LEVELS[0]} order by block desc limit 1 offset 1`
  if (!block) throw new Error(`${events} events do not fill a block`)
  time = new Date((Date.parse(block.min_at) + Date.parse(block.max_at)) / 2)
  await sql.end({ timeout: 1 })
  await store.close()
  return { events, logSeconds: (filled - start) / 1_000, rowSeconds: (built - filled) / 1_000 }
}

type Told = { events?: number; trialBalance: readonly { account: string; asset: string; units: bigint }[] }

/** Times a command as the command line runs it, without the start of a process. */
const timed = async (url: string, act: (books: Books, out: Output) => Promise<unknown>): Promise<AsOfAnswer> => {
  let told: Told = { trialBalance: [] }
  const tell = async (value: unknown) => {
    told = value as Told
  }
  const start = performance.now()
  const books = openBooks(readConfig({ DATA_DIR: dir, DATABASE_URL: url, LOG_LEVEL: 'silent' }))
  try {
    await act(books, { json: true, tell, remark: () => {} })
  } finally {
    await books.close()
  }
  const ms = performance.now() - start
  const balances = told.trialBalance.map(({ account, asset, units }) => `${account} ${asset} ${units}`).sort()
  return { ms, read: told.events ?? 0, balances: balances.join() }
}

const replay = (books: Books, out: Output) => asOf(books, out, { time })
const ways = {
  replay: () => timed(databaseUrl, replay),
  books: () => timed(databaseUrl, (books, out) => trialBalance(books, out, { asOf: { time } })),
  first: () => timed(emptyUrl, replay),
}

await answering<AsOfQuestion>(async ({ what }) => (what === 'fill' ? fill() : ways[what]()))
