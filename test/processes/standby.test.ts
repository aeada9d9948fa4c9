/** Two processes on one log and one database, of which the second stands by. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { type Client, createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { type RunningService, serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { shop } from '../support/sale.ts'
import { ok } from '../support/seller.ts'

let leader: TestApp
let standby: { readonly client: Client; readonly service: RunningService; readonly dir: string }

test.before(async () => {
  const port = String(await freePort())
  const env = { PORT: port, BASE_URL: `http://localhost:${port}`, MASTER_KEY: 'ab'.repeat(32) }
  leader = await startApp({ store: 'eventstoredb', env })
  const dir = mkdtempSync(join(tmpdir(), 'daybook-standby-'))
  const own = await freePort()
  const service = await serve(readConfig({ ...leader.env, PORT: String(own), DATA_DIR: dir }))
  standby = { client: createClient(() => `http://localhost:${own}`), service, dir }
})

test.after.always(async () => {
  await standby?.service.stop()
  await leader?.stop()
  rmSync(standby?.dir ?? '', { recursive: true, force: true })
})

test('timing', async (t) => {
  const seller = await shop(leader)
  for (const [name, at, other] of [
    ['leader', leader, standby.client],
    ['standby', standby.client, leader],
  ] as const) {
    const took: number[] = []
    for (let n = 0; n < 60; n++) {
      const begun = performance.now()
      const { json } = await ok(
        at.call('POST', '/v1/resources', { key: seller.key, body: { amount: 100, currency: 'USD' } }),
      )
      took.push(performance.now() - begun)
      const { json: all } = await ok(other.call('GET', `/v1/resources`, { key: seller.key }))
      t.true(JSON.stringify(all).includes(json.res_id))
    }
    took.sort((a, b) => a - b)
    t.log(name, [0, 30, 54, 59].map((n) => took[n]?.toFixed(1)).join(' '))
  }
})
