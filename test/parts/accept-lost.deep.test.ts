/** Going on without data keys that are gone. */
import { join } from 'node:path'
import test from 'ava'
import { rotateKey } from '../../src/commands/audit/keys.ts'
import { verifyLog } from '../../src/commands/audit/verify.ts'
import { acceptLost } from '../../src/commands/parts/accept.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import { readSealWitness } from '../../src/settings/seal-witness.ts'
import { eventsOf, examined, live, lived, refused } from './lives.ts'
import type { Installation } from './stage.ts'

test.serial('keys that are gone are given up by a command alone, and read as lost and not as erased', async (t) => {
  const { place, people } = await lived(t, 'embedded')
  const older = await place.copy()
  const [late] = await live(place, 1)
  const newer = await place.copy()
  await place.putBack('database', older)
  await t.throwsAsync(accept(place), { message: /start the service once/ })
  t.regex((await refused(t, place)).message, /daybook data-keys accept-lost --reason/)
  await t.throwsAsync(accept(place, ' '), { message: /--reason/ })
  t.like((await accept(place)).told, { lost: 1 })
  t.like(await examined(place), { ok: true })
  const events = await eventsOf(place)
  t.like(events.at(-1), { type: 'DataKeysLost', data: { lost: 1, reason: 'no backup' } })
  await live(place, 1)
  await place.start()
  const emailOf = async (key = '') => /"email":"([^"]*)"/.exec((await place.call('GET', '/v1/me', { key })).text)?.[1]
  t.is(await emailOf(late?.key), '(lost)')
  t.is(await emailOf(people[0]?.key), people[0]?.email)
  await place.close()
  await t.throwsAsync(accept(place), { message: /nothing to accept/ })
  await place.putBack('database', newer)
})

test.serial('when all keys are gone the log is sealed on by a key that nobody vouches for', async (t) => {
  const { place } = await lived(t, 'embedded')
  const before = readSealWitness(place.files.witness)?.publicKeys ?? []
  await place.remove('database')
  await refused(t, place)
  await accept(place)
  await live(place, 1)
  t.like(await examined(place), { ok: true })
  const keys = (await eventsOf(place)).filter(({ type }) => type === 'SealKeyPublished')
  t.deepEqual(
    keys.map(({ data }) => (data as { endorsement: unknown }).endorsement),
    [null, null],
  )
  const after = readSealWitness(place.files.witness)?.publicKeys ?? []
  t.deepEqual(after.slice(0, -1), before)
  const verified = (key: readonly string[], witness = place.files.witness) =>
    place.run((books, _, out) => verifyLog(books, out, { key, witness }))
  t.true((await verified([])).ok, 'this installation knows the key by its journal')
  const none = join(place.dir, 'no-journal')
  t.false((await verified(before, none)).ok, 'who has the old key alone is warned')
  t.true((await verified(after, none)).ok)
  // The next one is vouched for again.
  await place.run((books, config, out) =>
    rotateKey(books, out, () => openDataDir(config).masterKey(), place.files.witness),
  )
  await live(place, 1)
  t.true((await verified(after, none)).ok)
})

const accept = (place: Installation, reason = 'no backup') =>
  place.run((books, config, out) => acceptLost(books, config, out, { reason }))
