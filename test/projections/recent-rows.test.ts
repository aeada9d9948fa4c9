import test from 'ava'
import fc from 'fast-check'
import type { PipedSql } from '../../adapters/postgres/connect.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { isConcerned } from '../../projections/engine/apply.ts'
import type { Projection, Row, Table } from '../../projections/engine/projection.ts'
import { createRecentRows, type RecentRows, type TableRows } from '../../projections/engine/recent-rows.ts'
import { columnsOf, decodedRow, keyText, rowAsRead, selectList, unnestOf } from '../../projections/engine/row-text.ts'
import { takeStep } from '../../projections/engine/step.ts'
import { projections } from '../../projections/index.ts'
import { anyCharacter } from '../support/any-character.ts'
import { everything, newStore } from '../support/ledger.ts'
import { wholeHistory } from './history.ts'
import { applyAll, contents, emptyReadModels } from './setup.ts'

test('however a history is cut into steps, rows that were kept lead to the same ones as those that are read', async (t) => {
  const { sql } = await emptyReadModels(t)
  const store = newStore(t)
  await wholeHistory(store)
  const events = await everything(store)
  for (const projection of projections) await applyAll(sql, projection, events)
  const whole = await contents(sql)
  t.deepEqual(
    await afterSteps(
      sql,
      events.map((event) => [event]),
    ),
    whole,
  )
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat({ max: events.length }), { maxLength: 60 }), async (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), events.length]
      t.deepEqual(
        await afterSteps(
          sql,
          ends.map((end, i) => events.slice(ends[i - 1] ?? 0, end)),
        ),
        whole,
      )
    }),
    { numRuns: 4 },
  )
})

test('a kept row is what reading it would answer, whatever was written', async (t) => {
  const { sql } = await emptyReadModels(t, [])
  const columns = Object.entries(odd.columns).map(([column, type]) => `${column} ${type}`)
  await sql.unsafe(`create table odd (${columns.join()})`)
  let kept = 0
  await fc.assert(
    fc.asyncProperty(fc.array(oddRow, { minLength: 1, maxLength: 20 }), async (made) => {
      const rows = made.map((row, n) => ({ ...row, n }))
      await sql`truncate odd`
      const names = Object.keys(odd.columns)
      await sql.unsafe(
        `insert into odd select ${names.join()} from ${unnestOf(odd, names)}`,
        columnsOf(odd, names, rows),
      )
      const read = await sql.unsafe<Row[]>(`select ${selectList(odd)} from odd t order by n`)
      for (const [n, row] of rows.entries()) {
        const answered = decodedRow(odd, read[n] as Row)
        for (const [column, type] of Object.entries(odd.columns)) {
          const known = rowAsRead({ [column]: type }, row)
          if (known === undefined) continue
          kept++
          t.deepEqual(known, { [column]: answered[column] })
        }
      }
    }),
    { numRuns: 60 },
  )
  t.true(kept > 1_000)
})

test('what is known ends with the transaction that wrote it, and goes on over one that came right after it', (t) => {
  const recent = createRecentRows()
  const find = (transaction: string | undefined) => recent.after(transaction).find(marks, keyText(['a']))
  recent.keep({ before: undefined, by: '7' }, [writtenAs(['a', 'first'])])
  t.deepEqual(find('7'), { mark: 'a', note: 'first' })
  t.is(recent.after('7').find(marks, keyText(['b'])), undefined)
  t.is(recent.after('7').highest(marks, 'group'), 3n)
  t.is(find('8'), undefined)
  t.is(find(undefined), undefined)
  recent.keep({ before: '7', by: '9' })
  t.is(find('7'), undefined)
  t.deepEqual(find('9'), { mark: 'a', note: 'first' })
  recent.keep({ before: '9', by: '10' }, [writtenAs(['a', 'second'])])
  t.deepEqual(find('10'), { mark: 'a', note: 'second' })
  recent.keep({ before: '11', by: '12' })
  t.is(find('12'), undefined)
  t.is(recent.after('12').highest(marks, 'group'), undefined)
})

test('a bounded number of rows is kept, those that were written last, and never one as it was before', (t) => {
  const recent = createRecentRows()
  const names = Array.from({ length: 1_000 }, (_, n) => `mark ${n}`)
  const notes = (recent: RecentRows, by: string) =>
    names.flatMap((name) => recent.after(by).find(marks, keyText([name]))?.note ?? [])
  recent.keep({ before: undefined, by: '1' }, [writtenAs(...names.map((name): [string, string] => [name, 'first']))])
  t.is(notes(recent, '1').length, 200)
  t.truthy(recent.after('1').find(marks, keyText(['mark 999'])))
  recent.keep({ before: '1', by: '2' }, [
    writtenAs(...names.toReversed().map((name): [string, string] => [name, 'second'])),
  ])
  t.deepEqual(new Set(notes(recent, '2')), new Set(['second']))
  t.truthy(recent.after('2').find(marks, keyText(['mark 0'])))
  // One that is written again is one of the last.
  const [oldest, next] = names
    .slice(0, 200)
    .toReversed()
    .map((name) => [name] as const)
  recent.keep({ before: '2', by: '3' }, [writtenAs([oldest?.[0] ?? '', 'third'])])
  recent.keep({ before: '3', by: '4' }, [writtenAs(['another', 'fourth'])])
  t.is(recent.after('4').find(marks, keyText(oldest ?? []))?.note, 'third')
  t.is(recent.after('4').find(marks, keyText(next ?? [])), undefined)
})

