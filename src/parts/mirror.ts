import type { DatabaseReach } from '../../adapters/postgres/checkpoints.ts'
import { mirrorEnd } from '../../adapters/store/mirror/mirror.ts'
import { lineAt } from '../../adapters/store/mirror/mirror-line.ts'
import { pagesOf } from '../../adapters/store/mirror/reading.ts'
import { MirrorDamage, segmentsIn } from '../../adapters/store/mirror/segments.ts'
import type { End } from '../../adapters/store/mirror/writer.ts'
import { eventOf, type LogReach } from './log.ts'
import { events, type InstallationPart, partOf, reachOf } from './part.ts'

/**
 * The end of the mirror in a directory; `off` where the log is not mirrored, with a text where the mirror is damaged.
 */
export type MirrorReach = { readonly dir: string; readonly end: End | undefined; readonly damage?: string } | 'off'

/** Reads the note of the newest segment, whatever the length of the log. */
export const readMirror = async (dir: string | undefined): Promise<MirrorReach> => {
  if (dir === undefined) return 'off'
  try {
    return { dir, end: await mirrorEnd(dir) }
  } catch (error) {
    if (!(error instanceof MirrorDamage)) throw error
    return { dir, end: undefined, damage: error.message }
  }
}

/**
 * A mirror of another log, and a damaged one, are no reason to refuse: nothing is read from them. A mirror that has
 * more than the log shows that the log has lost it.
 */
export const mirrorPart = async (
  mirror: MirrorReach,
  database: DatabaseReach,
  log: LogReach,
): Promise<InstallationPart> => {
  if (mirror === 'off') return partOf('mirror', { reach: 'off', says: 'LOG_MIRROR is off' })
  const { end } = mirror
  if (mirror.damage !== undefined) return unused({}, mirror.damage)
  if (!end) return partOf('mirror', { reach: 'empty', fits: true, says: 'it is written from the log' })
  const known = { whose: end.origin, reach: reachOf(end.position, undefined), position: end.position }
  if (log.id !== undefined && end.origin !== log.id)
    return unused(known, 'it is of another log, or of this one before it was moved')
  const there = end.position <= (log.head?.position ?? -1n) ? await log.at(end.position) : undefined
  if (there?.id === end.id && there.order === end.order) return partOf('mirror', { ...known, fits: true })
  const older = end.position > (log.head?.position ?? -1n)
  // What the database has seen is in this log, and the mirror does not go further: it is the mirror that is wrong.
  if (!older && (database.furthest?.position ?? -1n) >= end.position && (await agrees(database, log)))
    return unused(known, 'its last event is another one in the log')
  const beyond = await eventsBeyond(mirror.dir, log.head?.position ?? -1n, database.furthest?.event?.id)
  const more = older
    ? `it has ${events(beyond.count)} beyond the log's end`
    : 'its last event is another one in the log'
  const says = beyond.wanted ? `${more}; it fits the database` : more
  const misfit = log.id === undefined ? 'log-gone' : older ? 'log-older' : 'log-parted'
  const reach = reachOf(end.position, beyond.at)
  return partOf('mirror', {
    ...known,
    reach,
    at: beyond.at ?? null,
    fits: false,
    misfit,
    says,
    beyond: older ? beyond.count : null,
  })
}

/** Whether the log has the event that the database has come to. */
const agrees = async ({ furthest }: DatabaseReach, log: LogReach): Promise<boolean> =>
  furthest?.event !== undefined && (await log.at(furthest.position))?.id === furthest.event.id

/**
 * The events of the mirror after a position: how many, when the last was decided, and whether one event is among them.
 * They are read only when something is wrong.
 */
const eventsBeyond = async (dir: string, after: bigint, wanted: string | undefined) => {
  const beyond = { count: 0, wanted: false, at: undefined as string | undefined }
  for await (const page of pagesOf(await segmentsIn(dir), { after, make: lineAt }))
    for (const line of page) {
      const { id, at } = eventOf(line)
      beyond.count++
      beyond.wanted ||= id === wanted
      beyond.at = at
    }
  return beyond
}

const unused = (known: Partial<InstallationPart>, reason: string): InstallationPart =>
  partOf('mirror', { ...known, fits: false, says: `${reason}; it is not used` })
