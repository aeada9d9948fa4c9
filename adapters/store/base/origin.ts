/**
 * Tells which log a store holds, and where the ledger's own order goes on in it. Events that were copied carry their
 * old place in that order; those written here come after all of them, by a base that is read once from the newest
 * LogCopied.
 */
import type { LogEvents, LogIdentity } from '../../../domain/audit/log.ts'
import type { EventStore } from '../../../domain/kernel/ports.ts'
import type { CutStreams } from './cut-streams.ts'
import type { EventReading } from './event-reading.ts'
import { notedOrder, type RawEvent, recordedEvent } from './recorded.ts'

export type Origin = {
  /**
   * The id that tells this log from every other and from its own copies: that of the LogCopied that ended the copy, or
   * else that of its first event.
   */
  readonly id: string
  /** The ledger's order of an event written here is its position plus this. */
  readonly base: bigint
}

/** An event store that knows which log it holds. */
export type LogStore = EventStore & {
  /** Undefined while the log is empty. Rejects with HalfCopy. */
  origin(): Promise<Origin | undefined>
  /** The streams of this store that are not whole any more, as far as this process has heard. */
  readonly cuts: CutStreams
  /** Which of its events the ledger reads. */
  readonly reading: EventReading
  /**
   * Reads what the store itself has said of cut and deleted streams after the position of an event (-1n: from the
   * start), up to its present end, into `cuts`. Subscriptions go on with that by themselves. Absent where nobody can
   * cut a stream or delete it.
   */
  lookForCuts?(after: bigint): Promise<void>
  /**
   * Position of the newest event after a position whose type is not among these; the position itself where there is
   * none. Absent where hearing of an event costs no more than leaving it out.
   */
  newestBeside?(leftOut: ReadonlySet<string>, after: bigint): Promise<bigint>
}

/**
 * The number that the ledger's own order adds to the positions of a store; 0n while its log is empty. Rejects with
 * HalfCopy.
 */
export const baseOf = async (store: Pick<LogStore, 'origin'>): Promise<bigint> => (await store.origin())?.base ?? 0n

/**
 * The position at which a store keeps the event at a place of the ledger's order; -1n for one that was copied into it,
 * which is looked for from the start.
 */
export const positionOf = async (store: Pick<LogStore, 'origin'>, order: bigint): Promise<bigint> => {
  const base = await baseOf(store)
  return order >= base ? order - base : -1n
}

/** The log was being copied from another store, and the copy did not come to its end. */
export class HalfCopy extends Error {
  override readonly name = 'HalfCopy'
  constructor() {
    super(
      'the event store holds half a copy of a log: run daybook migrate again, with the settings of the first time, ' +
        'or daybook mirror refill where the log was being put back from its mirror',
    )
  }
}

/** The first event of the log, and the newest of those that say where it was copied from or put back. */
export type Ends = { readonly first: RawEvent | undefined; readonly copied: RawEvent | undefined }

export type Origins = {
  readonly origin: LogStore['origin']
  /** The number that the ledger's own order adds to the positions of events that were written here. */
  base(): Promise<bigint>
}

/** Looks once; only a log that is empty, or half a copy, is looked at again. */
export const origins = (look: () => Promise<Ends>): Origins => {
  let known: Origin | undefined
  const found = async (): Promise<Origin | 'empty' | 'half'> => {
    if (known) return known
    const origin = originOf(await look())
    if (typeof origin === 'object') known = origin
    return origin
  }
  return {
    origin: async () => {
      const origin = await found()
      if (origin === 'half') throw new HalfCopy()
      return origin === 'empty' ? undefined : origin
    },
    // As long as the log is empty, or half a copy, it holds no event that was written here.
    base: async () => {
      const origin = known ?? (await found())
      return typeof origin === 'object' ? origin.base : 0n
    },
  }
}

/** What the ends of a log say of it; half a copy has no name yet. */
export const originOf = ({ first, copied }: Ends): Origin | 'empty' | 'half' => {
  if (!first) return 'empty'
  const told = copied && !wasCopied(copied) ? identityIn(copied) : undefined
  if (told) return told
  return wasCopied(first) ? 'half' : { id: first.id, base: 0n }
}

/**
 * Whether an event of LOG_STREAM says where the log was copied from or put back. One that cannot be read says nothing,
 * and the log goes by the one before it.
 */
export const tellsOrigin = (event: RawEvent): boolean => identityIn(event) !== undefined

const identityIn = (event: RawEvent): Origin | undefined => {
  const recorded = recordedEvent(event)
  if (recorded.unreadable !== undefined) return undefined
  const { log, base, lastOrder } = recorded.data as Partial<LogEvents['LogCopied'] & LogIdentity>
  if (typeof log === 'string' && isDecimal(base)) return { id: log, base: BigInt(base) }
  return isDecimal(lastOrder) ? { id: event.id, base: BigInt(lastOrder) + 1n } : undefined
}

const isDecimal = (text: unknown): text is string => typeof text === 'string' && /^-?\d{1,19}$/.test(text)

/** A LogCopied may itself be a copy: the log has then moved more than once. */
const wasCopied = (event: RawEvent): boolean => notedOrder(event) !== undefined
