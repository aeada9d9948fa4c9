/** A log that is taken back to any of its events is found out, and the mirror puts back what it has lost. */
import test from 'ava'
import fc from 'fast-check'
import { refillLog } from '../../src/commands/mirror/refill.ts'
import { PartsUnfit } from '../../src/parts/refusal.ts'
import type { StoreKind } from '../support/app.ts'
import { answersOf, eventsOf, examined, live, lived } from './lives.ts'

const RUNS = 12

const takenBack = (kind: StoreKind, over: string) =>
  test.serial(
    `a log taken back at any event is told by doctor, and answers as before once it is refilled${over}`,
    async (t) => {
      t.timeout(1_800_000)
      const { place, people } = await lived(t, kind)
      people.push(...(await live(place, 2)))
      const answers = await answersOf(place, people)
      const whole = await place.copy()
      const events = await eventsOf(place)
      const last = events.length - 1
      const at = fc.integer({ min: 0, max: last - 1 })
      await fc.assert(
        fc.asyncProperty(at, async (index) => {
          await place.putBackAll(whole)
          await place.cutLog(events[index]?.position ?? 0n)
          const { ok, told } = await examined(place)
          t.deepEqual([ok, told.status], [false, 'unfit'], `${index} of ${last}`)
          await t.throwsAsync(place.start(), { instanceOf: PartsUnfit })
          await place.close()
          await place.run((books, config, out) => refillLog(books, config, out))
          t.like(await examined(place), { ok: true }, `${index} of ${last}`)
          t.deepEqual(await answersOf(place, people), answers, `${index} of ${last}`)
        }),
        { numRuns: RUNS, seed: 20261123, endOnFailure: true },
      )
    },
  )

takenBack('embedded', '')
takenBack('eventstoredb', ' over EventStoreDB’s protocol')

test.serial(
  'read models that are taken back, with the keys of today, come up to the log again by themselves',
  async (t) => {
    const { place, people } = await lived(t, 'embedded')
    const copies = [await place.copy()]
    for (let n = 0; n < 3; n++) {
      people.push(...(await live(place, 1)))
      copies.push(await place.copy())
    }
    const answers = await answersOf(place, people)
    const newest = await place.copy()
    for (const copy of copies) {
      await place.putBack('database', copy)
      await place.putBack('data keys', newest)
      t.deepEqual(await answersOf(place, people), answers)
      t.like(await examined(place), { ok: true })
    }
  },
)
