import { readFileSync, statSync } from 'node:fs'
import type { BackupPlace } from '../../../adapters/store/backup/place.ts'
import { openPlace } from '../../backup/places.ts'
import type { Config } from '../../settings/config.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'

/** Which backup a command means, and what opens it. */
export type BackupWish = {
  readonly name?: string | undefined
  readonly from?: string | undefined
  readonly identity?: string | undefined
}

/** The place that a command names, or the settings. Throws BadSetting where nobody names one. */
export const placeOf = ({ backup }: Config, option: '--to' | '--from', given: string | undefined): BackupPlace => {
  if (given !== undefined) return openPlace(option, given, backup.bucket)
  if (backup.to === undefined) throw new BadSetting(`${option} is missing, and BACKUP_TO is not set`)
  return openPlace('BACKUP_TO', backup.to, backup.bucket)
}

const IDENTITY_FILE_BYTES_MAX = 65_536
const IDENTITIES_MAX = 20

/** The identities in a file, as `age-keygen` writes them: one a line, beside comments. Throws BadSetting. */
export const identitiesIn = (file: string): readonly string[] => {
  let text: string
  try {
    if (statSync(file).size > IDENTITY_FILE_BYTES_MAX) throw new Error('it is too large')
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new BadSetting(`--identity cannot be read: ${(error as Error).message}`)
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const fits = lines.length > 0 && lines.length <= IDENTITIES_MAX && lines.every((line) => IDENTITY.test(line))
  if (!fits) throw new BadSetting(`--identity is not a file with identities of age (AGE-SECRET-KEY-…): ${file}`)
  return lines
}

const IDENTITY = /^AGE-SECRET-KEY-(PQ-)?1[02-9AC-HJ-NP-Z]{20,200}$/
