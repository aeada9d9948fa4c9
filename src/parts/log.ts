import type { ByteLog } from '../../adapters/store/base/bytes.ts'
import type { LogLine } from '../../adapters/store/base/log-line.ts'
import { HalfCopy, type LogStore } from '../../adapters/store/base/origin.ts'
import { BadSetting } from '../settings/setting-kinds.ts'
import { type InstallationPart, type Misfit, partOf, reachOf } from './part.ts'

/** An event of the log, as far as it tells one log from another. */
export type LogEvent = {
  readonly position: bigint
  /** Its place in the ledger's own order. */
  readonly order: bigint
  readonly id: string
  /** When it was decided, ISO 8601. */
  readonly at: string
}

/** The log that every other part is held against. */
export type LogReach = {
  /** The id that tells it from every other log; undefined while it is empty. */
  readonly id: string | undefined
  /** What the ledger's own order adds to the positions of events that were written here. */
  readonly base: bigint
  /** Its newest event. */
  readonly head: LogEvent | undefined
  /** The event at a position; undefined where there is none. */
  at(position: bigint): Promise<LogEvent | undefined>
}

/** The reads of a log that are needed to hold the other parts against it. */
export type LogReading = {
  readonly store: Pick<LogStore, 'origin' | 'head' | 'read'>
  readonly bytes: Pick<ByteLog, 'lineAt' | 'readLines'>
}

/** Reads two events, whatever the length of the log. Throws BadSetting when it is half a copy. */
export const readLog = async ({ store, bytes }: LogReading): Promise<LogReach> => {
  const origin = await store.origin().catch((error: unknown) => {
    throw error instanceof HalfCopy ? new BadSetting(error.message) : error
  })
  const end = await store.head()
  const head = end < 0n ? undefined : await eventAt(bytes, end)
  // What follows the log stands at its end while nothing happens, and asks for the event that was just read.
  const at = async (position: bigint) => (position === head?.position ? head : eventAt(bytes, position))
  return { id: origin?.id, base: origin?.base ?? 0n, head, at }
}

/** A log that is not there, which reads like an empty one. */
export const NO_LOG: LogReading = {
  store: { origin: async () => undefined, head: async () => -1n, read: nothing },
  bytes: { lineAt: async () => undefined, readLines: nothing },
}

async function* nothing(): AsyncGenerator<never> {}

/** @param misfit why it is not the log that this process has seen before */
export const logPart = ({ id, head }: LogReach, misfit?: Misfit): InstallationPart =>
  partOf('log', {
    whose: id ?? null,
    reach: head ? reachOf(head.position, head.at) : 'empty',
    position: head?.position ?? null,
    at: head?.at ?? null,
    fits: misfit ? false : null,
    misfit: misfit ?? null,
    says: misfit ? 'it lacks the event at which it ended when this process looked last' : '',
  })

/** The newest event of the log that a process has seen in it. */
export type LogMemory = {
  /** Undefined before the first look, and after looks at an empty log. */
  newest(): LogEvent | undefined
  /** Notes where a log ends that still has what was seen before. */
  see(head: LogEvent | undefined): void
}

/** Looks may overlap: one that began earlier, and saw less, takes nothing away. */
export const rememberLog = (): LogMemory => {
  let newest: LogEvent | undefined
  return {
    newest: () => newest,
    see(head) {
      if (head && (newest === undefined || head.position > newest.position)) newest = head
    },
  }
}

/** An event that was seen in a log before; a place alone where nobody noted which event was there. */
type SeenEvent = { readonly position: bigint; readonly id: string | undefined }

/**
 * Why a log is not the one in which an event was seen before it was read; undefined when it is. A log that is put back
 * under a running service, and has gone on otherwise since, may be longer than the one before: whatever follows it
 * takes the events beyond its place, and fits it then. The event that was seen does not.
 */
export const misfitWith = async ({ position, id }: SeenEvent, log: LogReach): Promise<Misfit | undefined> => {
  if (!log.head) return 'log-gone'
  if (log.head.position < position) return 'log-older'
  return id === undefined || (await log.at(position))?.id === id ? undefined : 'log-parted'
}

const eventAt = async (bytes: LogReading['bytes'], position: bigint): Promise<LogEvent | undefined> => {
  const line = await bytes.lineAt(position)
  return line && eventOf(line)
}

/** The event of a line, as the line tells it. */
export const eventOf = ({ line, position, order }: LogLine): LogEvent => {
  const { id, metadata } = JSON.parse(line) as { id: string; metadata: { at?: unknown } }
  return { position, order, id, at: typeof metadata?.at === 'string' ? metadata.at : '' }
}
