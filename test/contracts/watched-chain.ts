import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionContext, TestFn } from 'ava'
import { eventually } from '../../src/demo/stage.ts'
import { DEEP, HANG_MS } from '../support/depth.ts'
import { assertReplayEqual, me, postsFor, saidOf, transactionOf, verify } from '../support/sale.ts'
import { type Offer, ok } from '../support/seller.ts'
import {
  type Bench as BenchOf,
  CONFIRMATIONS,
  PRICE_USD,
  type ServedChain,
  type Shop,
  startBench,
} from './watched-service.ts'

/**
 * What the watch has to do on any chain. The service runs on a real log and a real Postgres, as a process of its own
 * once it is to be killed, and is driven over HTTP. The test file of a chain opens it and hands in a `WatchedChain`;
 * parts that the chain does not have are left out. To see what the service says, set LOG_LEVEL=warn.
 */
export type WatchedChain = ServedChain & {
  /** Codes of assets that can be paid in: the chain's own coin, then a token if it has any. */
  readonly assets: readonly string[]
  /**
   * Payments of two addresses in one transaction, in this asset; the hashes of both where a chain carries each on in a
   * transaction of its own.
   */
  readonly payTwo?: { readonly asset: string; pay(first: Payee, second: Payee): Promise<string | Both> }
  /** The same as `pay`, in a token of no catalogue that calls itself like the last of `assets`. */
  payForeign?(to: string, amount: bigint): Promise<string>
  /** A transaction that is mined and fails; otherwise it would be this payment. */
  payInVain?(asset: string, to: string, amount: bigint): Promise<string>
  /** Replaces the newest blocks by empty ones. */
  reorg?(blocks: number): Promise<unknown>
  /** Brings a transaction that was taken away into a block again, the very same one. */
  again?(tx: string): Promise<unknown>
}
type Bench = BenchOf<WatchedChain>
type Payee = readonly [to: string, amount: bigint]
type Both = readonly [first: string, second: string]

const WAIT_MS = 90_000
const BACK_FILL_BLOCKS = 500
/** Looks come every second: one kill before, one during and one after. */
const KILLED_AFTER_MS = DEEP ? [0, 500, 1_100] : [500]

/**
 * `open` is called once; the file that opened the chain also stops it. Every test runs alone: they share one chain and
 * one service. The whole contract runs on every chain in the deep run; where `depth` is `brief`, `npm test` only
 * follows a payment to its books.
 */
export const watchedChainContract = (
  test: TestFn,
  name: string,
  depth: 'whole' | 'brief',
  open: () => Promise<WatchedChain>,
) => {
  let bench: Bench
  test.before(async () => {
    bench = await startBench(await open())
  })
  test.after.always(() => bench?.stop())
  const serial = (title: string, run: (t: ExecutionContext, bench: Bench) => Promise<unknown>) =>
    test.serial(title.replace('CHAIN', name), async (t) => {
      t.timeout(HANG_MS)
      await run(t, bench)
    })

  serial('T-CHL-01 N-26 CHAIN: a payment settles once, without any call, at the depth of its network', byWatch)
  if (DEEP || depth === 'whole') {
    serial('J-VER-01 I-SET-01 CHAIN: a payment that is settled by its hash is not settled again by the watch', byHash)
    serial(
      'N-24 CHAIN: a payment taken back by a reorganisation is open again, and settles once when it is back',
      movedAway,
    )
    serial('T-CHL-01 CHAIN: two payments in one transaction settle two challenges, each its own', twoInOne)
    serial(
      `T-CHL-01 I-SET-01 CHAIN: a service that is killed while it watches, and ${BACK_FILL_BLOCKS} blocks behind when it starts again, loses no payment and settles none twice`,
      killed,
    )
  }
  if (DEEP) {
    // The contract of chains asks the same of the reader alone.
    serial('N-24 CHAIN: a transaction that failed pays nothing', failed)
    serial('N-24 CHAIN: a token of the same name pays nothing', foreign)
  }
  serial('CHAIN: every read model equals its replay', (t, { app }) => assertReplayEqual(t, app))
}

const byWatch = async (t: ExecutionContext, bench: Bench) => {
  for (const asset of bench.chain.assets) {
    const shop = await bench.shop(asset, null)
    const offer = await shop.offer()
    const hash = await shop.pay(offer)
    await settledOnce(t, bench, shop, [[offer, hash]])
    t.is(bench.postsFor(offer.challengeId), 1)
  }
}

const byHash = async (t: ExecutionContext, bench: Bench) => {
  for (const asset of bench.chain.assets) {
    const shop = await bench.shop(asset)
    const [posted, found] = [await shop.offer(), await shop.offer()]
    const hash = await shop.pay(posted)
    t.true((await ok(verify(bench.app, posted.challengeId, hash))).json.settled)
    // Once the watch has settled the second, it has read the block of the first.
    const second = await shop.pay(found)
    await settledOnce(t, bench, shop, [
      [posted, hash],
      [found, second],
    ])
    t.is((await saidOf(bench.app, 'TransfersSeen', hash)).length, 1)
    t.is(bench.postsFor(posted.challengeId), 1)
    t.true((await ok(verify(bench.app, posted.challengeId, hash))).json.settled)
    t.is((await saidOf(bench.app, 'ChallengeSettled', posted.challengeId)).length, 1)
  }
}

