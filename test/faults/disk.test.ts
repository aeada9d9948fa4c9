import test from 'ava'
import { diskByLimit } from './disk.ts'
import { plays } from './outcome.ts'

test('while there is no room for the log writes are answered 503 and reads go on; with room again so do writes', async (t) => {
  t.timeout(180_000)
  const { counts } = await plays(t, diskByLimit, 1)
  t.true((counts['answers 503'] ?? 0) > 0)
})
