import test from 'ava'
import { runs } from '../support/depth.ts'
import { PLAY_MS, plays } from './outcome.ts'
import { skips } from './skips.ts'

test('two services with delayed commits, one of which dies while the read models are built anew, skip no event', async (t) => {
  t.timeout(PLAY_MS)
  const rounds = runs({ quick: 1, deep: 4 })
  const { counts } = await plays(t, skips, rounds)
  t.is(counts['kills of a service'], rounds)
})
