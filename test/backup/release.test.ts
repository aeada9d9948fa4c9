/** The release that was here before, and the way back from a newer one. */
import test from 'ava'
import { readReleaseNote, writeReleaseNote } from '../../adapters/processes/release-note.ts'
import { mustKnowEvents, noteRelease, OlderRelease, thisRelease } from '../../src/parts/release.ts'
import { testDatabase } from '../support/postgres.ts'

test('N-135 a release is refused by name where a newer one has written what it cannot read, with the backup', async (t) => {
  const { sql } = await testDatabase(t)
  const newer = { release: '9.0.0', events: { ...thisRelease.events, AccountSignedUp: 2, ThingFound: 1 } }
  await noteRelease(sql, new Date('2026-11-27T10:00:00Z'), async () => null)
  await noteRelease(sql, new Date('2026-11-28T10:00:00Z'), async ({ release }) => `before-${release}`, newer)
  const error = await t.throwsAsync(mustKnowEvents(sql), { instanceOf: OlderRelease })
  t.regex(error?.message ?? '', /release 9\.0\.0 .* cannot read: AccountSignedUp v2, ThingFound v1/)
  t.regex(error?.message ?? '', new RegExp(`daybook backup restore before-${thisRelease.release}`))
  await t.throwsAsync(
    noteRelease(sql, new Date(), async () => null),
    { instanceOf: OlderRelease },
  )
  t.is((await readReleaseNote(sql))?.release, '9.0.0', 'a refused start notes nothing')
})

test('N-135 an older release that knows every event serves, and backs up once what the other one has left', async (t) => {
  const { sql } = await testDatabase(t)
  const since = '2026-11-28T10:00:00.000Z'
  await writeReleaseNote(sql, { release: '9.0.0', events: thisRelease.events, backup: null, since })
  const made: string[] = []
  const backUp = async ({ release }: { release: string }) => {
    made.push(release)
    return 'a-backup'
  }
  for (let start = 0; start < 2; start++) await noteRelease(sql, new Date(), backUp)
  t.deepEqual(made, ['9.0.0'])
  t.like(await readReleaseNote(sql), { release: thisRelease.release, backup: 'a-backup' })
})
