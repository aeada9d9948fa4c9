import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Sql } from '../../../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../../../adapters/postgres/embedded.ts'
import type { LogPlace } from '../../../adapters/store/base/bytes.ts'
import { BackupRefusal } from '../../backup/refused.ts'
import { openServer } from '../../event-store/reach.ts'
import { storeName } from '../../settings/belonging.ts'
import type { Config } from '../../settings/config.ts'
import { type DataDir, openDataDir } from '../../settings/data-dir.ts'
import { unfinishedRestore } from '../../settings/unfinished-restore.ts'

/** An empty place that a backup is put back into: what the settings name, or DATA_DIR. */
export type RestoreTarget = {
  readonly dataDir: DataDir
  /** The log of a server; undefined where the log is the embedded one. */
  readonly server: LogPlace | undefined
  /** The database; an embedded one is made now. */
  sql(): Promise<Sql>
  /** From now on nothing starts here, until `finish`. */
  begin(backup: string): void
  finish(): void
  close(): Promise<void>
}

/** What may lie in DATA_DIR before: the master key, which is kept apart from backups, and what locks the place. */
const MAY_BE_THERE: ReadonlySet<string> = new Set(['master.key', 'lock'])
/** Names of files that a refusal tells. */
const TOLD = 5
/** A table may be written in one statement, which takes as long as there are rows. */
const STATEMENT_MS = 3_600_000

/** Throws BackupRefusal when anything is there already, and BadSetting when somebody uses DATA_DIR. */
export const openTarget = async (config: Config): Promise<RestoreTarget> => {
  const closers: (() => unknown)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    mustBeEmpty(config.dataDir)
    const dataDir = openDataDir(config)
    const lock = dataDir.lock()
    closers.push(() => lock.release())
    const server = await emptyServer(config, closers)
    const outside = config.databaseUrl === undefined ? undefined : await emptyDatabase(config.databaseUrl, closers)
    const marker = unfinishedRestore(config.dataDir)
    return {
      dataDir,
      server,
      sql: async () => outside ?? connected(await embeddedUrl(dataDir, closers), closers),
      begin: (backup) => {
        writeFileSync(marker, `${backup}\n`, { mode: 0o600 })
        syncFolder(config.dataDir)
      },
      finish: () => {
        rmSync(marker)
        syncFolder(config.dataDir)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

const mustBeEmpty = (dir: string): void => {
  if (!existsSync(dir)) return
  if (existsSync(unfinishedRestore(dir))) throw new BackupRefusal('restore_unfinished', `remove ${dir} first`)
  const found = readdirSync(dir).filter((name) => !MAY_BE_THERE.has(name))
  if (found.length > 0) throw new BackupRefusal('target_not_empty', `DATA_DIR holds ${found.slice(0, TOLD).join(', ')}`)
}

type Closers = (() => unknown)[]

const emptyServer = async ({ eventStoreUrl: url }: Config, closers: Closers): Promise<LogPlace | undefined> => {
  if (url === undefined) return undefined
  const place = await openServer(url, () => {}, { seconds: 0 })
  closers.push(() => place.close())
  for await (const page of place.bytes.readAll(-1n, await place.store.head()))
    if (page.length > 0) throw new BackupRefusal('target_not_empty', `the log at ${storeName(url)} holds events`)
  return place
}

/** Tables, and which of their rows a database has that was used: one that saw an empty log alone has others. */
const USED = [
  ['daybook_vault.data_keys', 'true'],
  ['daybook_media.pictures', 'true'],
  ['daybook_run.log', 'true'],
  ['daybook.checkpoints', 'position >= 0'],
] as const

const emptyDatabase = async (url: string, closers: Closers): Promise<Sql> => {
  const sql = connected(url, closers)
  for (const [table, isUsed] of USED) {
    const [there] = await sql<{ there: boolean }[]>`select to_regclass(${table}) is not null as there`
    if (!there?.there) continue
    const [row] = await sql`select 1 from ${sql(table)} where ${sql.unsafe(isUsed)} limit 1`
    if (row) throw new BackupRefusal('target_not_empty', `the database at DATABASE_URL holds rows in ${table}`)
  }
  return sql
}

const embeddedUrl = async (dataDir: DataDir, closers: Closers): Promise<string> => {
  const server = await startEmbeddedPostgres({ dir: dataDir.postgres })
  closers.push(() => server.stop())
  return server.url
}

const connected = (url: string, closers: Closers): Sql => {
  const sql = connect(url, { max: 1, statementMs: STATEMENT_MS })
  closers.push(() => sql.end({ timeout: 5 }))
  return sql
}

/** Makes the names in a directory durable. */
export const syncFolder = (dir: string): void => {
  const opened = openSync(dir, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
