import test from 'ava'
import { PLAY_MS, plays } from './outcome.ts'
import { skips } from './skips.ts'

const ROUNDS = 4

test('two services with delayed commits, one of which dies while the read models are built anew, skip no event', async (t) => {
  t.timeout(PLAY_MS)
  const { counts } = await plays(t, skips, ROUNDS)
  t.is(counts['kills of a service'], ROUNDS)
})
