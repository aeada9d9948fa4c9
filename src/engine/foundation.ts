import { type CallLimitRows, createCallLimitRows } from '../../adapters/postgres/call-limits.ts'
import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import { connect, type PipedSql } from '../../adapters/postgres/connect.ts'
import { numberKeys } from '../../adapters/postgres/key-coverage.ts'
import { createPictures, type Pictures } from '../../adapters/postgres/pictures.ts'
import { createRequestLog, type RequestLog } from '../../adapters/postgres/requests/request-log.ts'
import { createSignInRows, type SignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import { createSnapshots } from '../../adapters/postgres/snapshots.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import type { ByteLog } from '../../adapters/store/base/bytes.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { mirroredStore, openMirror } from '../../adapters/store/mirror/mirror.ts'
import type { Snapshots, Vault } from '../../domain/kernel/ports.ts'
import { createGathering } from '../../projections/engine/gathering.ts'
import { createAllMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { beginRelease } from '../backup/before-upgrade.ts'
import { openServer } from '../event-store/reach.ts'
import { checkLog, checkParts, type PartsReport, sharedCheck } from '../parts/check.ts'
import { noteFurthest } from '../parts/database.ts'
import { rememberLog } from '../parts/log.ts'
import { mustFit } from '../parts/refusal.ts'
import { mustBelong } from '../settings/belonging.ts'
import type { Config } from '../settings/config.ts'
import { type DataDir, openDataDir } from '../settings/data-dir.ts'
import { reachDatabase } from '../settings/database-reach.ts'
import { mustBeRestored } from '../settings/unfinished-restore.ts'
import type { Closers, Log, OpenedLog } from './embedded-log.ts'
import type { MirrorPlace } from './mirror.ts'

/** The two databases under everything: the log, and Postgres with what is derived from it. */
export type Foundation = {
  readonly dataDir: DataDir
  readonly store: LogStore
  /** The same log byte for byte: what is sealed. */
  readonly bytes: ByteLog
  /** What the local mirror of the log is written from, and where; undefined without one. */
  readonly mirror: MirrorPlace | undefined
  /** The URL at which another process reaches the same log. */
  readonly eventStoreUrl: string
  /** Whether the log takes writes, as far as this process knows; reads may go on while it does not. */
  writable(): boolean
  readonly sql: PipedSql
  readonly databaseUrl: string
  /** Whether the parts of the installation fit together, as of a second ago at most. */
  parts(): Promise<PartsReport>
  /** Whether the log is still the one that those parts have seen which follow it. */
  logFits(): Promise<PartsReport>
  /**
   * Rejects with BadSetting when the database follows another log than this, and with PartsUnfit when the parts do not
   * fit together; false while the log is empty and nobody can tell.
   */
  belongs(): Promise<boolean>
  /**
   * To be called once the read models have come to the log's end, which is where keys that are missing are found:
   * rejects with PartsUnfit when the parts do not fit together now.
   */
  mustFit(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens what the settings name, or the embedded ones under DATA_DIR. Throws BadSetting when another process runs the
 * embedded ones.
 */
export const openFoundation = async (
  config: Config,
  log: Log,
  openPool: typeof connect = connect,
): Promise<Foundation> => {
  mustBeRestored(config.dataDir)
  const dataDir = openDataDir(config)
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const closer of closers.reverse()) await closer()
  }
  try {
    if (!config.eventStoreUrl || !config.databaseUrl) {
      const lock = dataDir.lock()
      closers.push(async () => lock.release())
    }
    const { place, eventStoreUrl, writable } = await openPlace(config, dataDir, closers, log)
    const mirror = config.logMirror ? { dir: dataDir.mirror, store: place.store, bytes: place.bytes } : undefined
    const store = mirror ? mirroredStore(place.store, openMirror(place.store, mirror.dir, log)) : place.store
    const databaseUrl = config.databaseUrl ?? (await embeddedPostgres(dataDir, closers, log))
    const sql = openPool(databaseUrl, { schema: SERVING, max: config.databaseConnections })
    closers.push(() => sql.end({ timeout: 5 }))
    if (config.databaseUrl !== undefined)
      await reachDatabase(sql, { url: config.databaseUrl, seconds: config.startupWaitSeconds, tell: log })
    const memory = rememberLog()
    const places = { log: place, sql, mirror: mirror?.dir, witness: dataDir.sealWitness, memory }
    const check = () => checkParts({ ...places, masterKeys: dataDir.knownMasterKeys() })
    await mustFit(check, config.eventStoreUrl !== undefined)
    await beginRelease(config, { log: place, sql, heads: dataDir.sealWitness }, log)
    const parts = sharedCheck(check)
    // Each follower asks when it takes its turn. A look serves those who have asked before it began.
    const belonging = createGathering(0, async (all: readonly undefined[]) => {
      const belongsNow = await mustBelong(sql, store, place.name, true)
      return all.map(() => belongsNow)
    })
    const belongs = async () => {
      const belongsNow = await belonging.soon(undefined)
      await mustFit(parts)
      return belongsNow
    }
    await mustBelong(sql, store, place.name, true)
    await prepareSchema(sql, SERVING)
    await noteFurthest(sql, place)
    const emptyLog = (await store.head()) < 0n
    await createAllMissing(sql, projections, emptyLog)
    const opened = { dataDir, store, bytes: place.bytes, mirror, eventStoreUrl, writable, sql, databaseUrl }
    const fitNow = async () => {
      await mustFit(check)
      await numberKeys(sql)
    }
    return { ...opened, parts, logFits: () => checkLog(places), belongs, mustFit: fitNow, close }
  } catch (error) {
    await close()
    throw error
  }
}

export type Records = {
  readonly vault: Vault
  readonly snapshots: Snapshots
  readonly checkpoints: Awaited<ReturnType<typeof createCheckpoints>>
  readonly signIn: SignInRows
  readonly pictures: Pictures
  readonly requestLog: RequestLog
  readonly callLimits: CallLimitRows
  close(): Promise<void>
}

/** Opens what is in PostgreSQL beside the read models: data keys, snapshots, sessions, pictures and the like. */
export const openRecords = async ({ sql, dataDir }: Foundation, log: Log): Promise<Records> => {
  const requestLog = await createRequestLog(sql, log)
  const vault = await createVault({ sql, masterKey: dataDir.masterKeys })
  return {
    vault,
    snapshots: await createSnapshots(sql),
    checkpoints: await createCheckpoints(sql),
    signIn: await createSignInRows(sql),
    pictures: await createPictures(sql),
    requestLog,
    callLimits: await createCallLimitRows(sql),
    async close() {
      await requestLog.close()
      await vault.close()
    },
  }
}

const openPlace = async (config: Config, dataDir: DataDir, closers: Closers, log: Log): Promise<OpenedLog> => {
  const { eventStoreUrl } = config
  if (eventStoreUrl) {
    const place = await openServer(eventStoreUrl, log, { seconds: config.startupWaitSeconds, tell: log })
    closers.push(() => place.close())
    return { place, eventStoreUrl, writable: place.store.cuts.writable }
  }
  const { openEmbeddedLog } = await import('./embedded-log.ts')
  return openEmbeddedLog(
    { file: dataDir.eventLog, socket: dataDir.eventStoreSocket, listen: config.eventStoreListen },
    closers,
    log,
  )
}

const embeddedPostgres = async (dataDir: DataDir, closers: Closers, log: Log): Promise<string> => {
  const { startEmbeddedPostgres } = await import('../../adapters/postgres/embedded.ts')
  const postgres = await startEmbeddedPostgres({ dir: dataDir.postgres, log })
  closers.push(() => postgres.stop())
  return postgres.url
}
