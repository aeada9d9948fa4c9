import type { Logger } from 'pino'
import { type BackupPlace, begunAt } from '../../adapters/store/backup/place.ts'
import type { World } from '../../domain/kernel/ports.ts'
import { type BackupSource, createBackup } from '../backup/create.ts'
import { openPlace } from '../backup/places.ts'
import { BackupRefusal } from '../backup/refused.ts'
import type { BackupSettings } from '../settings/backup-settings.ts'
import type { TimedJob } from './timed-job.ts'

/** The backups that the service makes by the clock. */
export type Backups = {
  readonly job: TimedJob
  /** How it stands in the place of the backups, as of a minute ago at most, whichever process has made them. */
  report(): Promise<BackupsReport>
}

export type BackupsReport = {
  /** Seconds since the newest whole backup was begun: what would be lost now. Null where there is none. */
  readonly age: number | null
  readonly count: number
  /** Backups that this process has begun and could not end. */
  readonly failures: number
  /** Whether the newest one is older than two rounds. */
  readonly late: boolean
}

type BackupMeans = BackupSource['log'] &
  Pick<BackupSource, 'sql' | 'heads'> & {
    readonly world: Pick<World, 'now'>
  }

const LOOK_EVERY_MS = 10_000
/** How long a look into the place serves everybody who asks. */
const LOOK_LASTS_MS = 60_000
/** How long one that failed rests before it is tried again. */
const AGAIN_AFTER_MS = 60_000

/** Undefined where the settings want none. Throws BadSetting where their place is none. */
export const scheduleBackups = (
  { to, everySeconds, keep, recipients, bucket }: BackupSettings,
  { store, bytes, sql, heads, world }: BackupMeans,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
): Backups | undefined => {
  if (to === undefined) return undefined
  const place = openPlace('BACKUP_TO', to, bucket)
  const source = { log: { store, bytes }, sql, heads, recipients, now: () => world.now() }
  const look = sharedLook(place)
  let [failures, restsUntil] = [0, 0]
  const ageOf = (newest: string | undefined) =>
    newest === undefined ? null : (source.now().getTime() - begunAt(newest).getTime()) / 1_000
  const round = async (_: unknown, held: AbortSignal) => {
    const now = source.now().getTime()
    if (now < restsUntil) return
    try {
      const age = ageOf((await look.names()).at(-1))
      if (age !== null && age < everySeconds) return
      const manifest = await createBackup({ ...source, signal: held }, place)
      look.forget()
      log.info({ backup: manifest.name, events: manifest.log.events }, 'a backup was made')
      for (const old of (await look.names()).slice(0, -keep)) await place.remove(old)
      look.forget()
    } catch (error) {
      // A new installation has nothing to lose yet, and one that stops is no fault.
      if (held.aborted || (error instanceof BackupRefusal && error.code === 'log_empty')) return
      failures++
      restsUntil = now + AGAIN_AFTER_MS
      log.error({ err: error, place: place.name }, 'a backup could not be made, trying again')
      look.forget()
    }
  }
  return {
    job: { name: 'backup', everyMs: LOOK_EVERY_MS, round },
    async report() {
      const names = await look.names()
      const age = ageOf(names.at(-1))
      return { age, count: names.length, failures, late: age === null || age > 2 * everySeconds }
    },
  }
}

/** One look into the place serves for a minute, because an object store is asked over the network. */
const sharedLook = (place: BackupPlace) => {
  let found: Promise<readonly string[]> | undefined
  let until = 0
  return {
    names(): Promise<readonly string[]> {
      if (found === undefined || performance.now() >= until) {
        found = place.list()
        until = performance.now() + LOOK_LASTS_MS
        found.catch(() => {
          until = 0
        })
      }
      return found
    },
    forget() {
      until = 0
    },
  }
}
