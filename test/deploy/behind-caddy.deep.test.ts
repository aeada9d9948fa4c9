import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import anyTest, { type ExecutionContext } from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { deployProgram } from '../support/deploy-programs.ts'
import { freshAddress } from '../support/seller.ts'
import { startService } from '../support/service.ts'
import { firstSeller } from './first-sale.ts'
import { openSurroundings } from './surroundings.ts'

const caddy = deployProgram('caddy')
const test = caddy === undefined ? anyTest.skip : anyTest

/** Calls under way at once. */
const LANES = 12
/** Writes that are answered before and after each thing that happens to a process. */
const MANY = 200
const WAIT_MS = 60_000
const RESOURCE = { amount: 5, currency: 'USD' }
/** Limits that the load does not come to. */
const UNLIMITED: Readonly<Record<string, string>> = Object.fromEntries([
  ['UNPAID_PER_NETWORK', '3000'],
  ...['KEY', 'ADDRESS', 'VISITOR'].flatMap((of) => [
    [`${of}_RATE_PER_SECOND`, '1000000'],
    [`${of}_RATE_BURST`, '1000000'],
  ]),
])

test('N-156 of two processes behind Caddy one is killed, upgraded and started: what was in flight on it alone fails', async (t) => {
  t.timeout(600_000)
  const { origin, inbox, processes } = await behindCaddy(t)
  const client = createClient(() => origin)
  const key = await firstSeller(client, { inbox })
  await client.json('POST', '/v1/wallets', { key, body: { asset: 'eth', address: freshAddress() } })
  t.is((await client.call('POST', '/v1/resources', { key, body: RESOURCE })).status, 200)
  const load = startLoad(origin, key)
  t.teardown(load.stop)
  const more = (count: number) => {
    const goal = load.made.length + count
    return eventually('writes that are answered', async () => load.made.length > goal, WAIT_MS)
  }
  await more(MANY)

  const killing = performance.now()
  await processes.kill(0)
  const killed = performance.now()
  await more(MANY)
  await processes.start(0)
  const back = performance.now()
  await more(MANY)
  const stopping = performance.now()
  await processes.stop(1)
  const stopped = performance.now()
  await processes.start(1)
  await more(MANY)
  await load.stop()

  const failed = load.calls.filter(({ status }) => status >= 500 || status === 0)
  const next = Math.min(...load.calls.filter(({ from, status }) => from > killed && status === 200).map(({ to }) => to))
  t.log(`the first answer came ${Math.round(next - killed)} ms after the kill`)
  t.log(`${load.calls.length} calls, ${failed.length} failed: ${JSON.stringify(failed)}`)
  const inFlight = failed.filter(({ from, to }) => from < killed && to > killing)
  t.deepEqual(
    failed.filter((call) => !inFlight.includes(call)),
    [],
    `nothing else failed; the stop began at ${stopping}`,
  )
  t.true(inFlight.length <= LANES)
  t.true(load.servedBetween(killed, back), 'the other one serves on after the kill')
  t.true(load.servedBetween(stopping, stopped), 'and while one stops')

  const doors = await Promise.all(load.made.slice(-100).map((id) => client.call('GET', `/r/${id}`)))
  t.deepEqual(new Set(doors.map(({ status }) => status)), new Set([402]), 'what was answered is there')
})

type Call = { readonly what: string; readonly status: number; readonly from: number; readonly to: number }

/** Reads and writes, one after the other in each lane; status 0 where no answer came. */
const startLoad = (origin: string, key: string) => {
  const calls: Call[] = []
  const made: string[] = []
  let ended = false
  const client = createClient(() => origin)
  const one = async (what: string, act: () => Promise<number>) => {
    const from = performance.now()
    const status = await act().catch(() => 0)
    calls.push({ what, status, from, to: performance.now() })
  }
  const write = async () => {
    const { status, json } = await client.call('POST', '/v1/resources', { key, body: RESOURCE })
    if (status === 200) made.push(json.res_id)
    return status
  }
  const read = async () => (await client.call('GET', '/v1/me', { key })).status
  const lanes = Array.from({ length: LANES }, async () => {
    while (!ended) {
      await one('read', read)
      await one('write', write)
    }
  })
  return {
    calls,
    made,
    /** Whether a call was begun and answered within. */
    servedBetween: (from: number, to: number): boolean =>
      calls.some((call) => call.from > from && call.to < to && call.status === 200),
    async stop() {
      ended = true
      await Promise.all(lanes)
    },
  }
}

/** Two processes on one log and one database, and Caddy in front with the file that installations have. */
const behindCaddy = async (t: ExecutionContext) => {
  const around = await openSurroundings()
  t.teardown(around.close)
  const [front = 0, ...ports] = await Promise.all([freePort(), freePort(), freePort()])
  const origin = `http://127.0.0.1:${front}`
  const { MASTER_KEY, SMTP_URL, CHAIN_ETH_RPC, CHAIN_ETH_ID } = around.env
  const start = async (n: number) => {
    const dir = join(around.dir, `process-${n}`)
    await mkdir(dir, { recursive: true })
    const own = { PORT: String(ports[n]), METRICS_PORT: '0', DATA_DIR: dir, BASE_URL: origin, TRUST_PROXY: '1' }
    const shared = { MASTER_KEY, SMTP_URL, CHAIN_ETH_RPC, CHAIN_ETH_ID, RATES: 'fixed', LOG_LEVEL: 'silent' }
    return startService({ ...shared, ...around.outside, ...UNLIMITED, ...own }, ['--stop-notice', '5'])
  }
  const processes = [await start(0), await start(1)]
  t.teardown(() => Promise.all(processes.map((each) => each.kill())))
  const child = spawn(String(caddy), ['run', '--config', 'deploy/Caddyfile', '--adapter', 'caddyfile'], {
    env: {
      PATH: process.env.PATH,
      HOME: around.dir,
      DAYBOOK_HOSTS: origin,
      DAYBOOK_UPSTREAMS: ports.map((port) => `127.0.0.1:${port}`).join(' '),
    },
    stdio: 'ignore',
  })
  t.teardown(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  await eventually('Caddy', () =>
    fetch(`${origin}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false),
  )
  return {
    origin,
    inbox: around.inbox,
    processes: {
      kill: async (n: number) => processes[n]?.kill(),
      stop: async (n: number) => processes[n]?.stop(),
      start: async (n: number) => {
        processes[n] = await start(n)
      },
    },
  }
}
