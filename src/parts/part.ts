/**
 * The parts of an installation are kept in different places, and may be put back from backups of different times: the
 * log, the database, the data keys in it, the master key, the mirror of the log, and the witness of its seals. Each
 * says which log it belongs to and how far it has come, and whether it fits the log.
 */

export type PartName = 'log' | 'database' | 'data keys' | 'master key' | 'mirror' | 'witness'

/** Why the service must not start. */
export type Misfit =
  /** The log is not the one that the part belongs to. */
  | 'another-log'
  /** The part belongs to a log, and this one is empty. */
  | 'log-gone'
  /** The log ends before what the part has seen: it is an older copy. */
  | 'log-older'
  /** The log goes on otherwise than the part has seen. */
  | 'log-parted'
  /** The log has sealed values for somebody who has no data key. */
  | 'keys-missing'
  /** The master key does not open the data keys. */
  | 'master-key'
  /** The file of the witness is not one of ours. */
  | 'witness-unreadable'

export type InstallationPart = {
  readonly part: PartName
  /** The id of the log that the part belongs to; null where the part does not say. */
  readonly whose: string | null
  /** How far it has come, for people. */
  readonly reach: string
  /**
   * The position of the log that it has come to, and when that event was decided (ISO 8601); null where that is
   * unknown.
   */
  readonly position: bigint | null
  readonly at: string | null
  /** Number of events that the part has and the log lacks; null where there are none, or nobody can tell. */
  readonly beyond: number | null
  /** Null for a part that is not there or not used, and for the log itself unless this process has seen another. */
  readonly fits: boolean | null
  /** The reason, for people. */
  readonly says: string
  /** The reason against a start; null also for a part that does not fit and that the service does without. */
  readonly misfit: Misfit | null
}

/** A part that fits, or is not there; what is left out is null. */
export const partOf = (part: PartName, given: Partial<Omit<InstallationPart, 'part'>>): InstallationPart => ({
  part,
  whose: given.whose ?? null,
  reach: given.reach ?? '–',
  position: given.position ?? null,
  at: given.at ?? null,
  beyond: given.beyond ?? null,
  fits: given.fits ?? null,
  says: given.says ?? '',
  misfit: given.misfit ?? null,
})

/** A position and a time for people: `1,244,268 · 2026-11-23 01:34:02Z`. */
export const reachOf = (position: bigint, at: string | undefined): string =>
  at === undefined ? groupedDigits(position) : `${groupedDigits(position)} · ${at.slice(0, 19).replace('T', ' ')}Z`

export const groupedDigits = (count: bigint | number): string => count.toLocaleString('en-US')

/** A number of events for people: `1 event`, `1,200 events`. */
export const events = (count: number): string => `${groupedDigits(count)} event${count === 1 ? '' : 's'}`
