import type { Sql } from '../../adapters/postgres/connect.ts'
import { type ReleaseNote, readReleaseNote, writeReleaseNote } from '../../adapters/processes/release-note.ts'
import { newestVersions } from '../../domain/write-side/readable.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { SERVING } from '../../projections/engine/schema.ts'
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
 * there is a way back; it answers the name of the backup. One that noted nothing is known by its read models. Of
 * several processes that start at once one does this, and the others wait for it. Rejects with OlderRelease, and as
 * `backUp` does.
 */
export const noteRelease = async (
  sql: Sql,
  now: Date,
  backUp: (before: ReleaseNote | undefined) => Promise<string | null>,
  own: Release = thisRelease,
): Promise<void> => {
  await sql.begin(async (tx) => {
    // A backup takes as long as the log is large.
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`set local statement_timeout = 0`
    await tx`select pg_advisory_xact_lock(hashtextextended('daybook release', 0))`
    const before = await mustKnowEvents(sql, own)
    if (before && isSame(before, own)) return
    const backup = before || (await hasReadModels(sql)) ? await backUp(before) : null
    await writeReleaseNote(sql, { release: own.release, events: own.events, backup, since: now.toISOString() })
  })
}

/** What a release is called that was here before releases noted themselves. */
export const UNNOTED = 'one that has not noted itself'

const hasReadModels = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ there: boolean }[]>`
    select to_regclass(${`${SERVING}.checkpoints`}) is not null as there`
  return row?.there ?? false
}

const isSame = (note: Release, own: Release): boolean =>
  note.release === own.release &&
  Object.keys(note.events).length === Object.keys(own.events).length &&
  Object.entries(own.events).every(([type, version]) => note.events[type] === version)