test('a row is known as PostgreSQL would answer it, and is read where only PostgreSQL can tell', (t) => {
  const recent = createRecentRows()
  const table: Table = { name: 'sums', columns: { name: 'text', sum: 'numeric' }, key: ['name'] }
  const rows = [
    { name: 'nul\u0000', sum: '1.50' },
    { name: 'odd', sum: '+1' },
  ]
  recent.keep({ before: undefined, by: '1' }, [{ table, rows, highest: new Map() }])
  t.deepEqual(recent.after('1').find(table, keyText(['nul\u0000'])), { name: 'nul\ufffd', sum: '1.50' })
  t.is(recent.after('1').find(table, keyText(['odd'])), undefined)
})

test('a row of many characters is not kept, and nothing is known any more of what it was before', (t) => {
  const recent = createRecentRows()
  const note = () => recent.after('1').find(marks, keyText(['a']))?.note
  recent.keep({ before: undefined, by: '1' }, [writtenAs(['a', 'x'.repeat(4_000)])])
  t.is(note(), 'x'.repeat(4_000))
  recent.keep({ before: '1', by: '1' }, [writtenAs(['a', 'x'.repeat(4_096)])])
  t.is(note(), undefined)
  recent.keep({ before: '1', by: '1' }, [writtenAs(['a', 'short'])])
  t.is(note(), 'short')
})

test('a row whose key PostgreSQL may write in another way leaves nothing known of its table', (t) => {
  const recent = createRecentRows()
  const table: Table = { name: 'ids', columns: { id: 'uuid' }, key: ['id'] }
  const id = 'aaaaaaaa-0000-4000-8000-000000000000'
  recent.keep({ before: undefined, by: '1' }, [{ table, rows: [{ id }], highest: new Map() }])
  t.deepEqual(recent.after('1').find(table, keyText([id])), { id })
  recent.keep({ before: '1', by: '2' }, [{ table, rows: [{ id: id.toUpperCase() }], highest: new Map() }])
  t.is(recent.after('2').find(table, keyText([id])), undefined)
})

const marks: Table = { name: 'marks', columns: { mark: 'text', note: 'text' }, key: ['mark'] }

const writtenAs = (...rows: readonly [mark: string, note: string][]): TableRows => ({
  table: marks,
  rows: rows.map(([mark, note]) => ({ mark, note })),
  highest: new Map([['group', 3n]]),
})

/** All rows after each read model has taken these pages, each by a step that knows what those before have written. */
const afterSteps = async (sql: PipedSql, pages: readonly (readonly RecordedEvent[])[]) => {
  for (const { tables } of projections) for (const { name } of tables) await sql`truncate ${sql(name)}`
  await Promise.all(projections.map((projection) => takeAll(sql, projection, pages)))
  return contents(sql)
}

const takeAll = async (sql: PipedSql, projection: Projection, pages: readonly (readonly RecordedEvent[])[]) => {
  const { name, version } = projection
  await sql`update checkpoints set version = ${version}, position = -1 where name = ${name}`
  const recent = createRecentRows()
  let from = -1n
  let written: string | undefined
  for (const page of pages) {
    const to = page.at(-1)
    if (!to || !isConcerned(projection, page)) continue
    written = await takeStep(sql, projection, page, { from, to, written, recent })
    from = to.position
  }
}

const odd: Table = {
  name: 'odd',
  columns: {
    n: 'integer',
    text: 'text',
    uuid: 'uuid',
    numeric: 'numeric',
    bigint: 'bigint',
    integer: 'integer',
    boolean: 'boolean',
    json: 'json',
  },
  key: ['n'],
}

const digits = fc.stringMatching(/^[-+]?0{0,2}\d{1,17}$/)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

/** Values of each type that PostgreSQL takes, in more ways than one. */
const oddRow = fc.record({
  text: nullable(fc.oneof(fc.string({ unit: anyCharacter }), fc.integer(), fc.boolean())),
  uuid: nullable(
    fc.oneof(
      fc.uuid(),
      fc.uuid().map((id) => id.toUpperCase()),
      fc.uuid().map((id) => `{${id}}`),
    ),
  ),
  numeric: nullable(fc.oneof(digits, fc.double({ noNaN: true }), fc.stringMatching(/^-?\d{1,40}(\.\d{1,40})?$/))),
  bigint: nullable(fc.oneof(digits, fc.maxSafeInteger())),
  integer: nullable(fc.oneof(fc.integer(), fc.stringMatching(/^-?0?\d{1,8}$/))),
  boolean: nullable(fc.oneof(fc.boolean(), fc.constantFrom('t', 'yes', 'true', 'off'))),
  json: nullable(fc.jsonValue()),
}) as fc.Arbitrary<Row>
