/** Going on without data keys that are gone. */
import test from 'ava'
import { acceptLost } from '../../src/commands/parts/accept-lost.ts'
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

const accept = (place: Installation, reason = 'no backup') =>
  place.run((books, config, out) => acceptLost(books, config, out, { reason }))
