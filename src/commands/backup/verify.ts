import { openBackup } from '../../backup/reading.ts'
import { checkFiles, verifyBackup } from '../../backup/verify.ts'
import { countText } from '../../books/replaying.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import type { Config } from '../../settings/config.ts'
import { type BackupWish, identitiesIn, placeOf } from './places.ts'
import { coverText } from './words.ts'

/** Reads a backup and says that it is whole; rejects with BackupRefusal where it is not. */
export const verify = async (config: Config, out: Output, { name, from, identity }: BackupWish): Promise<void> => {
  const place = placeOf(config, '--from', from)
  if (identity === undefined) {
    const backup = await openBackup(place, name, [])
    await checkFiles(backup)
    await out.tell(
      { backup: backup.manifest.name, opened: false },
      `${backup.manifest.name}: every file is what was written. What is in them was not looked at: give --identity for that.`,
    )
    return
  }
  const backup = await openBackup(place, name, identitiesIn(identity))
  const bar = startBar(out, BigInt(backup.manifest.log.position))
  try {
    const content = await verifyBackup(backup, (position) => bar.at(position, 'verify'))
    await out.tell(
      { backup: backup.manifest.name, opened: true, content, manifest: backup.manifest },
      `${backup.manifest.name} is whole. ${coverText(backup.manifest)}\n${countText(content.seals, 'seal')} hold, and everybody that the log has sealed a value for has a data key (${content.erased} erased).`,
    )
  } finally {
    bar.stop()
  }
}
