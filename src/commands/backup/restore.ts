import { openBackup } from '../../backup/reading.ts'
import type { Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { groupedDigits } from '../../parts/part.ts'
import type { Config } from '../../settings/config.ts'
import { type BackupWish, identitiesIn, placeOf } from './places.ts'
import { type Restored, restoreBackup } from './restoration.ts'
import { coverText, timeText } from './words.ts'

/** Puts a backup back into the empty place that the settings name. */
export const restore = async (config: Config, out: Output, wish: BackupWish): Promise<void> => {
  const place = placeOf(config, '--from', wish.from)
  const backup = await openBackup(place, wish.name, identitiesIn(wish.identity ?? ''))
  const bar = startBar(out, BigInt(backup.manifest.log.position))
  try {
    const restored = await restoreBackup(backup, config, (position) => bar.at(position, 'restore'))
    const { manifest, content, masterKey } = restored
    await out.tell({ backup: manifest.name, content, master_key: masterKey, log: manifest.log }, restoredText(restored))
  } finally {
    bar.stop()
  }
}

const restoredText = ({ manifest, masterKey }: Restored): string =>
  [
    `${manifest.name} was put back. ${coverText(manifest)}`,
    `What came after position ${groupedDigits(BigInt(manifest.log.position))}, ${timeText(manifest.log.at)}, is lost.`,
    MASTER_KEY[masterKey],
  ].join('\n')

const MASTER_KEY: Readonly<Record<Restored['masterKey'], string>> = {
  known: 'The master key here opens its data keys. Start the service now: it builds the read models from the log.',
  'from the backup':
    'The master key of the backup is in DATA_DIR/master.key. Start the service now: it builds the read models from the log.',
  missing: 'Put the master key back now, as MASTER_KEY or DATA_DIR/master.key: without it nothing starts.',
}
