import { begunAt } from '../../../../adapters/store/backup/place.ts'
import { openPlace } from '../../../backup/places.ts'
import { placeIn } from '../../../settings/backup-settings.ts'
import type { Config } from '../../../settings/config.ts'
import { unusableFolder } from './disk.ts'
import { failed, fine, type Looked } from './finding.ts'

const WHAT = 'backups'
const SETTING = 'BACKUP_TO'

/**
 * The place of backups by the clock: whether it answers, and what is there already. Whether a bucket may be written is
 * found out by the first backup, because this writes nothing.
 */
export const lookAtBackups = async ({ backup: { to, bucket } }: Config): Promise<Looked> => {
  if (to === undefined) return { findings: [fine(WHAT, SETTING, 'none are made by the clock')] }
  const setting = placeIn(SETTING, to)
  const unusable = setting.kind === 'folder' ? unusableFolder(WHAT, SETTING, setting.folder) : undefined
  if (unusable) return { findings: [unusable] }
  const place = openPlace(SETTING, to, bucket)
  try {
    const newest = (await place.list()).at(-1)
    const there = newest === undefined ? 'it has none yet' : `its newest was begun at ${begunAt(newest).toISOString()}`
    return { findings: [fine(WHAT, SETTING, `${place.name} answers; ${there}`)] }
  } catch (error) {
    return { findings: [failed(WHAT, SETTING, error)] }
  }
}
