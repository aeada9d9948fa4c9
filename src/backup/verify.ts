import { knownHead } from '../../adapters/audit/containment.ts'
import { trustedKeys } from '../../adapters/audit/trusted-keys.ts'
import { verifier } from '../../adapters/audit/verify.ts'
import { wordsFor } from '../../adapters/audit/wrong.ts'
import type { DataKeyRow, PictureRow } from '../../adapters/postgres/vault/backup-rows.ts'
import { type BackupPart, PARTS } from '../../adapters/store/backup/manifest.ts'
import { storedEvent } from '../../adapters/store/backup/stored-line.ts'
import { type SubjectSet, subjectSet } from '../../adapters/store/backup/subject-set.ts'
import { orderOf, type StoredBytes } from '../../adapters/store/base/bytes.ts'
import { lineOf } from '../../adapters/store/base/log-line.ts'
import { originOf, tellsOrigin } from '../../adapters/store/base/origin.ts'
import { LOG_STREAM } from '../../domain/audit/log.ts'
import { sealedSubjectOf } from '../../projections/audit/sealed-subjects.ts'
import { JOURNAL } from '../parts/witnessed.ts'
import { headIn, type SealWitness } from '../settings/seal-witness.ts'
import type { OpenBackup } from './reading.ts'
import { BackupRefusal } from './refused.ts'

/** What was found in a backup that is whole. */
export type BackupContent = {
  readonly events: number
  readonly seals: number
  /** Subjects with a key, erased ones among them. */
  readonly keys: number
  readonly erased: number
  readonly pictures: number
}

/** Compares every file with the manifest, which needs no identity. Rejects with BackupRefusal. */
export const checkFiles = async (backup: OpenBackup): Promise<void> => {
  for (const part of PARTS) if (backup.has(part)) await backup.check(part)
}

/**
 * Reads all of a backup: that every file is what was written, that the log is the one that the manifest names and holds
 * what was sealed, and that whoever it has sealed a value for has a data key, open or erased. Rejects with
 * BackupRefusal.
 */
export const verifyBackup = async (
  backup: OpenBackup,
  watch: (position: bigint) => void = () => {},
): Promise<BackupContent> => {
  const newest = await newestHead(backup)
  const keys = await keysOf(backup)
  const { events, seals } = await verifyEvents(backup, newest, keys.subjects, watch)
  let pictures = 0
  for await (const _ of rowsOf<PictureRow>(backup, 'pictures', ['id', 'account_id', 'bytes'])) pictures++
  if (backup.has('master-key')) await masterKeyOf(backup)
  return { events, seals, keys: keys.count, erased: keys.erased, pictures }
}

/** The rows of a part, with the fields that each has to have. */
export async function* rowsOf<T extends object>(
  backup: OpenBackup,
  part: BackupPart,
  fields: readonly (keyof T & string)[],
): AsyncGenerator<T> {
  const { lines } = await backup.read(part)
  for await (const line of lines) {
    const row = parsed(line, part) as T
    if (!fields.every((field) => typeof row[field] === 'string')) throw new BackupRefusal('part_altered', part)
    yield row
  }
}

export const keyRows = (backup: OpenBackup): AsyncGenerator<DataKeyRow> =>
  rowsOf<DataKeyRow>(backup, 'data-keys', ['subject', 'wrapped', 'created_at'])

/** The events of a backup, the first one first. */
export async function* eventsOf(backup: OpenBackup): AsyncGenerator<StoredBytes> {
  const { lines } = await backup.read('log')
  for await (const line of lines) yield attempt(() => storedEvent(line), 'log')
}

/** The master key in a backup that has one. */
export const masterKeyOf = async (backup: OpenBackup): Promise<string> => {
  const { lines } = await backup.read('master-key')
  let key = ''
  for await (const line of lines) key = line
  if (!/^[0-9a-f]{64}$/.test(key)) throw new BackupRefusal('part_altered', 'master-key')
  return key
}

const newestHead = async (backup: OpenBackup): Promise<SealWitness | undefined> => {
  const { lines } = await backup.read('heads')
  let newest: SealWitness | undefined
  for await (const line of lines) newest = headIn(line) ?? newest
  return newest
}

const keysOf = async (backup: OpenBackup): Promise<{ subjects: SubjectSet; count: number; erased: number }> => {
  const found = { subjects: subjectSet(), count: 0, erased: 0 }
  for await (const { subject, wrapped } of keyRows(backup)) {
    found.subjects.add(subject)
    found.count++
    if (wrapped === '') found.erased++
  }
  return found
}

const verifyEvents = async (
  backup: OpenBackup,
  newest: SealWitness | undefined,
  subjects: SubjectSet,
  watch: (position: bigint) => void,
): Promise<{ events: number; seals: number }> => {
  const { log } = backup.manifest
  const base = BigInt(log.base)
  const seals = verifier(trustedKeys(newest?.publicKeys ?? []), { known: newest ? [knownHead(newest, JOURNAL)] : [] })
  const ends = { first: undefined as StoredBytes | undefined, copied: undefined as StoredBytes | undefined }
  const last = { position: -1n, id: '', events: 0 }
  for await (const event of eventsOf(backup)) {
    if (event.position <= last.position) throw new BackupRefusal('part_altered', 'log')
    Object.assign(last, { position: event.position, id: event.id, events: last.events + 1 })
    ends.first ??= event
    if (event.stream === LOG_STREAM && tellsOrigin(event)) ends.copied = event
    const line = lineOf(event, base)
    const wrong = seals.add(line)
    if (wrong) throw new BackupRefusal('log_not_sealed', `event ${wrong.index}: ${wordsFor(wrong)}`)
    const subject = sealedSubjectOf({ type: event.type, data: (line.parsed?.data ?? {}) as never })
    if (subject !== undefined && !subjects.has(subject))
      throw new BackupRefusal('keys_missing', `event ${event.id} (${event.type}, order ${orderOf(event, base)})`)
    watch(event.position)
  }
  const found = seals.end()
  if (found.wrong) throw new BackupRefusal('log_not_sealed', `event ${found.wrong.index}: ${wordsFor(found.wrong)}`)
  const origin = originOf(ends)
  const named = typeof origin === 'object' && origin.id === log.id && origin.base === base
  if (!named || last.id !== log.last_event || String(last.position) !== log.position || last.events !== log.events)
    throw new BackupRefusal('log_differs')
  return { events: last.events, seals: found.seals }
}

const parsed = (line: string, part: BackupPart): object =>
  attempt(() => {
    const value = JSON.parse(line) as unknown
    if (typeof value !== 'object' || value === null) throw new Error('it is no object')
    return value
  }, part)

const attempt = <T>(read: () => T, part: BackupPart): T => {
  try {
    return read()
  } catch {
    throw new BackupRefusal('part_altered', part)
  }
}
