/**
 * What the tests of `daybook migrate` need: stores that a log moves to, the command in this process, and what the
 * product says before and after.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../../adapters/postgres/connect.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import { type Core, openCore } from '../../adapters/store/node/core.ts'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { effects } from '../../domain/reactions/effects/index.ts'
import { policies } from '../../domain/reactions/policies/index.ts'
import { projections } from '../../projections/index.ts'
import { openBooks } from '../../src/books/books.ts'
import { asOfWhole } from '../../src/commands/books/as-of-whole.ts'
import { exportTransactions } from '../../src/commands/exports/exports.ts'
import { migrate } from '../../src/commands/log/migrate.ts'
import type { Output } from '../../src/console/output.ts'
import { eventually } from '../../src/demo/stage.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import type { TestApp } from '../support/app.ts'
import { everything } from '../support/ledger.ts'
import type { Env } from './daybook.ts'

export type Target = Awaited<ReturnType<typeof openTarget>>

/**
 * A store behind EventStoreDB's protocol. `intercept` sees every append before it is made, and may keep it or its
 * answer back.
 */
export const openTarget = async () => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-target-'))
  const file = join(dir, 'events.db')
  const core = openCore(file)
  const hook: { intercept: (go: Core['append']) => Core['append'] } = { intercept: (go) => go }
  const served = await serveProtocol(
    { ...core, append: (...call) => hook.intercept(core.append)(...call) },
    '127.0.0.1:0',
  )
  return {
    file,
    core,
    hook,
    url: `esdb://${served.address}?tls=false`,
    async stop() {
      await served.stop()
      await core.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** What commands told as JSON; the rejection of one that failed. */
type Told = { ok: unknown; told: unknown[] }

const told = async (
  env: Env,
  act: (books: ReturnType<typeof openBooks>, out: Output) => Promise<unknown>,
): Promise<Told> => {
  const lines: unknown[] = []
  const out: Output = { json: true, tell: async (value) => void lines.push(value), remark: () => {} }
  const books = openBooks(readConfig(env))
  try {
    return { ok: await act(books, out), told: lines }
  } finally {
    await books.close()
  }
}

/** The command in this process; answers what it tells, and rejects as it does. */
export const move = async (env: Env, to: string, verify = false) => {
  const { ok, told: lines } = await told(env, (books, out) => migrate(books, out, readConfig(env), { to, verify }))
  // biome-ignore lint/suspicious/noExplicitAny: whatever it said.
  return { ok, ...(lines[0] as any) }
}

const PATHS = ['/v1/me', '/v1/wallets', '/v1/resources', '/v1/webhook', '/v1/agent', '/v1/transactions?limit=500']

/** Every answer that only reads, to the byte. */
export const answersOf = async (app: TestApp, key: string): Promise<Record<string, string>> => {
  const { json } = await app.call('GET', '/v1/transactions?limit=500', { key })
  const ids = (json.transactions as { id: string }[]).map(({ id }) => id)
  const paths = [
    ...PATHS,
    '/v1/transactions?download=1',
    ...ids.flatMap((id) => [
      `/v1/transactions?transaction_id=${id}`,
      `/v1/transactions?transaction_id=${id}&webhook_log=1`,
    ]),
  ]
  const answers: Record<string, string> = {}
  for (const path of paths) {
    const { status, text } = await app.call('GET', path, { key })
    answers[path] = `${status} ${text}`
  }
  for (const id of ids) {
    const body = `function=get-transaction&transaction_id=${id}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const { status, text } = await app.call('POST', '/api.php', { key, body, headers })
    answers[`/api.php ${id}`] = `${status} ${text}`
  }
  return answers
}

/** The trial balance of a moment and the export, as the command line gives them. The service is stopped. */
export const booksOf = async (env: Env, time: Date): Promise<{ trial: unknown; csv: string }> => {
  const books = await told(env, (each, out) => asOfWhole(each, out, { time }))
  const { position: _, ...trial } = books.told[0] as Record<string, unknown>
  const csv = join(env.DATA_DIR ?? '', 'books.csv')
  await told(env, (each, out) =>
    exportTransactions(each, out, { out: csv, masterKey: () => openDataDir(readConfig(env)).masterKey() }),
  )
  return { trial, csv: await readFile(csv, 'utf8') }
}

/** The whole log of a server, or of a file that nobody has open. */
export const logOf = async (at: string): Promise<readonly RecordedEvent[]> => {
  const store = at.startsWith('file:') ? embeddedPlace(at.slice('file:'.length)).store : eventStoreDb(at)
  try {
    return await everything(store)
  } finally {
    await store.close()
  }
}

/** Resolves once a service has all its read models, policies and effects at work. */
export const everyTurnTaken = async (databaseUrl: string): Promise<void> => {
  const sql = connect(databaseUrl, { max: 1 })
  const followers = projections.length + policies.length + effects.length
  try {
    await eventually('every turn to be taken', async () => {
      const [row] = await sql<{ locks: number }[]>`
        select count(*)::int as locks from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and granted and d.datname = current_database()`
      return (row?.locks ?? 0) >= followers
    })
  } finally {
    await sql.end({ timeout: 1 })
  }
}
