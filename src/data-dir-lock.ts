import { DatabaseSync } from 'node:sqlite'
import { BadSetting } from './setting-kinds.ts'

/**
 * Keeps two processes from running the embedded databases of one DATA_DIR, where the second would stop the first one's PostgreSQL with
 * its own. The lock is SQLite's on an empty file, so the system lets it go however the process ends.
 */
export const lockDataDir = (dir: string, file: string): { release(): void } => {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file)
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    const { message } = error as Error
    if (/database is locked/.test(message)) throw new BadSetting(`DATA_DIR is in use by another process: ${dir}`)
    throw new BadSetting(`DATA_DIR cannot be used: ${message}: ${file}`)
  }
  const held = lock
  return { release: () => held.close() }
}
