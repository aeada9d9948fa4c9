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
  /** The part of the report for which the place is not asked, because it may not answer. */
  known(): Promise<KnownOfBackups>
}

export type BackupsReport = KnownOfBackups & {
  /** Seconds since the newest whole backup was begun: what would be lost now. Null where there is none. */
  readonly age: number | null
  readonly count: number
}

type KnownOfBackups = {
  /** Backups that this process has begun and could not end. */
  readonly failures: number
  /**
   * Whether the newest one that this process has seen is older than two rounds. Where it has seen none, the time counts
   * since it began; a log without an event has nothing to lose.
   */
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
/** One that could not be made is made up for by the next. */
const LATE_AFTER_ROUNDS = 2

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
  const begun = world.now()
  const secondsSince = (at: Date) => (source.now().getTime() - at.getTime()) / 1_000
  const ageOf = (newest: string | undefined) => (newest === undefined ? null : secondsSince(begunAt(newest)))
  const known = async () => {
    const isLate = secondsSince(look.newest() ?? begun) > LATE_AFTER_ROUNDS * everySeconds
    return { failures, late: isLate && (await store.head().catch(() => 0n)) >= 0n }
  }
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
      const { failures: failed, late } = await known()
      return { age: ageOf(names.at(-1)), count: names.length, failures: failed, late }
    },
    known,
  }
}

/** One look into the place serves for a minute, because an object store is asked over the network. */
const sharedLook = (place: BackupPlace) => {
  let found: Promise<readonly string[]> | undefined
  let until = 0
  let newest: Date | undefined
  const list = async () => {
    const names = await place.list()
    const last = names.at(-1)
    newest = last === undefined ? undefined : begunAt(last)
    return names
  }
  return {
    names(): Promise<readonly string[]> {
      if (found === undefined || performance.now() >= until) {
        found = list()
        until = performance.now() + LOOK_LASTS_MS
        found.catch(() => {
          until = 0
        })
      }
      return found
    },
    /** When the newest one was begun that the last look has found. */
    newest: (): Date | undefined => newest,
    forget() {
      until = 0
    },
  }
}
