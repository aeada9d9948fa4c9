/** A server's log is put back from a backup while the service runs. */
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { eventsOf, live, lived } from './lives.ts'
import type { Installation } from './stage.ts'

test.serial('a service whose log was put back under it answers no 200 to what it would forget', async (t) => {
  const { place } = await lived(t, 'eventstoredb')
  let number = 0
  const signUpAnswer = () =>
    place.call('POST', '/v1/signup', {
      body: { email: `put-back-${number++}@example.com`, password: 'correct horse' },
    })
  const older = await place.copy()
  await live(place, 3)
  await place.start()
  t.is((await signUpAnswer()).status, 200)
  await place.swapLog(older)
  t.is((await signUpAnswer()).status, 503, 'not even the first')
  const before = (await eventsOf(place)).length
  for (let n = 0; n < 20; n++) t.is((await signUpAnswer()).status, 503)
  t.is((await eventsOf(place)).length, before)
  const { status, json } = await place.call('GET', '/readyz')
  t.deepEqual([status, json.checks.event_store], [503, 'down'])
})

test.serial(
  'a service that has written nothing since its start finds out by itself that its log was put back',
  async (t) => {
    const { place } = await lived(t, 'eventstoredb')
    const older = await place.copy()
    await live(place, 3)
    await place.start()
    t.is((await place.call('GET', '/readyz')).status, 200)
    await place.swapLog(older)
    await eventually('it is not ready', async () => {
      const { status, json } = await place.call('GET', '/readyz')
      return status === 503 && json.checks.event_store === 'down'
    })
    await appendsNothing(t, place)
  },
)

test.serial(
  'a service finds out by itself that the log under it has gone on otherwise and is longer, and appends nothing',
  async (t) => {
    const { place } = await lived(t, 'eventstoredb')
    const older = await place.copy()
    await live(place, 3)
    const own = await place.copy()
    await place.putBackAll(older)
    await live(place, 6)
    const other = await place.copy()
    await place.putBackAll(own)
    await place.start()
    t.is((await place.call('GET', '/readyz')).status, 200)
    await place.swapLog(other)
    const { parts } = await eventually('nothing is appended', async () => {
      const { status, json } = await place.call('GET', '/readyz')
      return status === 503 && json.checks.event_store === 'down' && json.checks.parts
    })
    t.like(parts[0], { part: 'log', fits: false, misfit: 'log-parted' })
    await appendsNothing(t, place)
  },
)

const appendsNothing = async (t: ExecutionContext, place: Installation) => {
  const before = (await eventsOf(place)).length
  const body = { email: 'too-late@example.com', password: 'correct horse' }
  t.is((await place.call('POST', '/v1/signup', { body })).status, 503)
  t.is((await eventsOf(place)).length, before)
}
