/** Two processes on one log and one PostgreSQL, each asked over HTTP. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client'
import test from 'ava'
import { doctor } from '../../src/commands/parts/doctor.ts'
import { freePort } from '../../src/demo/port.ts'
import { eventually } from '../../src/demo/stage.ts'
import { type RunningService, serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { startApp, storeUrlOf, type TestApp } from '../support/app.ts'
import { inProcess } from '../support/commands.ts'

/** Sign-ins that one address may begin in a minute; the next flows in after five seconds. */
const SIGN_INS = 12

let app: TestApp
let beside: { readonly port: string; readonly served: RunningService }
let dir: string

/** Another process with the same settings. */
const startBeside = async () => {
  const port = String(await freePort())
  return { port, served: await serve(readConfig({ ...app.env, PORT: port, DATA_DIR: dir })) }
}

test.before(async () => {
  const port = String(await freePort())
  const shared = { PORT: port, BASE_URL: `http://localhost:${port}`, MASTER_KEY: 'ab'.repeat(32) }
  const env = { ...shared, AUTHORIZE_PER_MINUTE: String(SIGN_INS), TRUST_PROXY: '1' }
  app = await startApp({ store: 'eventstoredb', env })
  dir = mkdtempSync(join(tmpdir(), 'daybook-beside-'))
  beside = await startBeside()
})

test.after.always(async () => {
  await beside?.served.stop()
  await app?.stop()
  if (dir) rmSync(dir, { recursive: true, force: true })
})

/** Begins a sign-in at the process on a port; answers the seconds to wait, 0 when it was let through. */
const signIn = async (port: string | undefined, address: string): Promise<number> => {
  const headers = { 'x-forwarded-for': address }
  const answer = await fetch(`http://localhost:${port}/oauth2?op=authorize`, { headers, redirect: 'manual' })
  await answer.arrayBuffer()
  return answer.status === 429 ? Number(answer.headers.get('retry-after')) : 0
}

/** How many sign-ins of an address pass until all of these processes refuse. */
const passed = async (ports: readonly (string | undefined)[], address: string): Promise<number> => {
  for (let count = 0; ; ) {
    const waits = await Promise.all(ports.map((port) => signIn(port, address)))
    count += waits.filter((wait) => wait === 0).length
    if (!waits.includes(0)) return count
  }
}

test.serial('N-113 N-09 a limit is the same over two processes, and a restart gives nothing back', async (t) => {
  const began = performance.now()
  const ports = [app.env.PORT, beside.port]
  t.is(await passed(ports, '203.0.113.1'), SIGN_INS)
  t.true((await signIn(beside.port, '203.0.113.1')) >= 1)
  await beside.served.stop()
  beside = await startBeside()
  // Slow machines let some flow in meanwhile, and no more than that.
  const flown = Math.ceil((performance.now() - began) / 5_000)
  t.true((await passed([app.env.PORT, beside.port], '203.0.113.1')) <= flown)
  t.is(await signIn(beside.port, '203.0.113.2'), 0, 'another address is not slowed')
})

const readyAt = async (port: string | undefined) => {
  const answer = await fetch(`http://localhost:${port}/readyz`)
  const { ready, checks } = (await answer.json()) as {
    ready: boolean
    checks: { followers: Followers; processes: { own: string; alive: number } }
  }
  return { status: answer.status, ready, followers: checks.followers, processes: checks.processes }
}

type Followers = { status: string; turn: string; running: number; standing_by: number; stopped: Record<string, object> }

/** Which followers run in a process, as its metrics say. */
const runningAt = async (served: RunningService): Promise<readonly string[]> => {
  const text = await (await fetch(served.metricsUrl)).text()
  return [...text.matchAll(/^daybook_follower_runs_here\{follower="([^"]+)"\} 1$/gm)].map(([, name]) => name ?? '')
}

type Examined = { id: string; runs: string[] | null; stopped: string[]; behind: number | null; parts: string[] }

const examined = async (): Promise<readonly Examined[]> => {
  const { told } = await inProcess(app.env, (books, out) => doctor(books, readConfig(app.env), out))
  return (told as { processes: Examined[] }).processes
}

test.serial('N-114 each process tells of itself whether it runs the followers or stands by', async (t) => {
  const both = await Promise.all([app.env.PORT, beside.port].map(readyAt))
  t.deepEqual(
    both.map(({ status, ready, processes }) => [status, ready, processes.alive]),
    [
      [200, true, 2],
      [200, true, 2],
    ],
  )
  t.is(new Set(both.map(({ processes }) => processes.own)).size, 2)
  const here = await runningAt(app.served())
  const there = await runningAt(beside.served)
  const all = [...here, ...there]
  t.true(all.length > 50 && new Set(all).size === all.length, 'each follower runs in one process')
  t.deepEqual(
    both.map(({ followers }) => [followers.running, followers.standing_by]),
    [
      [here.length, there.length],
      [there.length, here.length],
    ],
  )
  t.deepEqual(
    both.map(({ followers }) => followers.turn),
    [here, there].map((names) => (names.length > 0 ? 'runs' : 'stands-by')),
  )
})

test.serial('N-114 doctor lists the processes with what they run, and those that have ended no more', async (t) => {
  const own = (await readyAt(app.env.PORT)).processes.own
  const total = (await runningAt(app.served())).length + (await runningAt(beside.served)).length
  let listed: readonly Examined[] = []
  await eventually('both reports of what they run', async () => {
    listed = await examined()
    return listed.length === 2 && listed.flatMap(({ runs }) => runs ?? []).length === total
  })
  t.true(listed.every(({ behind, runs }) => (runs?.length === 0 ? behind === null : Number(behind) >= 0)))
  await beside.served.stop()
  await eventually('the takeover', async () => {
    listed = await examined()
    return listed.length === 1 && listed[0]?.runs?.length === total
  })
  t.is(listed[0]?.id, own)
  beside = await startBeside()
  const { status, followers, processes } = await readyAt(beside.port)
  t.deepEqual([status, followers.turn, followers.running, processes.alive], [200, 'stands-by', 0, 2])
})

test.serial('N-114 a process is ready beside one whose follower stands at an event', async (t) => {
  await beside.served.stop()
  const client = EventStoreDBClient.connectionString(storeUrlOf(app))
  t.teardown(() => client.dispose())
  const metadata = { v: 1, at: '2026-03-02T10:00:00.000Z', cause: { actor: 'other', correlationId: 'req_other' } }
  const event = jsonEvent({ id: randomUUID(), type: 'ResourceCreated', data: {}, metadata })
  await client.appendToStream('resource-res_of_nobody', event, { credentials: { username: 'o', password: 'o' } })
  await eventually('the stop', async () => (await readyAt(app.env.PORT)).followers.status === 'stopped')
  await eventually('the report', async () => (await examined()).some(({ stopped }) => stopped.length > 0))
  beside = await startBeside()
  // It would wait for ever for what only an operator can move.
  const { status, followers } = await eventually('that it is ready', async () => {
    const found = await readyAt(beside.port)
    return found.ready && found
  })
  t.deepEqual([status, followers.status, followers.turn], [200, 'ok', 'stands-by'])
  t.deepEqual(followers.stopped, {})
})
