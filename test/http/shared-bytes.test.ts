import test from 'ava'
import { Refusal } from '../../domain/kernel/refusal.ts'
import { setUp, slow } from './limits-of-several.ts'

/** What strangers write, counted together by several processes. */

test('N-113 L-JSN-12 strangers who keep to the part of a process cost no statement, however often each writes', async (t) => {
  const { start } = await setUp(t)
  const { shared, bytes, statements } = await start()
  const buckets = bytes(slow(64_000))
  for (let n = 0; n < 500; n++) {
    buckets.take(`c${n}`, 400)
    buckets.charge(`c${n}`, 500)
    buckets.charge(`c${n}`, -300)
  }
  await shared.close()
  t.is(statements(), 0)
})

test('N-113 L-JSN-12 bytes beyond the part of a process are told to all, and the part holds no more for what is given back', async (t) => {
  const { start, sql } = await setUp(t)
  const { shared, bytes } = await start()
  const buckets = bytes(slow(64_000))
  buckets.take('a', 900)
  buckets.charge('a', 500)
  for (let n = 0; n < 10; n++) buckets.charge('b', -5_000)
  buckets.take('b', 1_000)
  buckets.charge('b', 700)
  await shared.close()
  const rows = await sql<{ key_hash: string; told: number }[]>`
    select key_hash, round(extract(epoch from idle_at - now()) / 3600 * 63 / 64)::integer as told
    from daybook_run.call_limits order by key_hash`
  t.deepEqual(
    rows.map(({ key_hash, told }) => [key_hash.at(-1), told]),
    [
      ['a', 500],
      ['b', 700],
    ],
  )
})

test('N-113 L-JSN-12 bytes that strangers write at one process count at the others', async (t) => {
  const { start } = await setUp(t)
  const [one, other] = [await start(), await start()].map(({ shared }) =>
    shared.bytes('calls.strangerBytes', slow(10_000), 'Too much.'),
  )
  if (!one || !other) return t.fail()
  const refused = (buckets: typeof one) => t.throws(() => buckets.take('n', 1), { instanceOf: Refusal, message: /./ })
  one.take('n', 9_000)
  other.take('n', 2_000)
  // What is waited for: that both have told, and were told, that it is more than the limit.
  const isFull = (buckets: typeof one) => {
    try {
      buckets.take('n', 1)
      return false
    } catch {
      return true
    }
  }
  const until = performance.now() + 10_000
  while (!(isFull(one) && isFull(other)) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 50))
  refused(one)
  refused(other)
  t.notThrows(() => other.charge('n', 500), 'a payment is never refused')
  t.notThrows(() => other.take('m', 500))
})
