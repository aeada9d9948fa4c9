import { fileURLToPath } from 'node:url'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startChild } from '../child.ts'
import type { Contestant } from '../comparison.ts'
import { cpuSeconds } from '../cpu.ts'
import { type Arrived, type DollarChain, startDollarChain } from '../dollar-chain.ts'
import { type DollarSeller, startDollarSeller } from '../dollar-seller.ts'
import { payer, type Wanted, wantedBy } from '../signed-payments.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { Called, Calling } from '../subjects/callers.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * Requests that are paid with a signature, from the header to the answer that says so, beside the peer with its own
 * facilitator.
 */

const BLOCK_SECONDS = 2
const DAYBOOK = 'Daybook'
const QUICK = `${DAYBOOK}, a block with each transaction`
const SLOW = `${DAYBOOK}, blocks of ${BLOCK_SECONDS} seconds`
const PEER = '@x402/express and its facilitator'
const CALLERS = 100
/** Callers in a crowd, so many that the block is not what they wait for. */
const CROWD = 400
/**
 * Seconds that do not count, until callers come at a steady pace. The time that counts begins and ends between two
 * blocks, when hardly anybody is answered.
 */
const UNCOUNTED_SECONDS = 2.5 * BLOCK_SECONDS
/** Payments at once through one relayer. */
const AT_ONCE = 200
const DOLLARS = 1
const PEER_PAID = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
/** Milliseconds that the read models may take to show what was paid. */
const SHOWN_MS = 60_000

export const paid: BenchSet = {
  name: 'paid',
  title: 'Paid requests, each settled on a chain',
  versioned: [DAYBOOK, QUICK, SLOW],
  async run(stage) {
    const callers = startWorker('subjects/callers.ts')
    stage.closing(() => callers.stop())
    const slow = await chainFor(stage, { blockTimeSeconds: BLOCK_SECONDS })
    const daybook = await selling(stage, slow, callers)
    const peer = stage.peers ? await peerSelling(stage, slow, callers) : undefined
    const seconds = stage.pick(12, 30)
    for (const shop of [daybook, peer]) await shop?.round({ callers: CALLERS, each: 4, seconds: 6 })
    for (const many of [CALLERS, CROWD]) {
      // A caller is answered once a block at the most.
      const how = {
        callers: many,
        each: Math.ceil((UNCOUNTED_SECONDS + seconds) / BLOCK_SECONDS) + 1,
        seconds,
        uncounted: UNCOUNTED_SECONDS,
      }
      const both = [daybook.contestant(DAYBOOK, how), ...(peer ? [peer.contestant(PEER, how)] : [])]
      await stage.compare({
        title: `${many} callers, blocks of ${BLOCK_SECONDS} seconds: some ${many / BLOCK_SECONDS} payments a second for whoever misses none`,
        unit: 'payments',
        contestants: both,
        goals: peer ? [{ subject: DAYBOOK, reference: PEER, atLeast: 1.5 }] : [],
        details: async () => both.map(({ spent }) => spent()),
      })
    }
    const fast = await chainFor(stage, {})
    const atOnce = { callers: AT_ONCE, each: 1 }
    const quick = await selling(stage, fast, callers)
    const everybody = [
      quick.contestant(QUICK, atOnce),
      daybook.contestant(SLOW, atOnce),
      ...(peer ? [peer.contestant(`${PEER}, blocks of ${BLOCK_SECONDS} seconds`, atOnce)] : []),
    ]
    await stage.compare({
      title: `${AT_ONCE} payments at once through one relayer, until the last of them is answered`,
      unit: 'payments',
      contestants: everybody,
      goals: [],
      details: async () => everybody.map(({ spent }) => spent()),
    })
  },
}

/** Starts a chain with payers who can pay as often as they like. */
const chainFor = async (stage: Stage, options: { blockTimeSeconds?: number }): Promise<DollarChain> => {
  const chain = await startDollarChain(options)
  stage.closing(() => chain.stop())
  for (let n = 0; n < CROWD; n++) await chain.mint(payer(n).address, 10n ** 12n)
  return chain
}

