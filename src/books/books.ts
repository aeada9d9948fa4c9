import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { startEmbeddedPostgres } from '../../adapters/postgres/embedded.ts'
import type { LogPlace } from '../../adapters/store/base/bytes.ts'
import type { LogLine } from '../../adapters/store/base/log-line.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { type MirrorWarning, mirroredLines, mirroredStore, openMirror } from '../../adapters/store/mirror/mirror.ts'
import { embeddedPlace } from '../../adapters/store/node/embedded-bytes.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { checkDatabase } from '../parts/check.ts'
import { mustFit } from '../parts/refusal.ts'
import { mustKnowEvents } from '../parts/release.ts'
import { mustBelong, storeName } from '../settings/belonging.ts'
import type { Config } from '../settings/config.ts'
import { type DataDir, openDataDir, type ServiceNotice } from '../settings/data-dir.ts'
import { reachDatabase } from '../settings/database-reach.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

/**
 * The log and the read models for a command: those of the running service when there is one, which is left as it is;
 * else the embedded ones under DATA_DIR, which are started for the command alone. Settings that name others come first.
 * Each is opened when first asked for.
 */
export type Books = {
  readonly running: ServiceNotice | undefined
  /**
   * Whether the log can be read from any number on, and not only from the position of an event; known once the store is
   * open.
   */
  readonly seekable: boolean
  /** Whether somebody else may write to the log meanwhile. */
  readonly live: boolean
  store(): Promise<LogStore>
  /** Whether the command has written to that log. */
  wrote(): boolean
  /** The log itself, also that of a running service, without its mirror. */
  log(): Promise<Pick<LogPlace, 'name' | 'store' | 'bytes'>>
  /** The same log as lines, up to the position of an event; from its local mirror as far as that goes. */
  lines(after: bigint, until: bigint): AsyncIterable<readonly LogLine[]>
  /**
   * The log that the settings name, byte for byte, for a command that has it to itself; never that of a running
   * service.
   */
  place(): Promise<LogPlace>
  /**
   * One connection, so that a lock it takes is its own. `create` makes the embedded Postgres if there is none yet, and
   * without it NoReadModels is thrown. Throws BadSetting when the database follows another log, and PartsUnfit when it
   * has seen events that the log lacks, unless `anyLog`.
   */
  sql(options?: { schema?: string; create?: boolean; anyLog?: boolean }): Promise<Sql>
  /** The URL of that database; the embedded one is started for it. */
  databaseUrl(): Promise<string>
  /** Adds something to do at the end, also when the command is interrupted. */
  onClose(closer: Closer): void
  close(): Promise<void>
}

type Closer = () => unknown

/** A command may read or write a whole table in one statement, which takes as long as there are rows. */
const STATEMENT_LIMIT_MS = 3_600_000
const SQL_END_S = 5
/** A command reads the log from end to end, and what it has read it does not need again. */
const READING_CACHE_MIB = 8

/** `remark` is told what a person should know, such as why the mirror of the log is not read. */
export const openBooks = (config: Config, remark: (text: string) => void = () => {}): Books => {
  // A mistyped DATA_DIR must not become a new, empty installation.
  const dataDir = existsSync(config.dataDir) ? openDataDir(config) : undefined
  const running = dataDir?.readRunning()
  const storeUrl = config.eventStoreUrl ?? running?.eventStoreUrl
  const closers: Closer[] = []
  const embedded = once(async () => {
    if (!dataDir) throw new BadSetting(`DATA_DIR does not exist: ${config.dataDir}`)
    if (!config.eventStoreUrl && !existsSync(dataDir.eventLog))
      throw new BadSetting(`DATA_DIR holds no event log: ${config.dataDir}`)
    const lock = dataDir.lock()
    closers.push(() => lock.release())
    return dataDir
  })
  // A unix socket is the embedded node's; a server of EventStoreDB has none, but its mirror can be read from anywhere.
  let seekable = storeUrl === undefined || storeUrl.startsWith('unix:')
  const log = once(async () => {
    const opened = storeUrl
      ? await silentPlace(storeUrl)
      : embeddedPlace((await embedded()).eventLog, { cacheMib: READING_CACHE_MIB })
    closers.push(() => opened.close())
    if (!dataDir || !config.logMirror) return { ...opened, plain: opened, mirror: undefined }
    const warn: MirrorWarning = (what, { reason }) => remark(`${what}: ${reason}`)
    const mirror = openMirror(opened.store, dataDir.mirror, warn)
    seekable ||= (await mirror.reach()) >= 0n
    return { ...opened, plain: opened, store: mirroredStore(opened.store, mirror, true), mirror }
  })
  let wrote = false
  const store = once(async (): Promise<LogStore> => {
    const opened = (await log()).store
    const append: LogStore['append'] = (...given) => {
      wrote = true
      return opened.append(...given)
    }
    return { ...opened, append }
  })
  const place = once(async () => {
    const { eventStoreUrl: url } = config
    const opened = url ? await silentPlace(url) : embeddedPlace((await embedded()).eventLog)
    closers.push(() => opened.close())
    return opened
  })
  const embeddedPostgres = once(async () => {
    const server = await startEmbeddedPostgres({ dir: (await embedded()).postgres })
    closers.push(() => server.stop())
    return server.url
  })
  const databaseUrl = async () => config.databaseUrl ?? running?.databaseUrl ?? embeddedPostgres()
  return {
    running,
    get seekable() {
      return seekable
    },
    live: storeUrl !== undefined,
    store,
    wrote: () => wrote,
    log: async () => (await log()).plain,
    async *lines(after, until) {
      const { mirror, bytes } = await log()
      yield* mirror ? mirroredLines(bytes, mirror, after, until) : bytes.readLines(after, until)
    },
    place,
    databaseUrl,
    async sql({ schema = SERVING, create = false, anyLog = false } = {}) {
      if (!config.databaseUrl && !running && !create) mustHavePostgres(await embedded())
      const sql = connect(await databaseUrl(), { schema, max: 1 })
      closers.push(() => sql.end({ timeout: SQL_END_S }))
      if (config.databaseUrl !== undefined) await reachDatabase(sql, { url: config.databaseUrl, seconds: 0 })
      await sql`select set_config('statement_timeout', ${String(STATEMENT_LIMIT_MS)}, false)`
      const name = storeUrl ? storeName(storeUrl) : `file:${dataDir?.eventLog}`
      if (anyLog) return sql
      await mustKnowEvents(sql)
      await mustBelong(sql, await store(), name, create)
      // A running service has looked at it already.
      if (!running) await mustFit(async () => checkDatabase((await log()).plain, sql))
      return sql
    },
    onClose: (closer) => closers.push(closer),
    async close() {
      for (const closer of closers.splice(0).reverse()) await closer()
    },
  }
}

/**
 * Opens a server's log without a word about retries, because a command says itself what went wrong. The client is
 * loaded only here: it is 25 MB that most commands do without.
 */
const silentPlace = async (url: string): Promise<LogPlace> => {
  const { openServer } = await import('../event-store/reach.ts')
  return openServer(url, () => {}, { seconds: 0 })
}

const mustHavePostgres = (dataDir: DataDir) => {
  if (!existsSync(join(dataDir.postgres, 'data')))
    throw new NoReadModels('DATA_DIR holds no read models yet: `daybook replay` makes them from the log')
}

/** There is no database yet. */
export class NoReadModels extends BadSetting {}

const once = <T>(open: () => Promise<T>): (() => Promise<T>) => {
  let opened: Promise<T> | undefined
  return () => {
    opened ??= open()
    return opened
  }
}
