import test from 'ava'
import { runs } from '../support/depth.ts'
import { diskByLimit } from './disk.ts'
import { PLAY_MS, plays } from './outcome.ts'

test('while there is no room for the log writes are answered 503 and reads go on; with room again so do writes', async (t) => {
  t.timeout(PLAY_MS)
  const { counts } = await plays(t, diskByLimit, runs({ quick: 1, deep: 4 }))
  t.true((counts['answers 503'] ?? 0) > 0)
})
