import type { SettingReader } from './given/reader.ts'
import { BadSetting, countOf, urlOf } from './setting-kinds.ts'

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

/** Throws BadSetting where backups are wanted and nobody could read them. */
export const backupSettingsOf = (reader: SettingReader): BackupSettings => {
  const { set, value } = reader
  const to = set('BACKUP_TO')
  const recipients = recipientsOf('BACKUP_RECIPIENTS', set('BACKUP_RECIPIENTS'))
  if (to !== undefined && recipients.length === 0)
    throw new BadSetting('BACKUP_RECIPIENTS is missing, and BACKUP_TO is set: make one with daybook backup key')
  const bucket = bucketOf(reader)
  if (to?.startsWith('s3://') && !bucket)
    throw new BadSetting('BACKUP_S3_KEY_ID and BACKUP_S3_SECRET are missing, and BACKUP_TO is a bucket')
  return {
    to,
    everySeconds: countOf('BACKUP_EVERY_SECONDS', value('BACKUP_EVERY_SECONDS'), EVERY_MAX_S, EVERY_MIN_S),
    keep: countOf('BACKUP_KEEP', value('BACKUP_KEEP'), KEEP_MAX, 1),
    recipients,
    bucket,
  }
}

/** Public keys of `age`, separated by commas. */
export const recipientsOf = (name: string, value: string | undefined): readonly string[] => {
  const recipients = (value?.split(',') ?? []).map((item) => item.trim())
  const bad = recipients.find((each) => !/^age1[02-9ac-hj-np-z]{20,2000}$/.test(each))
  if (bad !== undefined) throw new BadSetting(`${name} is not a list of public keys of age (age1…): ${bad}`)
  if (recipients.length > RECIPIENTS_MAX) throw new BadSetting(`${name} has more than ${RECIPIENTS_MAX} public keys`)
  return recipients
}

const bucketOf = ({ set, value }: SettingReader): BucketSettings | undefined => {
  const region = value('BACKUP_S3_REGION')
  const [keyId, secret] = [set('BACKUP_S3_KEY_ID'), set('BACKUP_S3_SECRET')]
  const endpoint = urlOf('BACKUP_S3_ENDPOINT', set('BACKUP_S3_ENDPOINT'), ['https:', 'http:'])
  if (keyId === undefined || secret === undefined) return undefined
  return { endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`, region, keyId, secret }
}
