import test from 'ava'
import { startApp } from '../support/app.ts'
import { createDatabase } from '../support/postgres.ts'
import { ok, PAY_TO, signUp } from '../support/seller.ts'
import { startWire } from './proxy.ts'

/** What a call waits for its own writes, and some air. */
const WAIT_MS = 2_000
const AIR_MS = 6_000

test.serial('a call waits no longer for its own writes because the clock is set back meanwhile', async (t) => {
  const database = await createDatabase()
  const url = new URL(database.url)
  const wire = await startWire({ port: Number(url.port), host: url.hostname })
  url.host = `127.0.0.1:${wire.port}`
  const app = await startApp({ env: { DATABASE_URL: url.href } })
  const { now } = Date
  t.teardown(async () => {
    Date.now = now
    wire.restore()
    await app.stop()
    await wire.stop()
    database.drop()
  })
  const { key } = await signUp(app)
  const body = { asset: 'eth', address: PAY_TO }
  await ok(app.call('POST', '/v1/wallets', { key, body: { ...body, asset: 'usdc' } }))
  // Who calls is known from now on without the database.
  await ok(app.call('GET', '/v1/wallets', { key }))
  wire.hold('up', 'down')
  const start = performance.now()
  const writing = app.call('POST', '/v1/wallets', { key, body })
  setTimeout(() => (Date.now = () => now() - 3_600_000), WAIT_MS / 4)
  const { status } = await writing
  t.is(status, 200)
  t.true(performance.now() - start < WAIT_MS + AIR_MS, `it took ${Math.round(performance.now() - start)} ms`)
})
