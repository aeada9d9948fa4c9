import type { Presence } from '../../adapters/processes/presence.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import { inTime } from '../../adapters/timing/time-limit.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { LedgerDoors } from '../../domain/write-side/ledger.ts'

type Parts = {
  readonly store: Pick<LogStore, 'head'>
  readonly feed: Pick<Feed, 'head'>
  readonly doors: Pick<LedgerDoors, 'newest'>
  readonly presence: Pick<Presence, 'isAlone'>
}

/** Milliseconds that a read waits for the end of the log. */
const HEAD_LIMIT_MS = 1_000
/** Milliseconds for which a store that did not answer in time is not asked again: every read would be as late. */
const SILENT_MS = 5_000

/**
 * Answers the newest event that any process may have answered by, asked for after the question: where several processes
 * write, the end of the log. It is asked for once at a time: whoever comes meanwhile is told by the next question,
 * together with all others, so that a flood of reads costs the store no flood. While the store does not answer, it is
 * the newest that has come here; nobody writes then.
 */
export const newestAnswered = ({ store, feed, doors, presence }: Parts): (() => Promise<bigint>) => {
  let silentSince = Number.NEGATIVE_INFINITY
  let asking: Promise<unknown> = Promise.resolve()
  let next: Promise<bigint> | undefined
  const here = () => (feed.head() > doors.newest() ? feed.head() : doors.newest())
  const isSilent = () => performance.now() - silentSince < SILENT_MS
  const look = (): Promise<bigint> => {
    next = undefined
    if (isSilent()) return Promise.resolve(NOWHERE)
    const head = inTime(store.head(), undefined, HEAD_LIMIT_MS).then((found) => {
      if (found === undefined) silentSince = performance.now()
      return found ?? NOWHERE
    })
    asking = head
    return head
  }
  return async () => {
    if (presence.isAlone() || isSilent()) return here()
    next ??= asking.then(look)
    const head = await next
    return head > here() ? head : here()
  }
}

/** Before every position. */
const NOWHERE = -1n
