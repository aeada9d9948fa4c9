/** The lost end of a log is put back from its mirror. */
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'ava'
import { verifyLog } from '../../src/commands/audit/verify.ts'
import { refillLog } from '../../src/commands/mirror/refill.ts'
import { answersOf, examined, live, lived, refused } from './lives.ts'

test.serial('a log that was put back from a backup is refilled from its mirror, and answers as before', async (t) => {
  const { place, people } = await lived(t, 'embedded')
  const older = await place.copy()
  people.push(...(await live(place, 3)))
  const before = await answersOf(place, people)
  await place.putBack('log', older)
  t.regex(
    (await refused(t, place)).message,
    /daybook mirror refill +appends the \d+ events from the mirror, byte for byte/,
  )
  const { told } = await place.run((books, config, out) => refillLog(books, config, out))
  t.true(told.events > 0)
  t.is(told.beyond, 0)
  t.like(await examined(place), { ok: true, told: { status: 'ok' } })
  t.true((await place.run((books, _, out) => verifyLog(books, out, { key: [], witness: place.files.witness }))).ok)
  t.deepEqual(await answersOf(place, people), before)
  // What comes afterwards is sealed, followed and mirrored as ever.
  await live(place, 1)
  t.like(await examined(place), { ok: true })
  t.true(readdirSync(dirname(place.files.mirror)).some((name) => /^mirror-\d/.test(name)))
})
