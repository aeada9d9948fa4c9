import { noteRelease, UNNOTED } from '../parts/release.ts'
import type { Config } from '../settings/config.ts'
import { world } from '../settings/world.ts'
import { type BackupSource, createBackup } from './create.ts'
import { openPlace } from './places.ts'
import { BackupRefusal } from './refused.ts'

/**
 * Notes this release before it builds anything. What another release has left is backed up first, where the settings
 * say where to: that is the way back. Rejects with OlderRelease where that release was a newer one.
 */
export const beginRelease = (
  { backup: { to, recipients, bucket } }: Config,
  source: Pick<BackupSource, 'log' | 'sql' | 'heads'>,
  log: (message: string, facts: object) => void,
): Promise<void> =>
  noteRelease(source.sql, world.now(), async (before) => {
    if (to === undefined) return null
    const place = openPlace('BACKUP_TO', to, bucket)
    const made = await createBackup({ ...source, recipients, now: world.now }, place).catch(nothingToLose)
    if (made === undefined) return null
    const { name } = made
    const release = before?.release ?? UNNOTED
    log('what another release has left was backed up first', { release, backup: name, place: place.name })
    return name
  })

/** Another release may have come no further than to an empty log. */
const nothingToLose = (error: unknown): undefined => {
  if (!(error instanceof BackupRefusal && error.code === 'log_empty')) throw error
}
