import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { SettingReader } from './given/reader.ts'
import { BadSetting, BadValue, countOf, urlOf } from './setting-kinds.ts'

/** Where and how often backups are made, and whom for. */
export type BackupSettings = {
  /** A directory, or `s3://bucket/prefix`; undefined: none are made by the clock. */
  readonly to: string | undefined
  readonly everySeconds: number
  /** Backups that are kept; older ones are removed. */
  readonly keep: number
  /** Public keys of `age`. */
  readonly recipients: readonly string[]
  /** How to reach the object store; undefined where no keys to it are set. */
  readonly bucket: BucketSettings | undefined
}

export type BucketSettings = {
  readonly endpoint: string
  readonly region: string
  readonly keyId: string
  readonly secret: string
}

/** A month, in seconds: a longer loss window is none. */
const EVERY_MAX_S = 2_678_400
const EVERY_MIN_S = 60
const KEEP_MAX = 10_000
const RECIPIENTS_MAX = 20
const BUCKET_KEYS = ['BACKUP_S3_KEY_ID', 'BACKUP_S3_SECRET', 'BACKUP_S3_ENDPOINT']

/** Throws BadSetting where backups are wanted and nobody could read them, or they would go away with the data. */
export const backupSettingsOf = (reader: SettingReader, dataDir: string): BackupSettings => {
  const { set, value, wasRefused } = reader
  const to = set('BACKUP_TO')
  const recipients = recipientsOf('BACKUP_RECIPIENTS', set('BACKUP_RECIPIENTS'))
  if (to !== undefined && recipients.length === 0 && !wasRefused('BACKUP_RECIPIENTS'))
    throw new BadSetting(
      'BACKUP_TO is set and BACKUP_RECIPIENTS is missing, so nobody could open the backups: make a pair of keys with ' +
        'daybook backup key',
    )
  const bucket = bucketOf(reader)
  const place = to === undefined ? undefined : placeIn('BACKUP_TO', to)
  if (place?.kind === 'bucket' && !bucket && !BUCKET_KEYS.some(wasRefused))
    throw new BadSetting(
      'BACKUP_TO is a bucket, and BACKUP_S3_KEY_ID and BACKUP_S3_SECRET are missing: set them, or set it to a directory',
    )
  if (place?.kind === 'folder' && isWithin(place.folder, dataDir))
    throw new BadSetting(
      `BACKUP_TO is within DATA_DIR (${real(place.folder)}), so whatever takes the data away takes the backups along: ` +
        'set it to a directory on another disk, or to s3://bucket/prefix',
    )
  return {
    to,
    everySeconds: countOf('BACKUP_EVERY_SECONDS', value('BACKUP_EVERY_SECONDS'), EVERY_MAX_S, EVERY_MIN_S),
    keep: countOf('BACKUP_KEEP', value('BACKUP_KEEP'), KEEP_MAX, 1),
    recipients,
    bucket,
  }
}

type PlaceSetting =
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'bucket'; readonly bucket: string; readonly prefix: string }

/** Reads where backups are kept: a directory, or `s3://bucket/prefix`. Throws BadSetting, which names who said so. */
export const placeIn = (name: string, to: string): PlaceSetting => {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(to)) return { kind: 'folder', folder: resolve(to) }
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.\-/]*))?$/.exec(to)
  if (!found)
    throw new BadValue(`${name} is neither a directory nor s3://bucket/prefix (it starts with ${to.split('/')[0]})`)
  return { kind: 'bucket', bucket: found[1] ?? '', prefix: (found[2] ?? '').replace(/\/+$/, '') }
}

/** Whether a folder is another one or lies below it, by whatever links it is named. */
const isWithin = (folder: string, other: string): boolean => `${real(folder)}${sep}`.startsWith(`${real(other)}${sep}`)

/** Where a folder really is; what is not there yet will be made below what is. */
const real = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    const above = dirname(folder)
    return above === folder ? folder : join(real(above), basename(folder))
  }
}

/** Public keys of `age`, separated by commas. */
export const recipientsOf = (name: string, value: string | undefined): readonly string[] => {
  const recipients = (value?.split(',') ?? []).map((item) => item.trim())
  const bad = recipients.find((each) => !/^age1[02-9ac-hj-np-z]{20,2000}$/.test(each))
  // Whoever confuses the two keys of a pair gave the secret one, which is told to nobody.
  if (bad !== undefined)
    throw new BadValue(
      `${name} is not a list of public keys of age (age1…): ${bad.startsWith('age1') ? bad : 'one begins otherwise'}`,
    )
  if (recipients.length > RECIPIENTS_MAX) throw new BadValue(`${name} has more than ${RECIPIENTS_MAX} public keys`)
  return recipients
}

const bucketOf = ({ set, value }: SettingReader): BucketSettings | undefined => {
  const region = value('BACKUP_S3_REGION')
  const [keyId, secret] = [set('BACKUP_S3_KEY_ID'), set('BACKUP_S3_SECRET')]
  const endpoint = urlOf('BACKUP_S3_ENDPOINT', set('BACKUP_S3_ENDPOINT'), ['https:', 'http:'])
  if (keyId === undefined || secret === undefined) return undefined
  return { endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`, region, keyId, secret }
}
