import { holdFile } from '../../adapters/exclusive-file.ts'
import { BadSetting } from './setting-kinds.ts'

/**
 * Keeps two processes from running the embedded databases of one DATA_DIR, where the second would stop the first one's
 * PostgreSQL with its own.
 */
export const lockDataDir = (dir: string, file: string): { release(): void } => {
  const lock = held(file)
  if (!lock) throw new BadSetting(`DATA_DIR is in use by another process: ${dir}`)
  return lock
}

const held = (file: string) => {
  try {
    return holdFile(file)
  } catch (error) {
    throw new BadSetting(`DATA_DIR cannot be used: ${(error as Error).message}: ${file}`)
  }
}
