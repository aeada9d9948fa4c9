/**
 * Parts that are put back from backups of different times: the service starts on them rightly, or says what does not
 * fit.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { eventsOf, examined, live, lived, refused } from './lives.ts'

test.serial('a log that was put back from a backup is refused, and nothing is sealed', async (t) => {
  const { place } = await lived(t, 'embedded')
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
})

test.serial(
  'a database without the data keys of the log is refused, be it older or new, and nothing is served from it',
  async (t) => {
    const { place } = await lived(t, 'embedded')
    const older = await place.copy()
    await live(place, 3)
    const newer = await place.copy()
    for (const put of [() => place.putBack('database', older), () => place.remove('database')]) {
      await put()
      const events = (await eventsOf(place)).length
      // A mirror that lacks the log's end would be written on by a service that runs.
      if (existsSync(place.files.mirror)) await place.remove('mirror')
      const mirrored = filesUnder(place.files.mirror)
      const { report, message } = await refused(t, place)
      t.deepEqual(
        report.parts.flatMap(({ part, misfit }) => (misfit ? [[part, misfit]] : [])),
        [['data keys', 'keys-missing']],
      )
      t.regex(message, /data keys +– +\d of \d+ subjects +no: \d+ subjects have no key/)
      t.is((await eventsOf(place)).length, events, 'nothing reacted, and nothing was sealed')
      t.deepEqual(filesUnder(place.files.mirror), mirrored, 'the mirror is as it was')
      // Not any more at the next start either, when the read models have come to the log's end.
      await refused(t, place)
      t.like(await examined(place), { ok: false, told: { status: 'unfit' } })
    }
    await place.putBack('database', newer)
    await place.start()
  },
)

/** The files of a folder with their sizes; none of a folder that is not there. */
const filesUnder = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => [name, statSync(join(folder, name)).size])
    : []