const selling = async (stage: Stage, chain: DollarChain, callers: Worker) => {
  const { url: databaseUrl, sql } = await stage.database()
  const dataDir = `${stage.dir}/data-${databaseUrl.split('_').at(-1)}`
  const { root } = stage
  const seller = await startDollarSeller(chain, { root, dataDir, databaseUrl, sql, dollars: DOLLARS })
  stage.closing(() => seller.stop())
  let sold = 0
  const settled = async (count: number) => {
    sold += count
    await eventually('every payment among the transactions', () => areShown(sql, seller, sold), SHOWN_MS)
  }
  const { url, payTo, pid } = seller
  return rounds(chain, callers, { url, wanted: wantedBy(payTo, DOLLARS), pids: [pid], settled })
}

const areShown = async (sql: Sql, { resId }: DollarSeller, count: number) => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${sql(SERVING)}.transactions
    where res_id = ${resId} and confirmed_at is not null`
  return row?.count === count || undefined
}

const program = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

const peerSelling = async (stage: Stage, chain: DollarChain, callers: Worker) => {
  const facilitator = await startChild<{ url: string }>(program('peers/x402-facilitator.ts'), [
    chain.url,
    chain.relayerKey(1),
  ])
  stage.closing(() => facilitator.stop())
  const shop = await startChild<{ url: string }>(program('peers/x402-paid.ts'), [
    facilitator.url,
    PEER_PAID,
    String(DOLLARS),
  ])
  stage.closing(() => shop.stop())
  const pids = [facilitator.pid, shop.pid]
  return rounds(chain, callers, { url: shop.url, wanted: wantedBy(PEER_PAID, DOLLARS), pids, settled: async () => {} })
}

type Shop = {
  readonly url: string
  readonly wanted: Wanted
  readonly pids: readonly number[]
  /** Called after each round with the number of payments that were answered 200. */
  settled(count: number): Promise<void>
}

type How = Pick<Calling, 'callers' | 'each' | 'seconds' | 'uncounted'>

const rounds = (chain: DollarChain, callers: Worker, { url, wanted, pids, settled }: Shop) => {
  const afterBlock = chain.hasPace && { afterBlockOf: chain.url }
  const round = async (how: How) => {
    const [height, cpu] = [await chain.height(), cpuSeconds(pids)]
    const called = await callers.ask<Called>({ url, wanted, ...how, ...afterBlock } satisfies Calling, ROUND_MS)
    await settled(called.nonces.length)
    const arrived = await mustHaveArrived(chain, wanted, height, called)
    return { ...called, ...arrived, cpu: cpuSeconds(pids) - cpu }
  }
  return {
    round,
    contestant: (name: string, how: How): Contestant & { spent(): string } => {
      const taken: Awaited<ReturnType<typeof round>>[] = []
      return {
        name,
        async round() {
          const came = await round(how)
          taken.push(came)
          const { paid, seconds, p50, p99 } = came
          return { rate: paid / seconds, p50, p99 }
        },
        spent: () => `${name}: ${spentBy(taken)}`,
      }
    },
  }
}

const spentBy = (taken: readonly (Called & Arrived & { cpu: number })[]): string => {
  const sum = (of: (each: (typeof taken)[number]) => number) => taken.reduce((all, each) => all + of(each), 0)
  const payments = sum((each) => each.payments)
  const cpu = ((1_000 * sum((each) => each.cpu)) / payments).toFixed(1)
  const gas = Math.round(sum((each) => Number(each.gas)) / payments)
  const together = (payments / sum((each) => each.transactions)).toFixed(1)
  const others = sum((each) => Object.values(each.others).reduce((all, count) => all + count, 0))
  return `${payments} paid, ${others} other answers; a payment took ${cpu} ms of CPU and ${gas} gas; ${together} in a transaction`
}

const ROUND_MS = 300_000

/** Throws unless exactly the payments that were answered 200 have come, each once and whole. */
const mustHaveArrived = async (chain: DollarChain, { payTo, amount }: Wanted, height: number, { nonces }: Called) => {
  const arrived = await chain.arrived(payTo, height)
  const isSame = arrived.nonces.toSorted().join() === nonces.toSorted().join()
  const dollars = BigInt(amount) * BigInt(nonces.length)
  if (!isSame || arrived.payments !== nonces.length || arrived.dollars !== dollars)
    throw new Error(`${nonces.length} payments were answered 200, and ${arrived.payments} came to ${payTo}`)
  return arrived
}
