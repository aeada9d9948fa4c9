/** Questions that nobody waits for longer than they may. */
import test from 'ava'
import { inTime } from '../../adapters/outbound/in-time.ts'

const LONG_MS = 60_000

test('the answer is the one that came, and another one where it fails', async (t) => {
  t.is(await inTime(Promise.resolve('here'), 'none', LONG_MS), 'here')
  t.is(await inTime(Promise.reject(new Error('away')), 'none', LONG_MS), 'none')
})

test('an answer that has not come within the limit is another one, and what comes later is dropped', async (t) => {
  let fail = (_: Error) => {}
  const late = new Promise<string>((_, reject) => (fail = reject))
  t.is(await inTime(late, undefined, 1), undefined)
  fail(new Error('nobody hears of this'))
  await new Promise((resolve) => setImmediate(resolve))
})

/** Whatever is due by then comes late. */
const standStill = () => {
  for (const end = performance.now() + 100; performance.now() < end; );
}

test('an answer that came while the process stood still is taken, though it is read after the limit', async (t) => {
  const [limitMs, answerMs] = [1, 2]
  const answer = new Promise<string>((resolve) => setTimeout(resolve, answerMs, 'here'))
  const asked = inTime(answer, 'none', limitMs)
  standStill()
  t.is(await asked, 'here')
})

test('an answer that never comes is waited for no longer than a moment more, also where the process stood still', async (t) => {
  const asked = inTime(new Promise<string>(() => {}), 'none', 1)
  standStill()
  t.is(await asked, 'none')
})
