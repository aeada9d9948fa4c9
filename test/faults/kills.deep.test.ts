import test from 'ava'
import { runs } from '../support/depth.ts'
import { kills } from './kills.ts'
import { PLAY_MS, plays } from './outcome.ts'

test('X-IDEM-04 killed under 64 writers, with the log inside it, the service loses and doubles nothing', async (t) => {
  t.timeout(PLAY_MS)
  const rounds = runs({ quick: 1, deep: 6 })
  const { counts } = await plays(t, kills('embedded'), rounds)
  t.is(counts['kills of the service'], rounds)
})

test('X-IDEM-04 killed under 64 writers, with its EventStoreDB or without, the service loses and doubles nothing', async (t) => {
  t.timeout(PLAY_MS)
  const rounds = runs({ quick: 2, deep: 6 })
  const { counts } = await plays(t, kills('eventstoredb'), rounds)
  t.is(counts['kills of the store'], rounds / 2)
})
