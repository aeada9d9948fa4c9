import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BadSetting } from './setting-kinds.ts'

/** The file that lies in DATA_DIR while a backup is put back into it; it holds the name of the backup. */
export const unfinishedRestore = (dataDir: string): string => join(dataDir, 'restore.unfinished')

/** Throws BadSetting where a restore was cut off: what is there is a part of an installation. */
export const mustBeRestored = (dataDir: string): void => {
  const file = unfinishedRestore(dataDir)
  if (!existsSync(file)) return
  const backup = readFileSync(file, 'utf8').trim()
  throw new BadSetting(
    `DATA_DIR holds a restore of the backup ${backup} that was cut off: remove ${dataDir}, drop the schemas ` +
      'daybook_vault and daybook_media where DATABASE_URL is set, and restore it again',
  )
}
