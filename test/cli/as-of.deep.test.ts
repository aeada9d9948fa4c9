/**
 * The books of any place and time of a log of several blocks, by commands that run on the log and the database
 * themselves.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import fc from 'fast-check'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedStore } from '../../adapters/store/node/embedded.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { FINE, journalProjection } from '../../projections/money/journal.ts'
import { type Books, openBooks } from '../../src/books/books.ts'
import { asOf } from '../../src/commands/books/as-of.ts'
import { trialBalance } from '../../src/commands/books/balances.ts'
import { diff } from '../../src/commands/books/diff.ts'
import { migrate } from '../../src/commands/log/migrate.ts'
import type { AsOf } from '../../src/console/arguments.ts'
import type { Output } from '../../src/console/output.ts'
import { readConfig } from '../../src/settings/config.ts'
import { world } from '../../src/settings/world.ts'
import { createDatabase } from '../support/postgres.ts'
import { tempDir } from './daybook.ts'

type Place = { dir: string; databaseUrl: string; drop(): void }
const test = anyTest as TestFn<Place>

/** A block is soon full of events of this size. */
const PADDING = 'x'.repeat(240_000)
const EVENTS = 180
const START = Date.parse('2026-03-02T10:00:00.000Z')
const HOUR_MS = 3_600_000

test.before(async (t) => {
  const [dir, { url, drop }] = await Promise.all([tempDir(), createDatabase()])
  t.context = { dir, databaseUrl: url, drop }
  await mkdir(join(dir, 'data'))
  await write(join(dir, 'data'), 0, EVENTS / 2)
})

test.after.always(async (t) => {
  t.context.drop?.()
  if (t.context.dir) await rm(t.context.dir, { recursive: true, force: true })
})

test.serial('without a read model the books are replayed from the first event', async (t) => {
  const log = await logOf(t.context, 'data')
  const told = await right(t.context, 'data', log, { position: log.at(-1)?.position ?? 0n })
  t.deepEqual([told.events, told.snapshot], [EVENTS / 2, null])
})

test.serial('they are replayed from the nearest block on, also past what the read model has', async (t) => {
  await onBooks(t.context, 'data', async (books) => {
    const sql = await books.sql({ create: true })
    await prepareSchema(sql, SERVING)
    await createMissing(sql, journalProjection)
    await rebuild(sql, await books.store(), journalProjection)
    await swap(sql, await books.store(), journalProjection)
  })
  await anywhere(t.context, 'data', EVENTS / 2)
  await write(join(t.context.dir, 'data'), EVENTS / 2, EVENTS)
  await anywhere(t.context, 'data', EVENTS / 2)
  const log = await logOf(t.context, 'data')
  const late = await right(t.context, 'data', log, { position: log.at(-1)?.position ?? 0n })
  t.true(late.snapshot !== null && late.events < (EVENTS * 2) / 3, 'what the read model has is not read again')
})

test.serial('a log that was moved has the same books, at its own positions', async (t) => {
  const { dir } = t.context
  const before = await logOf(t.context, 'data')
  await mkdir(join(dir, 'moved'))
  await onBooks(t.context, 'data', (books, out) =>
    migrate(books, out, readConfig({ DATA_DIR: join(dir, 'data') }), {
      to: `file:${join(dir, 'moved', 'events.db')}`,
    }),
  )
  await write(join(dir, 'moved'), EVENTS, EVENTS + 20)
  const after = await logOf(t.context, 'moved')
  t.true(after.some((event, at) => at < EVENTS && event.position !== before[at]?.position))
  await anywhere(t.context, 'moved', EVENTS / 2)
})

test.serial('what lies between two positions is what the books differ by', async (t) => {
  const log = await logOf(t.context, 'moved')
  const [first, second] = [log[40], log[110]]
  if (!first || !second) return t.fail()
  const told = await onBooks(t.context, 'moved', (books, out) =>
    diff(books, out, { from: first.position, to: second.position }),
  )
  const between = log.slice(41, 111)
  t.is(told.events, between.length)
  t.deepEqual(unitsOf(told.movements), folded(between))
  t.true(told.balanced)
  t.deepEqual(told.streams, [{ kind: 'creditAccount', touched: 3, begun: 0 }])
  const own = await onBooks(t.context, 'moved', (books, out) =>
    diff(books, out, { from: first.position, to: second.position, account: 'acc_1' }),
  )
  t.is(own.events, between.filter(({ stream }) => stream.endsWith('acc_1')).length)
  await t.throwsAsync(
    onBooks(t.context, 'moved', (books, out) => diff(books, out, { from: second.position, to: first.position })),
    { name: 'BadSetting', message: /^the second position \(\d+\) is before the first/ },
  )
})

