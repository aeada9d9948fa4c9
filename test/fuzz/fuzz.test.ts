import test from 'ava'
import { runs } from '../support/depth.ts'
import { play } from './play.ts'
import { openStage } from './stage.ts'

/** `npm run fuzz` plays as many as one likes; what fails there fails here by its seed and number. */
const SEED = 402
const REQUESTS = runs({ quick: 150, deep: 6_000 })
/** Longer than so many requests take on a busy machine. */
const LIMIT_MS = runs({ quick: 110_000, deep: 1_200_000 })

test('E-400-06 X-ERR-01 whatever anybody sends to any endpoint is answered in time and in shape, and what is refused leaves nothing behind', async (t) => {
  t.timeout(LIMIT_MS)
  const stage = await openStage()
  t.teardown(() => stage.stop())
  const { faults, statuses } = await play(stage, { seed: SEED, from: 0, requests: REQUESTS, progress: () => {} })
  for (const { n, what, curl, answer } of faults)
    t.fail(`npm run fuzz -- --seed ${SEED} --at ${n}\n${what}\n${curl}\n-> ${answer}`)
  const of = (least: number, most: number) =>
    [...statuses].reduce((sum, [status, count]) => (status >= least && status <= most ? sum + count : sum), 0)
  t.is(of(0, 999), REQUESTS)
  t.true(of(200, 399) > REQUESTS / 5, `${of(200, 399)} were let in`)
  t.true(of(400, 499) > REQUESTS / 5, `${of(400, 499)} were refused`)
})
