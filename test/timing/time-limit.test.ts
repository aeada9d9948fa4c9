/** Questions that nobody waits for longer than they may. */
import test from 'ava'
import { atMost, inTime, within } from '../../adapters/timing/time-limit.ts'

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

test('what has come by then is told, and nothing or an error of its own where it has not', async (t) => {
  const never = new Promise<string>(() => {})
  t.is(await atMost(LONG_MS, Promise.resolve('here')), 'here')
  t.is(await atMost(1, never), undefined)
  t.is(await within(LONG_MS, Promise.resolve('here'), () => new Error('late')), 'here')
  await t.throwsAsync(
    within(1, never, () => new RangeError('late')),
    { instanceOf: RangeError, message: 'late' },
  )
})

test('a failure is told as it is', async (t) => {
  const fails = () => Promise.reject(new Error('away'))
  await t.throwsAsync(atMost(LONG_MS, fails()), { message: 'away' })
  await t.throwsAsync(
    within(LONG_MS, fails(), () => new Error('late')),
    { message: 'away' },
  )
})

test('the error for what is late is made only then', async (t) => {
  let made = 0
  const late = () => new Error(`late ${++made}`)
  await within(LONG_MS, Promise.resolve(), late)
  t.is(made, 0)
})

test('an answer that came while the process stood still is no failure either', async (t) => {
  const [limitMs, answerMs] = [1, 2]
  const answer = () => new Promise<string>((resolve) => setTimeout(resolve, answerMs, 'here'))
  const asked = [atMost(limitMs, answer()), within(limitMs, answer(), () => new Error('late'))]
  standStill()
  t.deepEqual(await Promise.all(asked), ['here', 'here'])
})
