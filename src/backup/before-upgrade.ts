import { noteRelease } from '../parts/release.ts'
import type { Config } from '../settings/config.ts'
import { world } from '../settings/world.ts'
import { type BackupSource, createBackup } from './create.ts'
import { openPlace } from './places.ts'

/**
 * Notes this release before it builds anything. What another release has left is backed up first, where the settings
 * say where to: that is the way back. Rejects with OlderRelease where that release was a newer one.
 */
export const beginRelease = (
  { backup: { to, recipients, bucket } }: Config,
  source: Pick<BackupSource, 'log' | 'sql' | 'heads'>,
  log: (message: string, facts: object) => void,
): Promise<void> =>
  noteRelease(source.sql, world.now(), async ({ release }) => {
    if (to === undefined) return null
    const place = openPlace('BACKUP_TO', to, bucket)
    const { name } = await createBackup({ ...source, recipients, now: world.now }, place)
    log('what another release has left was backed up first', { release, backup: name, place: place.name })
    return name
  })
