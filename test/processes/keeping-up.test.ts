/** Who sells does not outrun what follows from it. */
import test from 'ava'
import { keepingUp } from '../../src/engine/keeping-up.ts'

test('N-173 who sells waits where followers have not come in two seconds to what was written, all together', async (t) => {
  const asked: bigint[] = []
  let [come, now, at] = [() => {}, 0, -1n]
  const settled = (position: bigint) => {
    asked.push(position)
    return new Promise<void>((resolve) => (come = resolve))
  }
  const keepUp = keepingUp({ reached: (position) => at >= position, settled }, () => now)
  await keepUp(-1n)
  await keepUp(5n)
  now = 1_999
  await keepUp(9n)
  now = 2_000
  let through = 0
  const waiting = [11n, 12n].map((position) => keepUp(position).then(() => through++))
  await new Promise((resolve) => setImmediate(resolve))
  t.deepEqual([asked, through], [[5n], 0])
  at = 12n
  come()
  await Promise.all(waiting)
  await keepUp(13n)
  now = 4_001
  at = 13n
  await keepUp(20n)
  now = 6_000
  await keepUp(21n)
  t.deepEqual(asked, [5n], 'they have come to it in time, so nobody waits')
  now = 6_001
  const late = keepUp(22n)
  t.deepEqual(asked, [5n, 20n])
  come()
  await late
})

test('N-173 followers that cannot be asked keep nobody from selling', async (t) => {
  let [asked, now] = [0, 0]
  const settled = async () => {
    asked++
    throw new Error('nobody is there')
  }
  const keepUp = keepingUp({ reached: () => false, settled }, () => now)
  await keepUp(1n)
  now = 2_001
  await keepUp(2n)
  await keepUp(3n)
  t.is(asked, 1)
})
