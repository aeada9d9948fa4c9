import test from 'ava'
import { runs } from '../support/depth.ts'
import { PLAY_MS, plays } from './outcome.ts'
import { several } from './several.ts'

test('N-114 X-IDEM-04 one of three processes is killed, hangs or is cut off, and the others lose and double nothing', async (t) => {
  t.timeout(PLAY_MS)
  const { counts } = await plays(t, several(3), runs({ quick: 1, deep: 8 }))
  t.is(counts.processes, 3)
})
