import type { LogPlace, StoredBytes } from '../../adapters/store/base/bytes.ts'
import { HalfCopy } from '../../adapters/store/base/origin.ts'
import { metaOf } from '../../adapters/store/base/recorded.ts'
import { LOG_ID, type LogEvents } from '../../domain/audit/log.ts'
import { WrongRevision } from '../../domain/kernel/ports.ts'
import { operatorLedger } from '../books/operator-ledger.ts'
import { compareLogs, type LogComparison, LogDifference, nameOf } from './compare.ts'
import { copyEvents } from './copy.ts'
import { MigrationRefusal } from './refused.ts'

/** The log that moves, as it was when the migration began, and where it moves to. */
export type LogMove = {
  readonly source: LogPlace
  /** The id of the source, what its order adds to its positions, and its last position. */
  readonly id: string
  readonly base: bigint
  readonly head: bigint
  readonly target: LogPlace
}

/** Called with how far a step has come, as a position of the source. */
export type Watch = (position: bigint) => void

export const beginMove = async (source: LogPlace, target: LogPlace): Promise<LogMove> => {
  const origin = await source.store.origin().catch((error: unknown) => {
    throw error instanceof HalfCopy ? new MigrationRefusal('source_half_copied') : error
  })
  if (!origin) throw new MigrationRefusal('source_empty')
  return { source, target, ...origin, head: await source.store.head() }
}

/**
 * Compares the two from their first event on. Throws LogDifference; what the target holds beyond the source shows in
 * `next`.
 */
export const compareMove = async (
  { source, target, base, head }: LogMove,
  watch: Watch,
  onPair: (source: bigint, target: bigint) => void = () => {},
): Promise<LogComparison> => {
  const copy = { bytes: target.bytes, head: await target.store.head() }
  return compareLogs({ bytes: source.bytes, base, head }, copy, (original, copied) => {
    watch(original)
    onPair(original, copied)
  })
}

/**
 * Requires the target to be a copy or the beginning of one: anything else is refused, with its first event that
 * differs.
 */
export const mustBeCopy = async (move: LogMove, comparing: Promise<LogComparison>): Promise<LogComparison> => {
  const compared = await comparing.catch((error: unknown) => {
    if (!(error instanceof LogDifference)) throw error
    if (endOfCopy(move, error.found)) throw new MigrationRefusal('source_grown')
    throw new MigrationRefusal('target_foreign', error.message)
  })
  if (compared.next && !endOfCopy(move, compared.next))
    throw new MigrationRefusal('target_foreign', `it goes on with ${nameOf(compared.next)}`)
  return compared
}

/** The id that the copy has as a log of its own, when this event is what ends a copy of the source. */
export const endOfCopy = ({ id }: LogMove, event: StoredBytes | undefined): string | undefined => {
  if (event?.type !== 'LogCopied' || metaOf(event).order !== undefined) return undefined
  const { from } = JSON.parse(Buffer.from(event.data).toString()) as LogEvents['LogCopied']
  return from === id ? event.id : undefined
}

/**
 * Copies what the target lacks. An append of a run that was killed may still arrive, and make ours fail: then the
 * target is looked at again and the copying goes on behind it.
 */
export const copyRest = async (move: LogMove, found: LogComparison, watch: Watch): Promise<void> => {
  const { source, target, base, head } = move
  for (let tries = 1, from = found; ; tries++)
    try {
      return await copyEvents({ bytes: source.bytes, base, head }, target.bytes, from.original, watch)
    } catch (error) {
      if (!(error instanceof WrongRevision) || tries === COPY_TRIES) throw error
      from = await mustBeCopy(
        move,
        compareMove(move, () => {}),
      )
    }
}

const COPY_TRIES = 3

/** Writes the event that makes a verified copy a log of its own; answers its id. */
export const recordCopy = async (move: LogMove, { events, order, copy }: LogComparison): Promise<string> => {
  const { source, target, id } = move
  await operatorLedger(target.store).log.recordCopy(LOG_ID, {
    from: id,
    source: source.name,
    events,
    lastOrder: String(order),
  })
  for await (const [event] of target.bytes.readAll(copy, await target.store.head())) {
    const end = endOfCopy(move, event)
    if (end !== undefined) return end
    break
  }
  throw new MigrationRefusal('target_foreign', 'somebody else writes to it')
}

/** A copy is of the whole log only if the log has not grown meanwhile. */
export const mustNotHaveMoved = async ({ source, head }: LogMove): Promise<void> => {
  if ((await source.store.head()) !== head) throw new MigrationRefusal('source_moving')
}
