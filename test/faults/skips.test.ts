import test from 'ava'
import { plays } from './outcome.ts'
import { skips } from './skips.ts'

test('two services with delayed commits, one of which dies while the read models are built anew, skip no event', async (t) => {
  t.timeout(180_000)
  const { counts } = await plays(t, skips, 1)
  t.is(counts['kills of a service'], 1)
})
