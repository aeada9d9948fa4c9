import test from 'ava'
import { creditAccount } from '../../domain/account/credit-account.ts'
import { emptyLane, type Lane } from '../../domain/write-side/lane.ts'
import { recentLanes } from '../../domain/write-side/lanes.ts'

/** Which streams' states stay in memory, so that a stream in use is not read again. */

const KEPT = 100

const laneOf = (stream: string, flushing = false): Lane => ({ ...emptyLane(stream, creditAccount), flushing })

test('a lane that is used now and then stays, however many others come, and what was not used lately goes', (t) => {
  const lanes = recentLanes(KEPT)
  const used = laneOf('used')
  lanes.keep(used)
  for (let n = 0; n < 1_000; n++) {
    lanes.keep(laneOf(`other-${n}`))
    if (n % 50 === 0) t.is(lanes.get('used'), used, `after ${n}`)
  }
  const kept = Array.from({ length: 1_000 }, (_, n) => lanes.get(`other-${n}`)?.stream).filter(Boolean)
  t.true(kept.length <= 2 * KEPT, `${kept.length} kept`)
  t.is(kept.at(-1), 'other-999')
})

test('a lane at work is not forgotten, however long it takes, and many of them make room for others all the same', (t) => {
  const lanes = recentLanes(KEPT)
  const busy = Array.from({ length: 3 * KEPT }, (_, n) => laneOf(`busy-${n}`, true))
  for (const lane of busy) lanes.keep(lane)
  for (let n = 0; n < 1_000; n++) lanes.keep(laneOf(`other-${n}`))
  t.deepEqual(
    busy.filter((lane) => lanes.get(lane.stream) !== lane).map(({ stream }) => stream),
    [],
  )
})

test('the newest lane of a stream is the one that counts, and a forgotten one is gone', (t) => {
  const lanes = recentLanes(2)
  const [first, second] = [laneOf('a', true), laneOf('a')]
  lanes.keep(first)
  lanes.keep(laneOf('b'))
  lanes.keep(second)
  t.is(lanes.get('a'), second)
  lanes.keep(laneOf('c'))
  lanes.keep(laneOf('d'))
  t.not(lanes.get('a'), first)
  lanes.keep(laneOf('e', true))
  lanes.forget('e')
  t.is(lanes.get('e'), undefined)
})
