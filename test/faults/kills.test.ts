import test from 'ava'
import { kills } from './kills.ts'
import { plays } from './outcome.ts'

test('X-IDEM-04 killed under 64 writers, with the log inside it, the service loses and doubles nothing', async (t) => {
  t.timeout(180_000)
  const { counts } = await plays(t, kills('embedded'), 2)
  t.is(counts['kills of the service'], 2)
})

test('X-IDEM-04 killed under 64 writers, with its EventStoreDB or without, the service loses and doubles nothing', async (t) => {
  t.timeout(180_000)
  const { counts } = await plays(t, kills('eventstoredb'), 2)
  t.is(counts['kills of the store'], 1)
})
