import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { BadSetting } from './setting-kinds.ts'

/** The file in which settings may stand instead of in the environment. */
const FILE = '.env'

/**
 * The settings in the file `.env` of a folder; none where there is no such file. Throws BadSetting when it cannot be
 * read.
 */
export const readEnvFile = (folder: string): Readonly<Record<string, string | undefined>> => {
  const file = join(folder, FILE)
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    throw new BadSetting(`${file} cannot be read: ${message}`)
  }
}