const movedAway = async (t: ExecutionContext, bench: Bench) => {
  const { app, chain } = bench
  if (!chain.reorg) return t.pass('this chain cannot be made to reorganise')
  for (const asset of chain.assets) {
    const shop = await bench.shop(asset)
    const offer = await shop.offer()
    const hash = await chain.pay(asset, shop.address, BigInt(offer.amountAtomic))
    const seen = () => saidOf(app, 'PaymentDetected', hash)
    await eventually('the payment', async () => (await seen()).length === 1, WAIT_MS)
    await chain.reorg(2)
    await chain.mine(CONFIRMATIONS)
    await eventually('the retraction', async () => (await saidOf(app, 'PaymentRetracted', hash)).length === 1, WAIT_MS)
    t.not((await ok(verify(app, offer.challengeId, hash))).json.settled, true)
    t.is((await saidOf(app, 'ChallengeSettled', offer.challengeId)).length, 0)
    if (!chain.again) continue
    await chain.again(hash)
    await chain.mine(CONFIRMATIONS)
    await settledOnce(t, bench, shop, [[offer, hash]])
    t.is(bench.postsFor(offer.challengeId), 1)
  }
}

const failed = async (t: ExecutionContext, bench: Bench) => {
  const { app, chain } = bench
  if (!chain.payInVain) return t.pass('on this chain nothing is mined that fails')
  for (const asset of chain.assets) {
    const shop = await bench.shop(asset)
    const offer = await shop.offer()
    const vain = await chain.payInVain(asset, shop.address, BigInt(offer.amountAtomic))
    await chain.mine(CONFIRMATIONS)
    t.not((await verify(app, offer.challengeId, vain)).json.settled, true)
    const hash = await shop.pay(offer)
    await settledOnce(t, bench, shop, [[offer, hash]])
    t.deepEqual(await saidOf(app, 'TransfersSeen', vain), [])
  }
}

const foreign = async (t: ExecutionContext, bench: Bench) => {
  const { app, chain } = bench
  if (!chain.payForeign) return t.pass('this chain has no tokens')
  const shop = await bench.shop(chain.assets.at(-1) as string)
  const offer = await shop.offer()
  const wrong = await chain.payForeign(shop.address, BigInt(offer.amountAtomic))
  await chain.mine(CONFIRMATIONS)
  t.is((await verify(app, offer.challengeId, wrong)).status, 400)
  const hash = await shop.pay(offer)
  await settledOnce(t, bench, shop, [[offer, hash]])
  t.deepEqual(await saidOf(app, 'TransferClaimed', wrong), [])
}

const twoInOne = async (t: ExecutionContext, bench: Bench) => {
  const { payTwo, mine } = bench.chain
  if (!payTwo) return t.pass('on this chain a transaction makes one payment')
  const [first, second] = [await bench.shop(payTwo.asset), await bench.shop(payTwo.asset)]
  const [one, other] = [await first.offer(), await second.offer()]
  const paying = ({ address }: Shop, { amountAtomic }: Offer): Payee => [address, BigInt(amountAtomic)]
  const paid = await payTwo.pay(paying(first, one), paying(second, other))
  const [hash, otherHash] = typeof paid === 'string' ? [paid, paid] : paid
  await mine(CONFIRMATIONS)
  await settledOnce(t, bench, first, [[one, hash]])
  await settledOnce(t, bench, second, [[other, otherHash]])
}

const killed = async (t: ExecutionContext, bench: Bench) => {
  const { assets, mine } = bench.chain
  const own = await bench.ownProcess()
  const shop = await bench.shop(assets[0] as string)
  const other = await bench.shop(assets.at(-1) as string)
  const [sales, others]: [Sale[], Sale[]] = [[], []]
  for (const afterMs of KILLED_AFTER_MS) {
    const [before, meanwhile] = [await shop.offer(), await shop.offer()]
    const offers = [await other.offer(), await other.offer(), await other.offer()]
    sales.push([before, await shop.pay(before)])
    await pause(afterMs)
    await own.killed(async () => {
      sales.push([meanwhile, await shop.pay(meanwhile)])
      for (const [n, offer] of offers.entries()) {
        if (n > 0) await mine(BACK_FILL_BLOCKS / 2)
        others.push([offer, await other.pay(offer)])
      }
    })
  }
  await settledOnce(t, bench, shop, sales)
  await settledOnce(t, bench, other, others)
}

type Sale = readonly [offer: Offer, hash: string]

/** Every one of these payments settled its challenge, and nothing else was ever settled or earned in this shop. */
const settledOnce = async (t: ExecutionContext, { app }: Bench, shop: Shop, sales: readonly Sale[]) => {
  const settled = () => saidOf(app, 'ChallengeSettled', shop.resId)
  await eventually('the settlements', async () => (await settled()).length >= sales.length, WAIT_MS)
  const earned = async () => (await me(app, shop.key)).settlements_count === sales.length
  await eventually('the books', earned, WAIT_MS)
  for (const [{ challengeId }, hash] of sales) {
    // Its row is another read model than the books, and may come a moment later.
    const row = () => transactionOf(app, shop.key, challengeId)
    await eventually('the transaction', async () => (await row()).status === 'C', WAIT_MS)
    t.is((await row()).hash, hash)
    await eventually('the delivery', () => postsFor(app, challengeId).length > 0, WAIT_MS)
  }
  const pairs = (await settled()).map(({ challengeId, transfer }) => `${challengeId} ${transfer.tx}`)
  t.deepEqual(pairs.toSorted(), sales.map(([{ challengeId }, hash]) => `${challengeId} ${hash}`).toSorted())
  t.is((await me(app, shop.key)).total_earned, PRICE_USD * sales.length)
}
