import test from 'ava'
import { cuts } from './cuts.ts'
import { PLAY_MS, plays } from './outcome.ts'

/** Each kind of cut once. */
const ROUNDS = 9

test('while the wire to EventStoreDB is cut, held and given back the service goes on, says so, and loses nothing', async (t) => {
  t.timeout(PLAY_MS)
  await plays(t, cuts, ROUNDS)
})
