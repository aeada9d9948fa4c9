import test from 'ava'
import { clock } from './clock.ts'
import { PLAY_MS, plays } from './outcome.ts'

/** Every fourth kills the service while its clock is off. */
const ROUNDS = 8

test('with the clock set back by minutes and by hours nothing is lost, doubled or out of order', async (t) => {
  t.timeout(PLAY_MS)
  await plays(t, clock, ROUNDS)
})
