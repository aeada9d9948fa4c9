import test from 'ava'
import { createSharedHeads } from '../../adapters/chains/shared-head.ts'
import type { Chain, ChainHead } from '../../domain/ports.ts'

/** A node that answers when it is told to, with the height it has at that moment. */
const node = () => {
  const open: { answer(height: number): void; fail(): void }[] = []
  const chain = {
    head: () =>
      new Promise<ChainHead>((resolve, reject) => {
        const answer = (height: number) => resolve({ height, hash: `0x${height}` })
        open.push({ answer, fail: () => reject(new Error('no answer')) })
      }),
  } as Chain
  return { chain, open }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('Q-55 who asks while a question is under way shares the next one, so that no head is older than its question', async (t) => {
  const shared = createSharedHeads()
  const { chain, open } = node()
  const first = shared(chain)
  const later = [shared(chain), shared(chain)]
  t.is(open.length, 1)
  open[0]?.answer(10)
  t.is((await first).height, 10)
  await turn()
  t.is(open.length, 2)
  const last = shared(chain)
  open[1]?.answer(11)
  t.deepEqual(
    (await Promise.all(later)).map(({ height }) => height),
    [11, 11],
  )
  await turn()
  open[2]?.answer(12)
  t.is((await last).height, 12)
  await turn()
  void shared(chain)
  t.is(open.length, 4)
})

test('chains are asked apart from each other', async (t) => {
  const shared = createSharedHeads()
  const [one, other] = [node(), node()]
  void shared(one.chain)
  void shared(other.chain)
  t.deepEqual([one.open.length, other.open.length], [1, 1])
})

test('a node that does not answer fails those who asked, and who waits for the next question gets its answer', async (t) => {
  const shared = createSharedHeads()
  const { chain, open } = node()
  const failing = shared(chain)
  const waiting = shared(chain)
  open[0]?.fail()
  await t.throwsAsync(failing)
  await turn()
  open[1]?.answer(7)
  t.is((await waiting).height, 7)
})
