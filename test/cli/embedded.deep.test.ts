/**
 * An installation with nothing but DATA_DIR: its own log, PostgreSQL and sandbox chain, also after the service was
 * killed.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { connect as connectTo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { createClient } from '../../src/demo/client.ts'
import { eventually } from '../../src/demo/stage.ts'
import { PAY_TO } from '../support/seller.ts'
import { daybook, type Env, type Service, startService, tempDir } from './daybook.ts'

// The contexts of tests are copies, and a test that starts the service again must tell the next.
let env: Env & { DATA_DIR: string }
let service: Service

test.before(async () => {
  env = { PORT: '0', METRICS_PORT: '0', DATA_DIR: join(await tempDir(), 'data'), LOG_LEVEL: 'silent' }
  service = await startService(env)
  const { call } = createClient(() => service.url)
  await call('POST', '/v1/signup', { body: { email: 'one@example.test', password: 'correct horse' } })
})

test.after.always(async () => {
  await service.stop()
  await rm(join(env.DATA_DIR, '..'), { recursive: true, force: true })
})

test.serial('the sandbox chain of the running service is paid on', async (t) => {
  t.regex(service.ready.sandbox?.eth ?? '', /^http:/)
  const { code, stdout, stderr } = await daybook(env, 'sandbox', 'pay', '--to', PAY_TO, '--amount', '0.04', '--json')
  t.is(code, 0, stderr)
  const paid = JSON.parse(stdout)
  t.regex(paid.hash, /^0x[0-9a-f]{64}$/)
  t.deepEqual([paid.to, paid.amount], [PAY_TO, '0.04'])
})

test.serial("a command beside the service leaves the service's PostgreSQL running", async (t) => {
  const { code, stderr } = await daybook(env, 'replay', '--verify')
  t.is(code, 0, stderr)
  t.is((await daybook(env, 'replay')).code, 0)
  t.is((await fetch(`${service.url}/readyz`)).status, 200)
})

test.serial('a second signal ends a service that is still answering at once', async (t) => {
  const socket = connectTo(Number(new URL(service.url).port), 'localhost')
  socket.on('error', () => {})
  socket.write(
    'POST /v1/signup HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
  )
  await pause(200)
  service.child.kill('SIGTERM')
  await pause(600)
  t.is(service.child.exitCode, null, 'it waits for the answer')
  service.child.kill('SIGTERM')
  t.is((await service.gone).code, 1)
  socket.destroy()
})

test.serial('commands work after the service was killed, and after its process id went to another', async (t) => {
  const file = join(env.DATA_DIR, 'running.json')
  service = await startService(env)
  service.child.kill('SIGKILL')
  await service.gone
  t.true((await readFile(file, 'utf8')).includes(String(service.child.pid)))
  const killed = await daybook(env, 'replay', '--verify')
  t.is(killed.code, 0, killed.stderr)

  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), pid: process.pid }))
  const reused = await daybook(env, 'events', 'tail', '--json')
  t.is(reused.code, 0, reused.stderr)
  t.regex(reused.stdout, /AccountSignedUp/)
  const pay = await daybook(env, 'sandbox', 'pay', '--to', PAY_TO, '--amount', '1')
  t.is(pay.code, 1)
  t.regex(pay.stderr, /no service is running/)

  await writeFile(file, '{ half')
  const exported = await daybook(env, 'export', 'transactions')
  t.is(exported.code, 0, exported.stderr)
  service = await startService(env)
  const { url } = service
  await eventually('the service is ready', async () => (await fetch(`${url}/readyz`)).status === 200)
})

test.serial('a log whose PostgreSQL was lost is replayed into a new one', async (t) => {
  t.is((await service.stop()).code, 0)
  await rm(join(env.DATA_DIR, 'postgres'), { recursive: true })
  const csv = await daybook(env, 'export', 'transactions')
  t.is(csv.code, 2)
  t.regex(csv.stderr, /holds no read models yet/)
  const { code, stdout } = await daybook(env, 'replay', '--json')
  t.is(code, 0)
  t.is(JSON.parse(stdout).models[0].rows.accounts, 1)
})
