import type { TestFn } from 'ava'
import type { Transfer } from '../../domain/kernel/ports.ts'
import { type ChainUnderTest, given } from './chain-under-test.ts'

/** What any chain of several providers must do. */
export const voicesContract = (
  test: TestFn,
  name: string,
  open: () => Promise<ChainUnderTest>,
  { unknown, amount }: { unknown: string; amount: bigint },
) => {
  test.serial(
    `${name}: N-24 each provider is asked by itself for a payment, and contradicts what it has not`,
    async (t) => {
      const opened = await open()
      const [to = '', other = ''] = opened.addresses
      const tx = await opened.pay(opened.native, to, amount)
      const paid = given((await opened.chain.transfersOf(tx))?.find((each) => each.to === to))
      const { voicesOf = async () => undefined } = opened.byTwo
      t.deepEqual(await voicesOf(paid, 1), { same: [1, 2], against: [] })
      const lies: readonly Partial<Transfer>[] = [
        { tx: unknown },
        { index: 'x' },
        { asset: 'x' },
        { from: other },
        { to: other },
        { amount: amount + 1n },
        { height: paid.height - 1 },
        { blockHash: unknown },
        { authorization: unknown },
      ]
      for (const lie of lies)
        t.deepEqual(await voicesOf({ ...paid, ...lie }, 1), { same: [], against: [1, 2] }, Object.keys(lie).join())
      const silence = { same: [], against: [] }
      t.deepEqual(await voicesOf({ ...paid, height: paid.height + 100 }, 1), silence, 'they have not come so far')
      t.deepEqual(await voicesOf(paid, 100), silence, 'it is not deep enough for them')
      t.is(opened.chain.voicesOf, undefined, 'one provider alone')
    },
  )
}
