/**
 * Keeps in mind which streams a store does not show whole any more. An operator of EventStoreDB can have a stream cut
 * by its metadata, delete it, or delete it for good; the server then shows what is left of it, or nothing, without a
 * word. Nothing is decided on such a stream, or appended to it.
 */

import { StreamCut } from '../../../domain/audit/stream-cut.ts'
import { OutcomeUnknown } from '../../../domain/kernel/ports.ts'
import { recentMap } from '../../../domain/kernel/recent-map.ts'
import type { RawEvent } from './recorded.ts'

/**
 * `incomplete`: a read showed a gap or too little; `misplaced`: the server took an append elsewhere than it was sent
 * to.
 */
export type CutReason = 'truncated' | 'deleted' | 'tombstoned' | 'incomplete' | 'misplaced'

type CutStream = { readonly stream: string; readonly reason: CutReason }

/**
 * The note that the store's own event at a position makes about a stream; without a reason the stream is whole again.
 */
export type CutNote = { readonly stream: string; readonly reason: CutReason | undefined; readonly position: bigint }

export type CutStreams = {
  /** Throws StreamCut when the stream was cut or deleted, as far as this process has heard. */
  mustBeWhole(stream: string): void
  /** Throws StreamCut as `mustBeWhole`, and OutcomeUnknown when nothing may be appended any more. */
  mustTakeAppends(stream: string): void
  /**
   * Notes what a read or an append has found, and answers the error to throw; `how` goes on after the name of the
   * stream.
   */
  found(stream: string, reason: 'incomplete' | 'misplaced' | 'tombstoned', how: string): StreamCut
  /** Says that a read has shown all of the stream: the finding of an earlier one is over. */
  shownWhole(stream: string): void
  /** Says that the stream has come to this revision, as the server told. */
  reached(stream: string, revision: bigint): void
  /** Newest revision that the stream is known to have come to; -1n when nothing is known. */
  known(stream: string): bigint
  /** Looks at an event of the store's own: whether it cuts one of our streams, deletes it, or makes it whole again. */
  see(event: Pick<RawEvent, 'stream' | 'type' | 'position' | 'data'>): void
  /** Takes over what an earlier process has kept, unless something newer is known. */
  load(notes: readonly CutNote[]): void
  /** The notes of the store's own events that nobody has kept for the next start yet. */
  unsaved(): readonly CutNote[]
  /** Says that these notes are kept. */
  saved(notes: readonly CutNote[]): void
  /** The reason why a stream is not whole; undefined when nothing was heard of that. */
  of(stream: string): CutReason | undefined
  /** The streams that are cut now, by name. */
  all(): readonly CutStream[]
  /** Stops all appends while there is a reason; undefined lets them go on, unless they were stopped for good. */
  halt(reason: string | undefined): void
  /**
   * False once an append was taken elsewhere, or more streams are cut than can be kept: this process appends nothing
   * any more. False also while it is halted.
   */
  writable(): boolean
}

/** Called with each stream that is found cut, once for each reason. */
export type CutWarning = (message: string, facts: CutStream) => void

/** Streams whose newest revision is remembered; up to twice as many, about 150 bytes each. */
const REVISIONS_KEPT = 50_000
/** Notes that are kept; where more streams are cut nothing is appended any more. */
const CUT_STREAMS_MAX = 100_000

export const createCutStreams = (warn: CutWarning = () => {}): CutStreams => {
  /** The streams that are cut by the word of the store's own events. */
  const noted = new Map<string, CutNote>()
  /**
   * The positions at which the store last said that a stream is whole, so that an older event that is heard later
   * changes nothing.
   */
  const wholeSince = recentMap<bigint>(REVISIONS_KEPT)
  const unsaved = new Map<string, CutNote>()
  /** The findings of reads and appends; they hold for this process. */
  const findings = new Map<string, CutReason>()
  const revisions = recentMap<bigint>(REVISIONS_KEPT)
  let stopped: string | undefined
  let halted: string | undefined

  const reasonOf = (stream: string): CutReason | undefined => noted.get(stream)?.reason ?? findings.get(stream)
  const tell = (stream: string, reason: CutReason, before: CutReason | undefined) => {
    if (reason !== before)
      warn('a stream of the ledger is not whole any more, nothing is decided on it', { stream, reason })
  }
  /** Takes a note; answers whether it changes what has to be kept. */
  const take = (note: CutNote): boolean => {
    const { stream, reason, position } = note
    const before = noted.get(stream)
    if (before?.reason === 'tombstoned' || position <= (before?.position ?? wholeSince.get(stream) ?? -1n)) return false
    if (reason) {
      noted.set(stream, note)
      tell(stream, reason, before?.reason)
      if (noted.size > CUT_STREAMS_MAX) stopped ??= stream
    } else {
      noted.delete(stream)
      wholeSince.set(stream, position)
    }
    return reason !== undefined || before !== undefined
  }
  const find = (stream: string, reason: CutReason) => {
    tell(stream, reason, findings.get(stream))
    if (findings.size < CUT_STREAMS_MAX) findings.set(stream, reason)
    else stopped ??= stream
  }
  const mustBeWhole = (stream: string) => {
    const reason = noted.get(stream)?.reason ?? lasting(findings.get(stream))
    if (reason) throw new StreamCut(stream, HOW[reason])
  }
  const known = (stream: string) => revisions.get(stream) ?? -1n
  const reached = (stream: string, revision: bigint) => {
    if (revision > known(stream)) revisions.set(stream, revision)
  }

  return {
    mustBeWhole,
    mustTakeAppends: (stream) => {
      mustBeWhole(stream)
      if (stopped !== undefined)
        throw new WritingStopped(`of the stream ${stopped}: see daybook eventstore check, then start again`)
      if (halted !== undefined) throw new WritingStopped(halted)
    },
    found: (stream, reason, how) => {
      find(stream, reason)
      if (reason === 'misplaced') stopped ??= stream
      return new StreamCut(stream, how)
    },
    shownWhole: (stream) => {
      if (findings.get(stream) === 'incomplete') findings.delete(stream)
    },
    reached,
    known,
    see: (event) => {
      const note = noteOf(event)
      if (note && take(note)) unsaved.set(note.stream, note)
    },
    load: (notes) => {
      for (const note of notes) take(note)
    },
    unsaved: () => [...unsaved.values()],
    saved: (notes) => {
      for (const note of notes) if (unsaved.get(note.stream) === note) unsaved.delete(note.stream)
    },
    of: reasonOf,
    all: () =>
      [...new Set([...noted.keys(), ...findings.keys()])].sort().flatMap((stream) => {
        const reason = reasonOf(stream)
        return reason ? [{ stream, reason }] : []
      }),
    halt: (reason) => {
      halted = reason
    },
    writable: () => stopped === undefined && halted === undefined,
  }
}

