import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import test from 'ava'
import type { RecordedEvent } from '../domain/kernel/ports.ts'
import { rebuild, swap } from '../projections/engine/rebuild.ts'
import { SERVING } from '../projections/engine/schema.ts'
import { projections } from '../projections/index.ts'
import { emptyReadModels } from './projections/setup.ts'
import { memoryStore } from './support/memory-store.ts'

/**
 * A log that an older version wrote, and the rows that it made of it (both of commit 17837050): whoever upgrades finds
 * the same in every list. Values are compared as PostgreSQL writes them.
 */

type Row = Readonly<Record<string, string | null>>

const stored = (name: string): string =>
  gunzipSync(readFileSync(new URL(`golden/before/${name}.gz`, import.meta.url))).toString('utf8')

const log = stored('log.jsonl')
  .trimEnd()
  .split('\n')
  .map((line): RecordedEvent => {
    const event = JSON.parse(line)
    const { position, order, revision } = event
    return { ...event, position: BigInt(position), order: BigInt(order), revision: BigInt(revision) }
  })
const rows: Readonly<Record<string, readonly Row[]>> = JSON.parse(stored('rows.json'))

test('a log of an older version gives the rows that the older version made of it', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = memoryStore(log)
  t.true(log.length > 300)
  for (const projection of projections) {
    await rebuild(sql, store, projection)
    await swap(sql, store, projection)
  }
  for (const [table, before] of Object.entries(rows)) {
    const now = await sql<{ row: string }[]>`
      select (select jsonb_object_agg(key, value) from jsonb_each_text(to_jsonb(r)))::text as row
      from ${sql(SERVING)}.${sql(table)} r`
    const shown = now.map(({ row }) => JSON.parse(row) as Row)
    const isOld = namesIn(before)
    t.true(before.length > 0, table)
    t.deepEqual(comparable(shown, isOld), comparable(before, isOld), table)
  }
})

/** The names of the columns, and of what lies in those of them that hold an object. */
const namesIn = (all: readonly Row[]): ReadonlySet<string> =>
  new Set(
    all.flatMap((row) => Object.entries(row).flatMap(([column, value]) => [column, ...innerNames(column, value)])),
  )

const innerNames = (column: string, value: string | null): readonly string[] =>
  Object.keys(objectIn(value) ?? {}).map((name) => `${column}.${name}`)

/** The rows as text, in order. Names that came later are left out. */
const comparable = (all: readonly Row[], isOld: ReadonlySet<string>): readonly string[] =>
  all
    .map((row) => {
      const columns = Object.entries(row).filter(([column]) => isOld.has(column))
      return JSON.stringify(columns.map(([column, value]) => [column, oldIn(column, value, isOld)]))
    })
    .toSorted()

const oldIn = (column: string, value: string | null, isOld: ReadonlySet<string>): unknown => {
  const object = objectIn(value)
  return object ? Object.entries(object).filter(([name]) => isOld.has(`${column}.${name}`)) : value
}

const objectIn = (value: string | null): object | undefined =>
  value?.startsWith('{') ? (JSON.parse(value) as object) : undefined
