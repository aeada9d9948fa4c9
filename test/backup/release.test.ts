/** The release that was here before, and the way back from a newer one. */
import test from 'ava'
import { readReleaseNote, writeReleaseNote } from '../../adapters/processes/release-note.ts'
import { prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { mustKnowEvents, noteRelease, OlderRelease, thisRelease } from '../../src/parts/release.ts'
import { testDatabase } from '../support/postgres.ts'

test('N-135 a release is refused by name where a newer one has written what it cannot read, with the backup', async (t) => {
  const { sql } = await testDatabase(t)
  const newer = { release: '9.0.0', events: { ...thisRelease.events, AccountSignedUp: 2, ThingFound: 1 } }
  await noteRelease(sql, new Date('2026-11-27T10:00:00Z'), async () => null)
  await noteRelease(sql, new Date('2026-11-28T10:00:00Z'), async (before) => `before-${before?.release}`, newer)
  const error = await t.throwsAsync(mustKnowEvents(sql), { instanceOf: OlderRelease })
  t.regex(error?.message ?? '', /release 9\.0\.0 .* cannot read: AccountSignedUp v2, ThingFound v1/)
  t.regex(error?.message ?? '', new RegExp(`daybook backup restore before-${thisRelease.release}`))
  await t.throwsAsync(
    noteRelease(sql, new Date(), async () => null),
    { instanceOf: OlderRelease },
  )
  t.is((await readReleaseNote(sql))?.release, '9.0.0', 'a refused start notes nothing')
})

test('N-135 a release that knows every event serves, and one of its processes backs up what another release has left', async (t) => {
  const { sql } = await testDatabase(t)
  const since = '2026-11-28T10:00:00.000Z'
  await writeReleaseNote(sql, { release: '9.0.0', events: thisRelease.events, backup: null, since })
  const made: string[] = []
  const backUp = async (before: { release: string } | undefined) => {
    made.push(before?.release ?? 'none')
    return 'a-backup'
  }
  await Promise.all([1, 2, 3].map(() => noteRelease(sql, new Date(), backUp)))
  t.deepEqual(made, ['9.0.0'])
  t.like(await readReleaseNote(sql), { release: thisRelease.release, backup: 'a-backup' })
})

test('N-135 what was left by a release that noted nothing is backed up, and a new installation is not', async (t) => {
  const { sql } = await testDatabase(t)
  const made: unknown[] = []
  const backUp = async (before: unknown) => {
    made.push(before)
    return 'a-backup'
  }
  await noteRelease(sql, new Date(), backUp)
  t.deepEqual(made, [])
  await sql`drop table daybook_run.release`
  await prepareSchema(sql, SERVING)
  await noteRelease(sql, new Date(), backUp)
  t.deepEqual(made, [undefined])
  t.like(await readReleaseNote(sql), { release: thisRelease.release, backup: 'a-backup' })
})
