import { manifestIn } from '../../../adapters/store/backup/manifest.ts'
import { columns, type Output } from '../../console/output.ts'
import type { Config } from '../../settings/config.ts'
import { type BackupWish, placeOf } from './places.ts'
import { megabytes, sizeOf } from './words.ts'

/** The backups of a place, the oldest first, by what they say of themselves. */
export const list = async (config: Config, out: Output, { from }: Pick<BackupWish, 'from'>): Promise<void> => {
  const place = placeOf(config, '--from', from)
  const names = await place.list()
  const backups = []
  for (const name of names) {
    const text = await place.manifest(name)
    backups.push({ name, manifest: (text !== undefined && manifestIn(text)) || null })
  }
  const rows = backups.map(({ name, manifest }) =>
    manifest
      ? [
          name,
          manifest.log.position,
          manifest.log.at,
          String(manifest.log.events),
          megabytes(sizeOf(manifest)),
          manifest.release,
        ]
      : [name, 'its manifest cannot be read'],
  )
  const table = columns([['backup', 'position', 'as of', 'events', 'size', 'release'], ...rows])
  await out.tell({ place: place.name, backups }, names.length === 0 ? `There is no backup in ${place.name}.` : table)
}
