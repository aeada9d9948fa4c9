import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { connect } from '../adapters/postgres/connect.ts'
import { embeddedStore } from '../adapters/store/embedded.ts'
import { openCore } from '../adapters/store/node/core.ts'
import { compareWithReplay } from '../projections/compare.ts'
import { projections } from '../projections/index.ts'
import { type Client, createClient } from '../src/demo/client.ts'
import { freePort } from '../src/demo/port.ts'
import { startAnvil } from './support/anvil.ts'
import { createDatabase } from './support/postgres.ts'
import { PAY_TO } from './support/seller.ts'
import { type Service, startService } from './support/service.ts'

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
    key ||= await newSeller(client)
    acknowledged.push(...(await writeUntilKilled(client, key, service, CUT_AFTER_MS[round] ?? 0)))
  }
  const service = await startService(env)
  t.is((await client.call('GET', `/v1/resources?res_id=${acknowledged.at(-1)}`, { key })).status, 200)
  await service.stop()

  t.true(acknowledged.length >= WRITERS, `only ${acknowledged.length} writes were acknowledged`)
  t.is(new Set(acknowledged).size, acknowledged.length)
  await audited(t, join(dataDir, 'events.db'), database.url, acknowledged)
})

const newSeller = async (client: Client): Promise<string> => {
  const body = { email: 'crash@example.test', password: 'correct horse' }
  const key: string = (await client.json('POST', '/v1/signup', { body })).api_key
  await client.json('POST', '/v1/wallets', { key, body: { asset: 'eth', address: PAY_TO } })
  return key
}

/** Writes from all sides until the service is killed; answers what it acknowledged. */
const writeUntilKilled = async (client: Client, key: string, service: Service, afterMs: number): Promise<string[]> => {
  const acknowledged: string[] = []
  let running = true
  const writing = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let n = 1; running; n++) {
      const body = { amount: writer * 1000 + n, currency: 'USD' }
      const answer = await client.call('POST', '/v1/resources', { key, body }).catch(() => undefined)
      if (answer?.status === 200) acknowledged.push(answer.json.res_id)
    }
  })
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  await service.kill()
  running = false
  await Promise.all(writing)
  return acknowledged
}

/** Each acknowledged write is in the log once, and no read model differs from a replay. */
const audited = async (t: ExecutionContext, log: string, databaseUrl: string, acknowledged: readonly string[]) => {
  const store = embeddedStore(openCore(log))
  const sql = connect(databaseUrl, { schema: 'daybook' })
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
}
