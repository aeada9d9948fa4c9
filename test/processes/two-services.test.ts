import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { connect } from '../../adapters/postgres/connect.ts'
import { fold } from '../../domain/kernel/decider.ts'
import { deciders } from '../../domain/write-side/deciders.ts'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { type RunningService, serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import type { ServicePart } from '../../src/settings/service-role.ts'
import { CALL_LIMIT_MS, startApp, type TestApp } from '../support/app.ts'
import { HANG_MS } from '../support/depth.ts'
import { logOf } from '../support/sale.ts'
import { ok } from '../support/seller.ts'
import { walletHolder } from '../support/stores.ts'

/** Three processes of one service on one log behind its protocol: a whole one, one for requests, one for the rest. */

let app: TestApp
let web: Beside
let followers: Beside
const endings: (() => unknown)[] = []

test.before(async () => {
  const port = String(await freePort())
  const shared = { PORT: port, BASE_URL: `http://localhost:${port}`, MASTER_KEY: 'ab'.repeat(32) }
  app = await startApp({ store: 'eventstoredb', env: shared })
  endings.push(() => app.stop())
  web = await startBeside(['web'])
  followers = await startBeside(['followers'])
})
test.after.always(async () => {
  for (const end of endings.reverse()) await end()
})

/** A process beside the first one; its own origin is that of the service, so it is reached by its port. */
type Beside = RunningService & { readonly at: string }

const startBeside = async (parts: readonly ServicePart[]): Promise<Beside> => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
  endings.push(() => rmSync(dir, { recursive: true, force: true }))
  const env = { ...app.env, PORT: String(await freePort()), DATA_DIR: dir }
  const served = await serve(readConfig(env), {}, { parts, sharesPort: false })
  endings.push(() => served.stop())
  return { ...served, at: `http://localhost:${env.PORT}` }
}

test.serial(
  'N-111 60 takings at once in two processes take each piece that is there once, and refuse the rest',
  async (t) => {
    t.timeout(HANG_MS)
    const { resId, takeAll } = await goods(45)
    const answers = await takeAll(60)
    t.is(answers.filter((status) => status === 200).length, 45, [...new Set(answers)].join())
    t.is(await left(resId), 0)
    // Where one of the two is quick enough, the other one loses no race.
    while ((await sum('daybook_lost_races')) === 0) await (await goods(10)).takeAll(10)
    t.true((await sum('daybook_lost_races')) > 0)
    t.false(Number.isNaN(await sum('daybook_commands_decided_for_others')))
  },
)

/** A resource of which so many pieces are there, and callers who take one each, in two processes by turns. */
const goods = async (pieces: number) => {
  const key = await walletHolder(app)
  const { json } = await ok(app.call('POST', '/v1/resources', { key, body: { amount: 5, stock: pieces } }))
  const resId: string = json.res_id
  const path = `/v1/resources?res_id=${resId}&action=stock`
  const clients = [app, createClient(() => web.at, CALL_LIMIT_MS)]
  const take = async (n: number) => {
    const body = { add: -1, reason: 'lost' }
    const headers = { 'idempotency-key': `taking-${n}` }
    // On a busy machine the ledger may not answer in time, or too many may take at once: the same taking is sent again,
    // which takes nothing where the first time did.
    for (;;) {
      const { status } = await (clients[n % 2] as typeof app).call('POST', path, { key, body, headers })
      if (status !== 503 && status !== 429) return status
    }
  }
  return { resId, takeAll: (count: number) => Promise.all(Array.from({ length: count }, (_, n) => take(n))) }
}

/** How many are left by the log. */
const left = async (resId: string): Promise<number | null> => {
  const events = (await logOf(app)).filter(({ stream }) => stream === `stock-${resId}`)
  return fold(deciders.stock, events).count ?? null
}

const sum = async (name: string): Promise<number> => {
  const all = await Promise.all([app.served(), web, followers].map((each) => gauge(each, name)))
  return all.reduce((total, each) => total + each, 0)
}

test.serial('N-112 a process that only follows answers how it is, and nothing else', async (t) => {
  const { call } = createClient(() => followers.at)
  t.is((await call('GET', '/healthz')).status, 200)
  t.is((await call('GET', '/readyz?verbose=1')).status, 200)
  for (const path of ['/', '/v1/me', '/dashboard', '/healthz/x', '/openapi.json']) {
    const { status, json } = await call('GET', path)
    t.deepEqual([status, json.error_code], [404, 'svc_not_found'], path)
  }
})

test.serial('N-112 a process that only answers requests never takes a turn of what follows the log', async (t) => {
  const sql = connect(app.databaseUrl, { max: 1 })
  t.teardown(() => sql.end({ timeout: 1 }))
  const client = createClient(() => web.at)
  t.is((await client.call('GET', '/readyz')).status, 200)
  await app.served().stop()
  await followers.stop()
  // Nothing tells that a turn is not taken: whoever wants one asks for it each second.
  await sleep(1_500)
  const turns = await sql`
    select from pg_locks l join pg_stat_activity a using (pid)
    where l.locktype = 'advisory' and a.application_name = 'daybook lease' and a.datname = current_database()`
  t.is(turns.length, 0)
  t.is((await client.call('GET', '/healthz')).status, 200)
})

/** What a process tells of itself to who watches over it. */
const gauge = async ({ metricsUrl }: RunningService, name: string): Promise<number> => {
  const text = await (await fetch(metricsUrl)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')
      .at(-1),
  )
}