/** Any place and any time, at the edges of blocks too. */
const anywhere = async (place: Place, data: string, inReadModel: number) => {
  const log = await logOf(place, data)
  const atEdge = log.filter(({ order }, at) => order >> BigInt(FINE) !== (log[at - 1]?.order ?? 0n) >> BigInt(FINE))
  const near = fc.oneof(fc.constantFrom(...log), fc.constantFrom(...(atEdge.length > 0 ? atEdge : log)))
  const end = fc.oneof(
    fc.tuple(near, fc.bigInt({ min: -1n, max: 1n })).map(([{ position }, by]): AsOf => ({ position: position + by })),
    near.map(({ at }): AsOf => ({ time: new Date(at) })),
  )
  await fc.assert(
    fc.asyncProperty(end, async (end) => void (await right(place, data, log, end, inReadModel))),
    { numRuns: 7 },
  )
}

/** The command says what adding up the log says, and so does the read model where it has come so far. */
const right = async (place: Place, data: string, log: readonly RecordedEvent[], end: AsOf, inReadModel = 0) => {
  const told = await onBooks(place, data, (books, out) => asOf(books, out, end))
  const wanted = log.filter((event) =>
    'position' in end ? event.position <= end.position : Date.parse(event.at) <= end.time.getTime(),
  )
  same(unitsOf(told.trialBalance), folded(wanted))
  if (told.events > 0 && 'position' in end) same(told.position, String(wanted.at(-1)?.position))
  if (inReadModel === 0 || wanted.some((event) => log.indexOf(event) >= inReadModel)) return told
  const read = await onBooks(place, data, (books, out) => trialBalance(books, out, { asOf: end }))
  same(unitsOf(read.trialBalance), folded(wanted))
  return told
}

type Row = { account: string; asset: string; units: string }
type Told = {
  events: number
  position: string
  balanced: boolean
  snapshot: object | null
  trialBalance: readonly Row[]
  movements: readonly Row[]
  streams: readonly object[]
}

const onBooks = async (
  { dir, databaseUrl }: Place,
  data: string,
  act: (books: Books, out: Output) => Promise<unknown>,
): Promise<Told> => {
  const books = openBooks(readConfig({ DATA_DIR: join(dir, data), DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' }))
  let told: Told | undefined
  const tell = async (value: unknown) => {
    told = JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)))
  }
  try {
    await act(books, { json: true, tell, remark: () => {} })
  } finally {
    await books.close()
  }
  return told as Told
}

const logOf = async ({ dir }: Place, data: string): Promise<readonly RecordedEvent[]> =>
  withStore(join(dir, data), async (store) => (await Array.fromAsync(store.readAll(-1n))).flat())

/** Events from number `from` to `to - 1`, by three sellers, with clocks that are hours apart now and then. */
const write = (dir: string, from: number, to: number) =>
  withStore(dir, async (store) => {
    for (let n = from; n < to; n++) {
      const stream = `creditAccount-acc_${n % 3}`
      const revision = BigInt(Math.floor(n / 3)) - 1n
      const at = new Date(START + n * HOUR_MS + (n % 7 === 0 ? 9 : 0) * HOUR_MS).toISOString()
      const meta = { v: 1, at, cause: { actor: 'test', correlationId: 'req_1' } }
      const type = n % 5 === 4 ? 'CreditDebited' : 'CreditGranted'
      const what = { amount: String(n * 7 + 1), reason: 'top-up', ref: String(n), source: String(n), position: '1' }
      const data = { ...what, owed: '0', points: 0, padding: PADDING }
      await store.append(stream, revision, [{ id: world.uuidFrom(String(n)), type, data, meta }])
    }
  })

const withStore = async <T>(dir: string, act: (store: EventStore) => Promise<T>): Promise<T> => {
  const store = embeddedStore(openCore(join(dir, 'events.db')))
  try {
    return await act(store)
  } finally {
    await store.close()
  }
}

const folded = (events: readonly RecordedEvent[]): Record<string, string> => {
  const held: Record<string, bigint> = {}
  for (const event of events)
    for (const { account, asset, amount } of postingsOf(event))
      held[`${account} ${asset}`] = (held[`${account} ${asset}`] ?? 0n) + BigInt(amount)
  return Object.fromEntries(Object.entries(held).map(([name, units]) => [name, String(units)]))
}

const unitsOf = (rows: readonly Row[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ account, asset, units }) => [`${account} ${asset}`, units]))

const same = (actual: unknown, expected: unknown) => {
  const [a, b] = [actual, expected].map((each) =>
    JSON.stringify(typeof each === 'object' ? Object.entries(each ?? {}).sort() : each),
  )
  if (a !== b) throw new Error(`expected ${b} but got ${a}`)
}
