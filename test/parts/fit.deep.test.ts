/** More of what does not fit, and what does. */
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { examined, live, lived, refused } from './lives.ts'

test.serial(
  'a log that was put back from a backup is refused, and nothing is sealed over EventStoreDB’s protocol',
  async (t) => {
    const { place } = await lived(t, 'eventstoredb')
    const older = await place.copy()
    await live(place, 3)
    const newer = await place.copy()
    await place.putBack('log', older)
    const { report, message } = await refused(t, place)
    t.deepEqual(
      report.parts.map(({ part, fits, misfit }) => [part, fits, misfit]),
      [
        ['log', null, null],
        ['database', false, 'log-older'],
        ['data keys', true, null],
        ['master key', true, null],
        ['mirror', false, 'log-older'],
        ['witness', false, 'log-older'],
      ],
    )
    t.regex(message, /database +\S+ +[\d,]+ · \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +no: \d+ events beyond the log's end/)
    t.regex(message, /The log ends before what the database, the mirror and the witness have seen/)
    const { ok, told } = await examined(place)
    t.deepEqual([ok, told.status], [false, 'unfit'])
    await place.putBack('log', newer)
    t.like(await examined(place), { ok: true, told: { status: 'ok' } })
    await place.start()
    const { json } = await place.call('GET', '/readyz')
    t.deepEqual([json.ready, json.checks.parts.status], [true, 'ok'])
  },
)

test.serial('a log that went on otherwise after it was put back is refused where it parts', async (t) => {
  const { place } = await lived(t, 'embedded')
  const older = await place.copy()
  await live(place, 3)
  const newer = await place.copy()
  await place.putBackAll(older)
  await live(place, 6)
  for (const part of ['database', 'mirror', 'witness'] as const) await place.putBack(part, newer)
  const { report, message } = await refused(t, place)
  t.deepEqual(
    report.parts.flatMap(({ part, misfit }) => (misfit ? [[part, misfit]] : [])),
    [
      ['database', 'log-parted'],
      ['mirror', 'log-parted'],
      ['witness', 'log-parted'],
    ],
  )
  t.regex(message, /its last \d+ events are others in the log/)
  t.regex(message, /goes on otherwise/)
})

test.serial('a database of a former release is told which event it has come to at the first start', async (t) => {
  const { place } = await lived(t, 'embedded')
  const sql = connect(place.env.DATABASE_URL ?? '', { max: 1 })
  const forget = () =>
    sql.unsafe(`alter table daybook.checkpoints drop column event_id, drop column event_at;
      alter table daybook_run.checkpoints drop column event_id, drop column event_at`)
  await forget()
  const older = await place.copy().catch(() => undefined)
  t.is(older, undefined, 'the database is in use')
  await sql.end()
  const former = await place.copy()
  await place.start()
  await place.close()
  const again = connect(place.env.DATABASE_URL ?? '', { max: 1 })
  const [row] = await again`
    select count(event_id)::int as noted from daybook.checkpoints
    where position = (select max(position) from daybook.checkpoints)`
  await again.end()
  t.true(row?.noted > 0)
  // Without such a note what lies beyond the log's end is refused all the same.
  await place.putBack('database', former)
  await live(place, 2)
  const grown = await place.copy()
  await place.putBack('log', former)
  const last = connect(place.env.DATABASE_URL ?? '', { max: 1 })
  await last`update daybook.checkpoints set event_id = null, event_at = null`
  await last`update daybook_run.checkpoints set event_id = null, event_at = null`
  await last.end()
  for (const part of ['mirror', 'witness'] as const) await place.remove(part)
  const { report } = await refused(t, place)
  t.deepEqual(
    report.parts.flatMap(({ part, misfit }) => (misfit ? [[part, misfit]] : [])),
    [['database', 'log-older']],
  )
  await place.putBack('log', grown)
  await place.start()
})

test.serial(
  'data keys that are older than the read models beside them are refused before anything follows the log',
  async (t) => {
    const { place } = await lived(t, 'embedded')
    await live(place, 2)
    const whole = await place.copy()
    const sql = connect(place.env.DATABASE_URL ?? '', { max: 1 })
    const [numbered] = await sql`
    select max(k.place) = max(s.number) as alike from daybook_vault.data_keys k full join daybook.sealed_subjects s using (subject)`
    t.true(numbered?.alike, 'keys are numbered in the transaction in which their subjects are')
    await sql`delete from daybook_vault.data_keys where place = (select max(place) from daybook_vault.data_keys)`
    await sql.end()
    t.regex((await refused(t, place)).message, /1 subject has no key/)
    // Keys that came back without their numbers are counted once, and numbered again.
    await place.putBack('database', whole)
    const again = connect(place.env.DATABASE_URL ?? '', { max: 1 })
    await again`update daybook_vault.data_keys set place = null`
    await again.end()
    await place.start()
    await place.close()
    const third = connect(place.env.DATABASE_URL ?? '', { max: 1 })
    const [row] = await third`
    select max(k.place)::int as keys, max(s.number)::int as subjects from daybook_vault.data_keys k
    full join daybook.sealed_subjects s using (subject)`
    await third.end()
    t.true(row?.subjects > 3 && row?.keys === row?.subjects)
  },
)

test.serial('log, database, mirror and witness that are older together are served', async (t) => {
  const { place } = await lived(t, 'embedded')
  const older = await place.copy()
  await live(place, 2)
  await place.putBackAll(older)
  await place.start()
  t.is((await place.call('GET', '/readyz')).status, 200)
})
