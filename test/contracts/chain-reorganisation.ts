import type { ExecutionContext, TestFn } from 'ava'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { type ChainUnderTest, given, range } from './chain-under-test.ts'

/** What any chain must do whose blocks may be replaced. */
export const reorganisationContract = (
  test: TestFn,
  name: string,
  open: () => Promise<ChainUnderTest>,
  kinds: readonly ('native' | 'token')[],
) => {
  for (const kind of kinds)
    test.serial(
      `${name}: N-24 X-REPLAY-01 a ${kind} payment has the same id wherever a reorganisation puts its transaction`,
      (t) => rearranged(t, open, kind),
    )

  test.serial(`${name}: after a reorganisation the payment is gone`, async (t) => {
    const opened = await open()
    const [to = ''] = opened.addresses
    const tx = await opened.pay(opened.native, to, 3n)
    const paid = await opened.chain.head()
    await opened.mine(1)
    t.is((await opened.chain.transfersIn(paid.height, paid.height, new Set([to]))).length, 1)
    await given(opened.reorg)(2)
    t.is(await opened.chain.transfersOf(tx), undefined)
    t.deepEqual(await range(opened, paid.height, to), [])
    const [block] = await opened.chain.transfersIn(paid.height, paid.height, new Set([to]))
    t.is(block, undefined)
  })
}

/** The payments of a transaction are found under their ids of before, by hash and by range alike. */
const rearranged = async (t: ExecutionContext, open: () => Promise<ChainUnderTest>, kind: 'native' | 'token') => {
  const { chain, addresses, ...opened } = await open()
  const [a = '', b = '', c = ''] = addresses
  const asset = given(opened[kind])
  const before = await opened.pay(asset, c, 10n)
  const tx = await (kind === 'token' ? opened.payTwo([a, 11n], [b, 12n]) : opened.pay(asset, a, 11n))
  const { height, hash } = await chain.head()
  const read = async () => {
    const byHash = (await chain.transfersOf(tx)) ?? []
    const byRange = await chain.transfersIn(height, height, new Set([a, b]))
    const ours = byHash.filter(({ to }) => to === a || to === b)
    t.deepEqual(
      ours,
      byRange.filter((transfer) => transfer.tx === tx),
    )
    return ours
  }
  const ids = (await read()).map(transferId)
  t.is(new Set(ids).size, kind === 'token' ? 2 : 1)
  await given(opened.rearrange)(before, tx)
  t.not(await chain.hashAt(height), hash)
  const moved = await read()
  t.deepEqual(
    moved.map(({ height }) => height),
    moved.map(() => height),
  )
  t.deepEqual(moved.map(transferId), ids)
}
