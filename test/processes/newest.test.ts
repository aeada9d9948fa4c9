/** What a read has to show where several processes write. */
import test from 'ava'
import { newestAnswered } from '../../src/engine/newest.ts'

const setUp = ({ alone = false } = {}) => {
  const at = { head: 10n, here: 3n, written: 5n }
  const store = { asked: 0, answers: async (): Promise<bigint> => at.head }
  const newest = newestAnswered({
    store: {
      head() {
        store.asked++
        return store.answers()
      },
    },
    feed: { head: () => at.here },
    doors: { newest: () => at.written },
    presence: { isAlone: () => alone },
  })
  return { at, store, newest }
}

test('N-173 a process that is alone asks nobody: it has written everything, or has heard of it', async (t) => {
  const { at, store, newest } = setUp({ alone: true })
  t.is(await newest(), 5n)
  at.here = 7n
  t.is(await newest(), 7n)
  t.is(store.asked, 0)
})

test('N-173 beside others the end of the log is asked for after the question, once for all who ask together', async (t) => {
  const { at, store, newest } = setUp()
  const many = [newest(), newest(), newest()]
  t.is(store.asked, 0)
  at.head = 11n
  t.deepEqual(await Promise.all(many), [11n, 11n, 11n])
  t.is(store.asked, 1)
  at.head = 12n
  t.is(await newest(), 12n)
  at.written = 20n
  t.is(await newest(), 20n)
})

test('N-173 whoever asks while the store is asked shares the next question, and never is one asked beside another', async (t) => {
  const { at, store, newest } = setUp()
  const answers: ((head: bigint) => void)[] = []
  store.answers = () => new Promise((resolve) => answers.push(resolve))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const first = newest()
  await turn()
  const flood = Array.from({ length: 100 }, newest)
  await turn()
  t.is(store.asked, 1)
  answers[0]?.(10n)
  t.is(await first, 10n)
  await turn()
  t.is(store.asked, 2)
  at.here = 1n
  answers[1]?.(30n)
  t.deepEqual([...new Set(await Promise.all(flood))], [30n])
  t.is(store.asked, 2)
})

test('N-173 while the store does not answer a read shows what has come here, and only the first one waits for it', async (t) => {
  const { at, store, newest } = setUp()
  store.answers = () => new Promise(() => {})
  const first = newest()
  await new Promise((resolve) => setImmediate(resolve))
  t.deepEqual(await Promise.all([first, newest(), newest()]), [5n, 5n, 5n])
  at.here = 6n
  t.is(await newest(), 6n)
  t.is(store.asked, 1)
  const refusing = setUp()
  refusing.store.answers = () => Promise.reject(new Error('away'))
  t.is(await refusing.newest(), 5n)
})
