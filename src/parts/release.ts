import type { Sql } from '../../adapters/postgres/connect.ts'
import { type ReleaseNote, readReleaseNote, writeReleaseNote } from '../../adapters/processes/release-note.ts'
import { newestVersions } from '../../domain/write-side/readable.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { CommandFailure } from '../console/failures.ts'

/** What a release is known by: its number, and the events that it writes. */
type Release = Pick<ReleaseNote, 'release' | 'events'>

export const thisRelease: Release = {
  release: packageJson.version,
  events: Object.fromEntries(newestVersions),
}

/** A newer release has written here what this one cannot read, so nothing is started. */
export class OlderRelease extends CommandFailure {
  override readonly name = 'OlderRelease'
  override readonly lines = true
  readonly code = 'release_older'
}

/** Events that a refusal names. */
const TOLD = 5

/**
 * Throws OlderRelease where the last release that wrote here writes events that this one does not know: read models
 * would be built without them, and decisions taken. Answers what that release has noted.
 */
export const mustKnowEvents = async (sql: Sql, own: Release = thisRelease): Promise<ReleaseNote | undefined> => {
  const note = await readReleaseNote(sql)
  if (!note) return undefined
  const unknown = Object.entries(note.events)
    .filter(([type, version]) => version > (own.events[type] ?? 0))
    .map(([type, version]) => `${type} v${version}`)
  if (unknown.length === 0) return note
  const more = unknown.length > TOLD ? ` and ${unknown.length - TOLD} more` : ''
  const way = note.backup
    ? `or put the backup ${note.backup} back, which was made before it: daybook backup restore ${note.backup}`
    : 'or put back a backup that was made before it: daybook backup list'
  throw new OlderRelease(
    [
      `release ${note.release} has written here since ${note.since}, and may have written events that release ` +
        `${own.release} cannot read: ${unknown.slice(0, TOLD).join(', ')}${more}`,
      `Start release ${note.release}, ${way}`,
      'Nothing was changed.',
    ].join('\n'),
  )
}

/**
 * Notes this release before it builds anything. Where another one was here before, `backUp` is called first, so that
 * there is a way back; it answers the name of the backup. Rejects with OlderRelease, and as `backUp` does.
 */
export const noteRelease = async (
  sql: Sql,
  now: Date,
  backUp: (before: ReleaseNote) => Promise<string | null>,
  own: Release = thisRelease,
): Promise<void> => {
  const before = await mustKnowEvents(sql, own)
  if (before && isSame(before, own)) return
  const backup = before ? await backUp(before) : null
  await writeReleaseNote(sql, { release: own.release, events: own.events, backup, since: now.toISOString() })
}

const isSame = (note: Release, own: Release): boolean =>
  note.release === own.release &&
  Object.keys(note.events).length === Object.keys(own.events).length &&
  Object.entries(own.events).every(([type, version]) => note.events[type] === version)
