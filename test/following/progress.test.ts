import test from 'ava'
import { createProgress } from '../../adapters/following/progress.ts'

test('progress only goes forward, and tells who waits as soon as it is there', async (t) => {
  const progress = createProgress()
  t.is(progress.at(), -1n)
  const near = progress.reached(5n, 5_000)
  const far = progress.reached(50n, 30)
  progress.advance(7n)
  progress.advance(3n)
  t.is(progress.at(), 7n)
  t.true(await near)
  t.false(await far)
  t.true(await progress.reached(7n, 0))
})

test('a thousand who wait for different places are each told at their own', async (t) => {
  const progress = createProgress(0n)
  const told: bigint[] = []
  const waits = Array.from({ length: 1_000 }, (_, n) =>
    progress.reached(BigInt(n + 1), 5_000).then((came) => came && told.push(progress.at())),
  )
  for (let n = 1n; n <= 1_000n; n += 3n) {
    progress.advance(n)
    await null
    await null
  }
  progress.advance(1_000n)
  await Promise.all(waits)
  t.is(told.length, 1_000)
})

test('a follower that begins again from an earlier place is no longer taken to have been further', async (t) => {
  const progress = createProgress()
  progress.advance(9n)
  progress.restart(4n)
  t.is(progress.at(), 4n)
  t.false(await progress.reached(5n, 5))
  const waiting = progress.reached(5n, 1_000)
  progress.advance(5n)
  t.true(await waiting)
})

test('N-173 who rests until it is wanted goes on when somebody waits, at the end of the time, or at the end of all', async (t) => {
  const progress = createProgress()
  const ending = new AbortController()
  const rest = (ms: number) => progress.wanted(ms, ending.signal)
  const resting = rest(HOUR_MS)
  t.false(await isOver(resting))
  const waiting = progress.reached(3n, HOUR_MS)
  await resting
  // While somebody waits, nobody rests.
  await rest(HOUR_MS)
  progress.advance(3n)
  t.true(await waiting)
  await progress.reached(3n, HOUR_MS)
  const [long] = [rest(HOUR_MS), await rest(1)]
  t.false(await isOver(long))
  ending.abort()
  await rest(HOUR_MS)
})

const HOUR_MS = 3_600_000

/** Whether a promise is resolved before anything from outside is heard. */
const isOver = (work: Promise<unknown>): Promise<boolean> =>
  Promise.race([work.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))])
