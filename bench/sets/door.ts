import { fileURLToPath } from 'node:url'
import { startChild } from '../child.ts'
import { type Load, load } from '../load.ts'
import { startBenchService } from '../service.ts'
import type { BenchSet } from '../stage.ts'

/** What a buyer's and a merchant's request cost, beside the least that HTTP costs and beside the peer that sells without writing anything down. */

const CONNECTIONS = 64
/** Requests before the first round, so that nobody is measured while the compiler is still at work. */
const WARM_UP_SECONDS = 2

const program = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

export const door: BenchSet = {
  name: 'door',
  title: '402 answers with one durable event each, and a JSON write',
  async run(stage) {
    const koa = await startChild<{ url: string }>(program('subjects/koa-hello.ts'))
    stage.closing(() => koa.stop())
    const express = await startChild<{ url: string }>(program('peers/x402-express.ts'))
    stage.closing(() => express.stop())
    const { url: databaseUrl } = await stage.database()
    const service = await startBenchService({ dataDir: `${stage.dir}/data`, databaseUrl })
    stage.closing(() => service.stop())
    const { key, origin, client } = service
    const body = JSON.stringify({ amount: 5, currency: 'USD' })
    const { res_id } = await client.json('POST', '/v1/resources', { key, body: JSON.parse(body) })
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }

    const seconds = stage.pick(1, 5)
    const common = { connections: CONNECTIONS, seconds }
    const contestants = [
      at('Koa hello', { url: koa.url, ...common }, 200),
      at('@x402/express 402, no event', { url: express.url, ...common }, 402),
      at('Daybook 402 with its event', { url: `${origin}/r/${res_id}`, callers: true, ...common }, 402),
      at('Daybook JSON write', { url: `${origin}/v1/resources`, method: 'POST', headers, body, ...common }, 200),
    ]
    for (const { warmUp } of contestants) await warmUp()
    await stage.compare({
      title: `HTTP, ${CONNECTIONS} connections`,
      unit: 'requests',
      contestants,
      goals: [
        { subject: 'Daybook 402 with its event', reference: 'Koa hello', atLeast: 0.5 },
        { subject: 'Daybook 402 with its event', reference: '@x402/express 402, no event', atLeast: 1.5 },
        { subject: 'Daybook JSON write', reference: 'Koa hello', atLeast: 0.35 },
      ],
    })
  },
}

const at = (name: string, what: Load, status: number) => ({
  name,
  round: () => load(what, status),
  warmUp: () => load({ ...what, seconds: WARM_UP_SECONDS }, status),
})