/**
 * The revision of the last event of a page that was asked for from a revision on; the one before that when the page is
 * empty. Throws StreamCut when the page does not begin there or has a gap.
 */
export const endOfWhole = (
  cuts: CutStreams,
  stream: string,
  from: bigint,
  page: readonly { readonly revision: bigint | number }[],
): bigint => {
  let next = from
  for (const { revision } of page) {
    if (BigInt(revision) !== next)
      throw cuts.found(
        stream,
        'incomplete',
        `goes from revision ${next - 1n} on at ${revision}: what is between is not shown`,
      )
    next++
  }
  return next - 1n
}

/**
 * This process is wrong about the log, for example where an append was taken elsewhere, and it writes nothing more.
 * Nothing was sent.
 */
export class WritingStopped extends OutcomeUnknown {
  /** @param reason goes on after `because` */
  constructor(reason: string) {
    super(`nothing is appended any more, because ${reason}`)
  }
}

const HOW: Readonly<Record<CutReason, string>> = {
  truncated: 'was cut by its metadata on the server',
  deleted: 'was deleted on the server',
  tombstoned: 'was deleted on the server for good',
  incomplete: 'is not shown whole by the server',
  misplaced: 'took an append elsewhere than it was sent to',
}

/** The finding of a read may be over with the next read; the others stay for as long as this process lives. */
const lasting = (reason: CutReason | undefined) => (reason === 'incomplete' ? undefined : reason)

const METADATA = '$metadata'
const TOMBSTONE = '$streamDeleted'
/** The event types that tell of a stream being cut or deleted. */
export const CUTTING_TYPES = [METADATA, TOMBSTONE]

/** Metadata of `$$x` is about the stream `x`; that of `$$$x` is the server's own affair. */
const noteOf = ({ stream, type, position, data }: Pick<RawEvent, 'stream' | 'type' | 'position' | 'data'>) => {
  if (type === TOMBSTONE && !stream.startsWith('$')) return { stream, reason: 'tombstoned' as const, position }
  if (type !== METADATA || !/^\$\$[^$]/.test(stream)) return undefined
  return { stream: stream.slice(2), reason: cutBy(data), position }
}

/** A deleted stream is truncated before this revision, the largest there is. */
const DELETED_BEFORE = 2n ** 63n - 1n

/**
 * The way in which the metadata of a stream cuts it. The fields that hide events are `$maxCount` and `$maxAge`,
 * whatever their value, `$tb` (truncate before a revision) above 0, and `$tmp`. An access list (`$acl`),
 * `$cacheControl` and fields of others hide nothing.
 */
const cutBy = (data: unknown): CutReason | undefined => {
  const text = data instanceof Uint8Array ? Buffer.from(data).toString() : undefined
  const fields = text === undefined ? data : parsed(text)
  if (text?.trim() === '') return undefined
  // Data that is no object is not understood here, but perhaps by the server.
  if (typeof fields !== 'object' || fields === null) return 'truncated'
  const { $maxCount: count, $maxAge: age, $tb: before, $tmp: temporary } = fields as Readonly<Record<string, unknown>>
  if (before !== undefined && before !== null && before !== 0) return isDeletion(before) ? 'deleted' : 'truncated'
  return [count, age].some((field) => field !== undefined && field !== null) || temporary === true
    ? 'truncated'
    : undefined
}

/** JSON numbers of this size lose their last digits when they are read. */
const isDeletion = (before: unknown): boolean => typeof before === 'number' && before >= Number(DELETED_BEFORE)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
