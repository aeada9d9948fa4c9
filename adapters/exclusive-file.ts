import { DatabaseSync } from 'node:sqlite'

/**
 * Keeps other processes from what the file stands for, until `release`. The lock is SQLite's on an empty file, so the
 * system lets it go however the process ends.
 * @returns undefined while somebody else holds it
 */
export const holdFile = (file: string): { release(): void } | undefined => {
  let held: DatabaseSync | undefined
  try {
    held = new DatabaseSync(file)
    held.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    held?.close()
    if (/database is locked/.test((error as Error).message)) return undefined
    throw error
  }
  const lock = held
  return { release: () => lock.close() }
}
