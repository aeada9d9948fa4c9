/** An installation whose parts can be put back from copies of different times, as an operator does after a loss. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { connect } from '../../adapters/postgres/connect.ts'
import { createVaultTables } from '../../adapters/postgres/vault/vault.ts'
import { openCore } from '../../adapters/store/node/core.ts'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { serveProtocol } from '../../adapters/store/node/protocol.ts'
import { openBooks } from '../../src/books/books.ts'
import type { Output } from '../../src/console/output.ts'
import { createClient } from '../../src/demo/client.ts'
import { freePort } from '../../src/demo/port.ts'
import { type RunningService, serve } from '../../src/runtime/serve.ts'
import { type Config, readConfig } from '../../src/settings/config.ts'
import type { StoreKind } from '../support/app.ts'
import { copyDatabase, createStartedDatabase, overSocket } from '../support/postgres.ts'

/** `data keys` are of the database, and may be put back alone. */
export type PlacedPart = 'log' | 'database' | 'data keys' | 'master key' | 'mirror' | 'witness'

/** A copy of some parts, by their names. */
export type Copy = { readonly dir: string; readonly database: string }

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/** With a mirror unless `env` says otherwise, and without a chain. Nothing runs yet. */
export const openInstallation = async (kind: StoreKind, extra: Readonly<Record<string, string>> = {}) => {
  const dir = mkdtempSync(join(tmpdir(), 'daybook-parts-'))
  const dataDir = join(dir, 'data')
  const first = await createStartedDatabase()
  const drops = [first.drop]
  const dropLater = ({ url, drop }: { url: string; drop(): void }): string => {
    drops.push(drop)
    return overSocket(url)
  }
  const logFile = kind === 'embedded' ? join(dataDir, 'events.db') : join(dir, 'server', 'events.db')
  const storePort = await freePort()
  const env = settings(dataDir, overSocket(first.url), extra)
  if (kind === 'eventstoredb') env.EVENTSTORE_URL = `esdb://127.0.0.1:${storePort}?tls=false`
  const files: Record<Exclude<PlacedPart, 'database' | 'data keys'>, string> = {
    log: logFile,
    'master key': join(dataDir, 'master.key'),
    mirror: join(dataDir, 'mirror'),
    witness: join(dataDir, 'heads.jsonl'),
  }
  let served: RunningService | undefined
  let server: { stop(): Promise<void> } | undefined
  const openServer = async () => {
    if (kind === 'embedded') return
    mkdirSync(dirname(logFile), { recursive: true })
    server ??= await startServer(logFile, storePort)
  }
  const closeServer = async () => {
    await server?.stop()
    server = undefined
  }
  const close = async () => {
    await served?.stop()
    served = undefined
    await closeServer()
  }
  const remove = async (part: PlacedPart) => {
    if (part === 'data keys') await dropKeys(env.DATABASE_URL ?? '')
    else if (part !== 'database') for (const file of filesOf(files[part])) rmSync(file, { recursive: true })
    else env.DATABASE_URL = dropLater(await createStartedDatabase())
  }
  return {
    env,
    files,
    dir,
    config: (): Config => readConfig(env),
    /** Starts the service; rejects as it refuses. */
    async start() {
      await openServer()
      served = await serve(readConfig(env))
      return served
    },
    /** Ends the service, and the server of the log beside it, so that files may be copied. */
    close,
    call: createClient(() => served?.origin ?? '').call,
    /** A copy of all parts as they are; nothing may run. */
    async copy(): Promise<Copy> {
      const to = mkdtempSync(join(dir, 'copy-'))
      for (const file of Object.values(files))
        for (const each of filesOf(file)) cpSync(each, join(to, basename(each)), { recursive: true })
      return { dir: to, database: dropLater(await copyDatabase(env.DATABASE_URL ?? '')) }
    },
    /** Puts one part back from a copy; what is there now is gone. */
    async putBack(part: PlacedPart, copy: Copy) {
      await remove(part)
      if (part === 'database') {
        env.DATABASE_URL = dropLater(await copyDatabase(copy.database))
      } else if (part === 'data keys') {
        await copyKeys(copy.database, env.DATABASE_URL ?? '')
      } else {
        const target = files[part]
        for (const each of filesOf(join(copy.dir, basename(target))))
          cpSync(each, join(dirname(target), basename(each)), { recursive: true })
      }
    },
    /** Puts back what changes with every event; nothing may run. */
    async putBackAll(copy: Copy) {
      for (const part of ['log', 'database', 'mirror', 'witness'] as const) await this.putBack(part, copy)
    },
    remove,
    /** Puts the log back under a service that runs, as an operator does with a server. */
    async swapLog(copy: Copy) {
      await closeServer()
      await this.putBack('log', copy)
      await openServer()
    },
    /** Takes the embedded log back to what it was when an event was its newest; positions stay as they were. */
    async cutLog(position: bigint) {
      const cut = join(dir, 'cut.db')
      const [from, to] = [embeddedPlace(files.log), embeddedPlace(cut)]
      for await (const page of from.bytes.readAll(-1n, position))
        for (const event of page) await to.bytes.append(event.stream, event.revision - 1n, [event])
      await Promise.all([from.close(), to.close()])
      await remove('log')
      renameSync(cut, files.log)
    },
    /** Runs a command in this process; answers what it told, or rejects as it does. */
    async run(act: (books: ReturnType<typeof openBooks>, config: Config, out: Output) => Promise<unknown>) {
      if (!served) await openServer()
      const told: unknown[] = []
      const out: Output = { json: true, tell: async (value) => void told.push(value), remark: () => {} }
      const books = openBooks(readConfig(env))
      try {
        const ok = await act(books, readConfig(env), out)
        // biome-ignore lint/suspicious/noExplicitAny: whatever it said.
        return { ok, told: told[0] as any }
      } finally {
        await books.close()
        if (!served) await closeServer()
      }
    },
    async stop() {
      await close()
      for (const drop of drops) drop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const settings = (
  dataDir: string,
  databaseUrl: string,
  extra: Readonly<Record<string, string>>,
): Record<string, string> => ({
  PORT: '0',
  METRICS_PORT: '0',
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl,
  LOG_LEVEL: 'silent',
  LOG_MIRROR: 'on',
  RATES: 'fixed',
  SEAL_EVERY_SECONDS: '1',
  SIGN_UPS_PER_MINUTE: '100000',
  CHAIN_ETH_RPC: 'http://127.0.0.1:1',
  CHAIN_ETH_ID: '31337',
  ...extra,
})

/** A file with what SQLite keeps beside it, or a directory. */
const filesOf = (file: string): string[] =>
  existsSync(dirname(file))
    ? readdirSync(dirname(file))
        .filter((name) => new RegExp(`^${basename(file).replaceAll('.', '\\.')}(-wal|-shm)?$`).test(name))
        .map((name) => join(dirname(file), name))
    : []

const startServer = async (file: string, port: number) => {
  const core = openCore(file)
  const protocol = await serveProtocol(core, `127.0.0.1:${port}`)
  return {
    async stop() {
      await protocol.stop()
      await core.close()
    },
  }
}

const dropKeys = async (url: string): Promise<void> => {
  const sql = connect(url, { max: 1 })
  await sql`drop schema if exists daybook_vault cascade`
  await sql.end()
}

/** As a backup of the schema alone is put back. */
const copyKeys = async (from: string, to: string): Promise<void> => {
  const [source, target] = [connect(from, { max: 1 }), connect(to, { max: 1 })]
  try {
    await target`drop schema if exists daybook_vault cascade`
    await createVaultTables(target)
    for (const table of ['data_keys', 'missing_keys', 'master_key']) {
      const rows = await source`select * from daybook_vault.${source(table)}`
      for (const row of rows) await target`insert into daybook_vault.${target(table)} ${target(row)}`
    }
  } finally {
    await Promise.all([source.end(), target.end()])
  }
}
