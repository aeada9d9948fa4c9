import { resolve } from 'node:path'
import { bucketPlace } from '../../adapters/store/backup/bucket.ts'
import { folderPlace } from '../../adapters/store/backup/folder.ts'
import type { BackupPlace } from '../../adapters/store/backup/place.ts'
import type { BucketSettings } from '../settings/backup-settings.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

/**
 * Opens the place of backups: a directory, or `s3://bucket/prefix`. Throws BadSetting, which names where it was said.
 */
export const openPlace = (name: string, to: string, bucket: BucketSettings | undefined): BackupPlace => {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(to)) return folderPlace(resolve(to))
  const found = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w.\-/]*))?$/.exec(to)
  if (!found) throw new BadSetting(`${name} is neither a directory nor s3://bucket/prefix: ${to}`)
  if (!bucket) throw new BadSetting(`BACKUP_S3_KEY_ID and BACKUP_S3_SECRET are missing, and ${name} is a bucket`)
  return bucketPlace(found[1] ?? '', (found[2] ?? '').replace(/\/+$/, ''), bucket)
}
