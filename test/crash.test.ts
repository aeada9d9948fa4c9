import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { connect } from '../adapters/postgres/connect.ts'
import { embeddedStore } from '../adapters/store/embedded.ts'
import { openCore } from '../adapters/store/node/core.ts'
import { compareWithReplay } from '../projections/compare.ts'
import { projections } from '../projections/index.ts'
import { createClient } from '../src/demo/client.ts'
import { startAnvil } from './support/anvil.ts'
import { freePort } from './support/port.ts'
import { createDatabase } from './support/postgres.ts'
import { PAY_TO } from './support/seller.ts'
import { startService } from './support/service.ts'

const ROUNDS = 5
const WRITERS = 64
/** Each round is cut a little later than the one before, so that the kills fall on different work. */
const CUT_AFTER_MS = [250, 400, 550, 700, 850]

test('X-IDEM-04 killed in the middle of 64 writers, five times, nothing acknowledged is missing or doubled', async (t) => {
  t.timeout(180_000)
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-crash-'))
  const [anvil, database] = await Promise.all([startAnvil(), createDatabase()])
  t.teardown(async () => {
    await Promise.all([anvil.stop(), database.drop()])
    rmSync(dataDir, { recursive: true, force: true })
  })
  const env = {
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    CHAIN_ETH_RPC: anvil.url,
    CHAIN_ETH_ID: String(anvil.chainId),
    LOG_LEVEL: 'silent',
  }
  const client = createClient(() => `http://localhost:${env.PORT}`)
  const acknowledged: string[] = []
  let key = ''
  for (let round = 0; round < ROUNDS; round++) {
    const service = await startService(env)
    if (round === 0) {
      const body = { email: 'crash@example.test', password: 'correct horse' }
      key = (await client.json('POST', '/v1/signup', { body })).api_key
      await client.json('POST', '/v1/wallets', { key, body: { asset: 'eth', address: PAY_TO } })
    }
    let running = true
    const writing = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 1; running; n++) {
        const body = { amount: writer * 1000 + n, currency: 'USD' }
        const answer = await client.call('POST', '/v1/resources', { key, body }).catch(() => undefined)
        if (answer?.status === 200) acknowledged.push(answer.json.res_id)
      }
    })
    await new Promise((resolve) => setTimeout(resolve, CUT_AFTER_MS[round]))
    running = false
    await service.kill()
    await Promise.all(writing)
  }

  const service = await startService(env)
  const sample = acknowledged.at(-1) as string
  t.is((await client.call('GET', `/v1/resources?res_id=${sample}`, { key })).status, 200)
  await service.stop()

  t.true(acknowledged.length >= WRITERS, `only ${acknowledged.length} writes were acknowledged`)
  t.is(new Set(acknowledged).size, acknowledged.length)
  const store = embeddedStore(openCore(join(dataDir, 'events.db')))
  const sql = connect(database.url, { schema: 'daybook' })
  const created = new Map<string, number>()
  for await (const page of store.readAll(-1n))
    for (const { type, stream } of page)
      if (type === 'ResourceCreated') created.set(stream, (created.get(stream) ?? 0) + 1)
  t.deepEqual(
    acknowledged.filter((resId) => created.get(`resource-${resId}`) !== 1),
    [],
  )
  for (const projection of projections)
    t.deepEqual((await compareWithReplay(sql, store, projection)).differences, [], projection.name)
  const [{ count } = { count: -1 }] = await sql<{ count: number }[]>`select count(*)::int as count from resources`
  t.is(count, created.size)
  await sql.end()
  await store.close()
})
