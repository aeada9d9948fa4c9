import { bucketPlace } from '../../adapters/store/backup/bucket.ts'
import { folderPlace } from '../../adapters/store/backup/folder.ts'
import type { BackupPlace } from '../../adapters/store/backup/place.ts'
import { type BucketSettings, placeIn } from '../settings/backup-settings.ts'
import { BadSetting } from '../settings/setting-kinds.ts'

/**
 * Opens the place of backups: a directory, or `s3://bucket/prefix`. Throws BadSetting, which names where it was said.
 */
export const openPlace = (name: string, to: string, bucket: BucketSettings | undefined): BackupPlace => {
  const place = placeIn(name, to)
  if (place.kind === 'folder') return folderPlace(place.folder)
  if (!bucket) throw new BadSetting(`BACKUP_S3_KEY_ID and BACKUP_S3_SECRET are missing, and ${name} is a bucket`)
  return bucketPlace(place.bucket, place.prefix, bucket)
}
