import { fileURLToPath } from 'node:url'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { eventually } from '../../src/demo/stage.ts'
import { startChild } from '../child.ts'
import { type Load, load } from '../load.ts'
import { newSeller, startBenchService } from '../service.ts'
import type { BenchSet, Stage } from '../stage.ts'

/**
 * Measures what a buyer's and a merchant's request cost, beside the least that HTTP costs and beside the peer that
 * sells without writing anything down.
 */

const KOA = 'Koa hello'
const EXPRESS = '@x402/express 402, no event'
const FRESH = 'Daybook 402 with its event'
const OPEN = 'Daybook 402 of a challenge that is open'
const WRITE = 'Daybook JSON write'
const CONNECTIONS = 64
/** Seconds of requests before the first round, so that nobody is measured while the compiler is still at work. */
const WARM_UP_SECONDS = 2
/** Callers' numbers that are set aside for one round: more than any machine uses. */
const CALLERS_A_ROUND = 10_000_000
/**
 * Sellers, so many that no seller's address runs out of amounts: one has some two thousand at a time for callers
 * without a name, in a coin whose last place is worth little.
 */
const SELLERS = 40
const COIN = 'usdc_base'
/**
 * Doors, so many that none is crowded: beyond a few hundred callers, one door gives them a challenge that they share.
 */
const DOORS_A_SELLER = 50
/** Milliseconds that the read models may take after the last round to show every challenge that was answered. */
const SHOWN_MS = 60_000

const program = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const door: BenchSet = {
  name: 'door',
  title: '402 answers with one durable event each, and a JSON write',
  versioned: [FRESH, OPEN, WRITE],
  async run(stage) {
    const { url: databaseUrl, sql } = await stage.database()
    const service = await startBenchService({ root: stage.root, dataDir: `${stage.dir}/data`, databaseUrl })
    stage.closing(() => service.stop())
    const { key, origin, client } = service
    const body = JSON.stringify({ amount: 5, currency: 'USD' })
    const keys = await inTurn(SELLERS, (n) => newSeller(client, `seller-${n}@example.test`, addressOf(n), COIN))
    const create = async (n: number): Promise<string> => {
      const { res_id } = await client.json('POST', '/v1/resources', { key: keys[n % SELLERS], body: JSON.parse(body) })
      return `/r/${res_id}`
    }
    const paths = await inTurn(SELLERS * DOORS_A_SELLER, create)
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }

    const seconds = stage.pick(1, 5)
    const common = { connections: CONNECTIONS, seconds }
    const door = selling({ url: origin, paths, ...common })
    const contestants = [
      ...(stage.peers ? await peers(stage, common) : []),
      door,
      at(OPEN, { url: `${origin}${paths[0]}`, ...common }, 402),
      at(WRITE, { url: `${origin}/v1/resources`, method: 'POST', headers, body, ...common }, 200),
    ]
    for (const { warmUp } of contestants) await warmUp()
    stage.closing(() => eventually('a challenge for each 402', () => allOpened(sql, door.answered()), SHOWN_MS))
    await stage.compare({
      title: `HTTP, ${CONNECTIONS} connections`,
      unit: 'requests',
      contestants,
      goals: [
        { subject: FRESH, reference: KOA, atLeast: 0.5 },
        { subject: FRESH, reference: EXPRESS, atLeast: 1.5 },
        { subject: WRITE, reference: KOA, atLeast: 0.35 },
      ],
    })
  },
}

const peers = async (stage: Stage, common: Pick<Load, 'connections' | 'seconds'>) => {
  const koa = await startChild<{ url: string }>(program('subjects/koa-hello.ts'))
  stage.closing(() => koa.stop())
  const express = await startChild<{ url: string }>(program('peers/x402-express.ts'))
  stage.closing(() => express.stop())
  return [at(KOA, { url: koa.url, ...common }, 200), at(EXPRESS, { url: express.url, ...common }, 402)]
}

/** No caller comes twice: one who asks again is told of the challenge that is open already, and nothing is written. */
const selling = (what: Load) => {
  let callers = 0
  let answers = 0
  const asked = async (seconds: number) => {
    const figures = await load({ ...what, seconds, callers }, 402)
    // The number rises by more than the answers: requests that are under way at the end count as callers too.
    callers += CALLERS_A_ROUND
    answers += figures.answered
    return figures
  }
  const round = () => asked(what.seconds)
  return { name: FRESH, round, warmUp: () => asked(WARM_UP_SECONDS), answered: () => answers }
}

const allOpened = async (sql: Sql, answered: number) => {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from ${sql(SERVING)}.challenges`
  return (row?.count ?? 0) >= answered || undefined
}

const addressOf = (seller: number) => `0x${(seller + 1).toString(16).padStart(8, '0').repeat(5)}`

const AT_A_TIME = 16

/** Acts for the numbers from 0 to `count - 1`, some at a time. */
const inTurn = async <T>(count: number, act: (n: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = []
  while (made.length < count) {
    const next = Array.from({ length: Math.min(AT_A_TIME, count - made.length) }, (_, n) => act(made.length + n))
    made.push(...(await Promise.all(next)))
  }
  return made
}

const at = (name: string, what: Load, status: number) => ({
  name,
  round: () => load(what, status),
  warmUp: () => load({ ...what, seconds: WARM_UP_SECONDS }, status),
})
