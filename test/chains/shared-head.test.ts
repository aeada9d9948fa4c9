import test from 'ava'
import { createKeptBalances } from '../../adapters/chains/kept-balances.ts'
import { createSharedHeads } from '../../adapters/chains/rpc/shared-head.ts'
import type { Chain, ChainHead } from '../../domain/kernel/ports.ts'
import { fixedWorld } from '../support/world.ts'

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

/** A node of a network whose balances are told when the test says so. */
const teller = (network: string) => {
  const open: { address: string; coin: string; tell(units: bigint | undefined): void; fail(): void }[] = []
  const balanceOf = (address: string, coin: string) =>
    new Promise<bigint | undefined>((tell, reject) => {
      open.push({ address, coin, tell, fail: () => reject(new Error('no answer')) })
    })
  return { chain: { network, balanceOf } as Chain, open }
}

test('a balance is asked for once by all who want it, and again after some seconds or when the clock was put back', async (t) => {
  const world = fixedWorld()
  const balanceNow = createKeptBalances(world.now)
  const { chain, open } = teller('eth')
  const asked = [balanceNow(chain, 'a', 'eth'), balanceNow(chain, 'a', 'eth'), balanceNow(chain, 'a', 'usdc')]
  t.deepEqual(
    open.map(({ address, coin }) => [address, coin]),
    [
      ['a', 'eth'],
      ['a', 'usdc'],
    ],
  )
  open[0]?.tell(7n)
  open[1]?.fail()
  t.deepEqual(await Promise.all(asked), [7n, 7n, undefined])
  world.step(14_999)
  t.deepEqual(await Promise.all(['eth', 'usdc'].map((coin) => balanceNow(chain, 'a', coin))), [7n, undefined])
  t.is(open.length, 2)
  world.step(1)
  const later = balanceNow(chain, 'a', 'eth')
  open[2]?.tell(8n)
  t.is(await later, 8n)
  world.step(-1_000)
  void balanceNow(chain, 'a', 'eth')
  t.is(open.length, 4)
})

test('a chain that does not answer holds up nobody for longer than the wait, and no other chain at all', async (t) => {
  const world = fixedWorld()
  const balanceNow = createKeptBalances(world.now, { waitMs: 50 })
  const [slow, other] = [teller('ltc'), teller('eth')]
  const names = Array.from({ length: 6 }, (_, n) => `a${n}`)
  const asked = names.map((name) => balanceNow(slow.chain, name, 'ltc'))
  t.is(slow.open.length, 4, 'no more at the same time')
  const quick = balanceNow(other.chain, 'a', 'eth')
  other.open[0]?.tell(1n)
  t.is(await quick, 1n)
  t.deepEqual(
    await Promise.all(asked),
    names.map(() => undefined),
  )
  world.step(60_000)
  t.is(await balanceNow(slow.chain, 'a0', 'ltc'), undefined)
  t.is(slow.open.length, 4, 'the question is still open')
  for (const { tell } of slow.open) tell(5n)
  await turn()
  t.is(slow.open.length, 4, 'nobody waits for the others any more')
})

test('what comes too late is there for the next who asks', async (t) => {
  const balanceNow = createKeptBalances(fixedWorld().now, { waitMs: 20 })
  const { chain, open } = teller('eth')
  t.is(await balanceNow(chain, 'a', 'eth'), undefined)
  open[0]?.tell(5n)
  t.is(await balanceNow(chain, 'a', 'eth'), 5n)
})
