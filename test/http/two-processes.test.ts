/** Two processes on one log and one PostgreSQL, each asked over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { freePort } from '../../src/demo/port.ts'
import { type RunningService, serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { startApp, type TestApp } from '../support/app.ts'

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
