/** A place that backups are kept in: a directory, or a bucket of an object store. */
export type BackupPlace = {
  /** The place for people to read, without credentials. */
  readonly name: string
  /** The names of the whole backups, the oldest first. */
  list(): Promise<readonly string[]>
  /** The text of a backup's manifest; undefined where there is none, and so no backup. */
  manifest(backup: string): Promise<string | undefined>
  /** The bytes of one file of a backup, in pieces; undefined where it is not there. */
  read(backup: string, file: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Begins a backup. Nobody takes it for one before `finish` has returned. */
  begin(backup: string): Promise<BackupWriter>
  remove(backup: string): Promise<void>
}

export type BackupWriter = {
  /** Writes one file, in pieces; it is durable when this returns. */
  write(file: string, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /** Makes it a backup, by its manifest. */
  finish(manifest: string): Promise<void>
  /** Throws away what was written. */
  abandon(): Promise<void>
}

/** The name of the file that makes a backup one. */
export const MANIFEST = 'manifest.json'

/** The manifest of the largest backup is a few kilobytes. */
export const MANIFEST_BYTES_MAX = 1_048_576

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-\d{1,19}$/

/** Whether a name is one that backups have: the time when it began, and the position of the log that it covers. */
export const isBackupName = (name: string): boolean => NAME.test(name)

/** When a backup was begun, as its name says. */
export const begunAt = (name: string): Date =>
  new Date(`${name.slice(0, 10)}T${name.slice(11, 19).replaceAll('-', ':')}Z`)

/** `2026-11-27T23-15-20Z-104448`: names in their order are backups in theirs. */
export const backupName = (begun: Date, position: bigint): string =>
  `${begun.toISOString().slice(0, 19).replaceAll(':', '-')}Z-${position}`
