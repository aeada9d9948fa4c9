/** The lost end of a log is put back from its mirror. */
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'ava'
import { segmentsIn } from '../../adapters/store/mirror/segments.ts'
import { endOf } from '../../adapters/store/mirror/writer.ts'
import { verifyLog } from '../../src/commands/audit/verify.ts'
import { refillLog } from '../../src/commands/mirror/refill.ts'
import { activeSeller } from '../support/seller.ts'
import { answersOf, eventsOf, examined, live, lived, refused } from './lives.ts'
import { openInstallation } from './stage.ts'

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

test.serial('an orderly stop leaves nothing in the log that its mirror lacks', async (t) => {
  const place = await openInstallation('embedded')
  t.teardown(() => place.stop())
  await place.start()
  await activeSeller(place)
  await place.close()
  const mirrored = endOf((await segmentsIn(place.files.mirror)).map(({ note }) => note))
  t.is(mirrored?.position, (await eventsOf(place)).at(-1)?.position)
})
