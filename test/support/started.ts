/**
 * What `npm test` makes once for all test files: a database with all tables of a service of this version, and nothing
 * in them.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followLog } from '../../adapters/postgres/checkpoints.ts'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { createCutStreamRows } from '../../adapters/postgres/cut-streams.ts'
import { createMissing } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { freePort } from '../../src/demo/port.ts'
import { serve } from '../../src/runtime/serve.ts'
import { readConfig } from '../../src/settings/config.ts'
import { asAdmin, STARTED, tablesOf } from './postgres.ts'

/** Nobody may be connected to a database that is copied, so this one is left at once. */
export async function provideStartedDatabase(server: string): Promise<void> {
  await asAdmin(server, (admin) => admin`create database ${admin(STARTED)}`)
  const url = new URL(server)
  url.pathname = `/${STARTED}`
  await startOnce(url.href)
  const sql = connect(url.href, { max: 1 })
  try {
    await makeLate(sql)
    await emptyTables(sql)
    for (const projection of projections) await createMissing(sql, projection, true)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** The service makes its tables at its start. */
const startOnce = async (databaseUrl: string): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'daybook-started-'))
  const env = {
    PORT: String(await freePort()),
    METRICS_PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    RATES: 'fixed',
  }
  try {
    await (await serve(readConfig(env))).stop()
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The tables that a service makes with the first event of its log, and those for a log on a server. */
const makeLate = async (sql: Sql): Promise<void> => {
  await followLog(sql, { id: 'none', name: 'none' })
  await createCutStreamRows(sql)
}

/** Whoever starts on it has a log and a master key of its own. */
const emptyTables = async (sql: Sql): Promise<void> => {
  await sql.unsafe(`truncate ${(await tablesOf(sql)).join(', ')} restart identity`)
}
