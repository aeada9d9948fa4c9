/** A log is put back from its mirror over the protocol, from nothing, and not where it may not be. */
import { readdirSync } from 'node:fs'
import { dirname } from 'node:path'
import test from 'ava'
import { verifyLog } from '../../src/commands/audit/verify.ts'
import { refillLog } from '../../src/commands/mirror/refill.ts'
import { beginRefill, carryOutRefill } from '../../src/migration/refill.ts'
import { signUp } from '../support/seller.ts'
import { answersOf, examined, live, lived, refused } from './lives.ts'

test.serial(
  'a log that was put back from a backup is refilled from its mirror, and answers as before over EventStoreDB’s protocol',
  async (t) => {
    const { place, people } = await lived(t, 'eventstoredb')
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
  },
)

test.serial('a log that was lost altogether is refilled from its mirror', async (t) => {
  const { place, people } = await lived(t, 'embedded')
  const before = await answersOf(place, people)
  await place.remove('log')
  await refused(t, place)
  // Cut off half way, it is nothing that could be served, and goes on where it was.
  const cutOff = place.run(async (books) => {
    const refill = await beginRefill(await books.place(), place.files.mirror, place.files.witness, () => {})
    let appended = 0
    await carryOutRefill(refill, () => {
      if (++appended === 7) throw new Error('cut off')
    })
  })
  await t.throwsAsync(cutOff, { message: 'cut off' })
  await t.throwsAsync(place.start())
  await place.close()
  await place.run((books, config, out) => refillLog(books, config, out))
  t.deepEqual(await answersOf(place, people), before)
  await live(place, 1)
  t.like(await examined(place), { ok: true })
})

test.serial(
  'nothing is put back into a log that went on otherwise, and a mirror that was changed puts nothing back',
  async (t) => {
    const { place } = await lived(t, 'embedded')
    const older = await place.copy()
    await live(place, 2)
    const newer = await place.copy()
    const refill = () => place.run((books, config, out) => refillLog(books, config, out))
    await t.throwsAsync(refill(), { message: /mirror_shorter/ })
    await place.putBackAll(older)
    await live(place, 1)
    await place.putBack('mirror', newer)
    await t.throwsAsync(refill(), { message: /mirror_parted/ })
    place.env.LOG_MIRROR = 'off'
    await t.throwsAsync(refill(), { message: /there is no mirror to refill the log from/ })
    t.is((await place.start()) && (await signUp(place)).key.length > 0, true)
    await t.throwsAsync(refill(), { message: /service_running/ })
  },
)
