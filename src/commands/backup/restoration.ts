import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from 'node:fs'
import type { Sql } from '../../../adapters/postgres/connect.ts'
import { createPictures } from '../../../adapters/postgres/pictures.ts'
import {
  type MasterKeyRow,
  type PictureRow,
  putDataKeys,
  putPictures,
} from '../../../adapters/postgres/vault/backup-rows.ts'
import { isMasterKeyOf } from '../../../adapters/postgres/vault/master-key.ts'
import { createVaultTables } from '../../../adapters/postgres/vault/vault.ts'
import type { Manifest } from '../../../adapters/store/backup/manifest.ts'
import { copyOf, type LogPlace, orderOf, type StoredBytes } from '../../../adapters/store/base/bytes.ts'
import { lineOf } from '../../../adapters/store/base/log-line.ts'
import type { OpenBackup } from '../../backup/reading.ts'
import { BackupRefusal } from '../../backup/refused.ts'
import { type BackupContent, eventsOf, keyRows, masterKeyOf, rowsOf, verifyBackup } from '../../backup/verify.ts'
import { copyEvents } from '../../migration/copy.ts'
import { recordRefill } from '../../migration/refill.ts'
import type { Config } from '../../settings/config.ts'
import { writeEmbeddedLog } from './embedded-log.ts'
import { openTarget, type RestoreTarget, syncFolder } from './target.ts'

export type Restored = {
  readonly manifest: Manifest
  readonly content: BackupContent
  /** Whether the master key is at its place; false where a start still needs it. */
  readonly masterKey: 'known' | 'from the backup' | 'missing'
}

/**
 * Puts a backup back into an empty place. All of it is read and verified before anything is written, so that a backup
 * that is not whole changes nothing; and nothing starts here before all of it is there. Rejects with BackupRefusal.
 */
export const restoreBackup = async (
  backup: OpenBackup,
  config: Config,
  watch: (position: bigint) => void = () => {},
): Promise<Restored> => {
  const target = await openTarget(config)
  try {
    const master = await masterOf(backup)
    const keys = target.dataDir.knownMasterKeys()
    const known = keys.length > 0
    if (known && master && !keys.some((key) => isMasterKeyOf(Buffer.from(master.proof, 'hex'), key)))
      throw new BackupRefusal('wrong_master_key')
    const content = await verifyBackup(backup, watch)
    target.begin(backup.manifest.name)
    await putLog(backup, target, watch)
    const sql = await target.sql()
    await putRows(backup, sql, master)
    await putHeads(backup, target.dataDir.sealWitness)
    const brings = !known && backup.has('master-key')
    if (brings) target.dataDir.putMasterKey(await masterKeyOf(backup))
    syncFolder(config.dataDir)
    target.finish()
    return { manifest: backup.manifest, content, masterKey: known ? 'known' : brings ? 'from the backup' : 'missing' }
  } finally {
    await target.close()
  }
}

/** What tells the master key of the backup; undefined where nothing was sealed before it. */
const masterOf = async (backup: OpenBackup): Promise<MasterKeyRow | undefined> => {
  const { header, lines } = await backup.read('data-keys')
  await (lines as AsyncGenerator<string>).return(undefined)
  return header.proof === undefined ? undefined : { proof: header.proof, fingerprint: header.fingerprint ?? null }
}

const putRows = async (backup: OpenBackup, sql: Sql, master: MasterKeyRow | undefined): Promise<void> => {
  await createVaultTables(sql)
  await createPictures(sql)
  await putDataKeys(sql, master, keyRows(backup))
  await putPictures(sql, rowsOf<PictureRow>(backup, 'pictures', ['id', 'account_id', 'bytes', 'created_at']))
}

const putLog = async (
  backup: OpenBackup,
  { server, dataDir }: RestoreTarget,
  watch: (position: bigint) => void,
): Promise<void> => {
  if (server) await copyInto(server, backup, watch)
  else await writeEmbeddedLog(dataDir.eventLog, eventsOf(backup))
}

/**
 * Appends the events to a server, whose positions are others: each says its place in the ledger's order, as in a log
 * that is put back from its mirror, and an event behind them says where that order goes on.
 */
const copyInto = async (place: LogPlace, backup: OpenBackup, watch: (position: bigint) => void): Promise<void> => {
  const { log } = backup.manifest
  const base = BigInt(log.base)
  let last: StoredBytes | undefined
  async function* readAll(): AsyncGenerator<readonly StoredBytes[]> {
    for await (const event of eventsOf(backup)) {
      last = event
      yield [copyOf(event, base)]
    }
  }
  const original = { bytes: { ...place.bytes, readAll }, head: BigInt(log.position), base }
  await copyEvents(original, place.bytes, -1n, watch)
  if (!last) return
  const end = lineOf(copyOf(last, base), base)
  const refill = { place, dir: '', log: log.id, end, head: undefined, common: -1n, missing: log.events }
  await recordRefill(refill, orderOf(last, base) + 1n)
}

/** The journal of heads as it was, durable. */
const putHeads = async (backup: OpenBackup, file: string): Promise<void> => {
  const { lines } = await backup.read('heads')
  writeFileSync(file, '', { mode: 0o600 })
  const journal = openSync(file, 'a')
  try {
    for await (const line of lines) writeSync(journal, `${line}\n`)
    fsyncSync(journal)
  } finally {
    closeSync(journal)
  }
}
