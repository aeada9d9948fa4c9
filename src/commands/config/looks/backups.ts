import { statSync } from 'node:fs'
import { begunAt } from '../../../../adapters/store/backup/place.ts'
import { openPlace } from '../../../backup/places.ts'
import { placeIn } from '../../../settings/backup-settings.ts'
import type { Config } from '../../../settings/config.ts'
import { isWritable, nearest } from './disk.ts'
import { type Finding, failed, fine, type Looked, misfit } from './finding.ts'

const WHAT = 'backups'
const SETTING = 'BACKUP_TO'

/**
 * The place of backups by the clock: whether it answers, and what is there already. Whether a bucket may be written is
 * found out by the first backup, because this writes nothing.
 */
export const lookAtBackups = async ({ backup: { to, bucket } }: Config): Promise<Looked> => {
  if (to === undefined) return { findings: [fine(WHAT, SETTING, 'none are made by the clock')] }
  const setting = placeIn(SETTING, to)
  const unwritable = setting.kind === 'folder' ? whyUnwritable(setting.folder) : undefined
  if (unwritable) return { findings: [unwritable] }
  const place = openPlace(SETTING, to, bucket)
  try {
    const newest = (await place.list()).at(-1)
    const there = newest === undefined ? 'it has none yet' : `its newest was begun at ${begunAt(newest).toISOString()}`
    return { findings: [fine(WHAT, SETTING, `${place.name} answers; ${there}`)] }
  } catch (error) {
    return { findings: [failed(WHAT, SETTING, error)] }
  }
}

const whyUnwritable = (folder: string): Finding | undefined => {
  const there = nearest(folder)
  if (!statSync(there).isDirectory())
    return misfit(WHAT, SETTING, `${there} is no folder`, 'Name a folder, or move that file away.')
  if (isWritable(there)) return undefined
  return misfit(WHAT, SETTING, `${there} cannot be written by this user`, `Let it, or set ${SETTING} to another place.`)
}
