import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Checkpoints } from '../../adapters/following/reactor.ts'
import { saveInLog } from '../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { type CutStreamRows, createCutStreamRows } from '../../adapters/postgres/cut-streams.ts'
import type { LogStore } from '../../adapters/store/base/origin.ts'
import type { Feed } from '../../domain/kernel/following.ts'

/**
 * Whoever decides on streams has to know first which of them the event store does not show whole any more: a deleted
 * stream looks like one that never was. So that is looked up before the first command, and kept for the next start.
 */

/** The checkpoint before which nothing has to be looked for again. */
const CHECKPOINT = 'cut-streams'
/** How often news of cut streams is stored; whatever came later is looked for again by the next start. */
const KEEP_EVERY_MS = 10_000

/**
 * Loads what is known of cut streams into the store, and looks for the rest from the last checkpoint to the end of the
 * log. A service calls it once it follows the log, so that nothing comes between.
 */
export const learnCutStreams = async (
  store: LogStore,
  sql: Sql,
  checkpoints: Pick<Checkpoints, 'load'>,
): Promise<void> => {
  const log = store.lookForCuts && (await store.origin())?.id
  // Nobody can cut the streams of the embedded log, and an empty one has none.
  if (!store.lookForCuts || log === undefined) return
  const rows = await createCutStreamRows(sql)
  // The checkpoint is read before the rows: whatever another process stores meanwhile lies behind it, or is in the
  // rows.
  const after = await checkpoints.load(CHECKPOINT)
  store.cuts.load(await rows.load(log))
  const head = await store.head()
  await store.lookForCuts(after)
  if (head > after || store.cuts.unsaved().length > 0) await keep(store, sql, rows, head)
}

/**
 * Keeps what the feed brings, until the signal aborts. Whatever goes wrong is tried again: the next start would only
 * look further back.
 */
export const keepCutStreams = async (
  { store, sql, feed, log }: CutStreamParts,
  signal: AbortSignal,
  everyMs = KEEP_EVERY_MS,
): Promise<void> => {
  if (!store.lookForCuts) return
  let kept = feed.head()
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => {})
    // The head is taken first: whatever is heard of meanwhile lies behind it.
    const head = feed.head()
    if (signal.aborted || (head <= kept && store.cuts.unsaved().length === 0)) continue
    try {
      await keep(store, sql, await createCutStreamRows(sql), head)
      kept = head
    } catch (error) {
      log.warn({ err: error }, 'what is known of cut streams could not be kept, trying again')
    }
  }
}

type CutStreamParts = {
  readonly store: LogStore
  readonly sql: Sql
  readonly feed: Pick<Feed, 'head'>
  readonly log: Pick<Logger, 'warn'>
}

/** Stores what is known of cut streams; everything up to `head` has been heard of. */
const keep = async (store: LogStore, sql: Sql, rows: CutStreamRows, head: bigint): Promise<void> => {
  const log = (await store.origin())?.id
  if (log === undefined) return
  const notes = store.cuts.unsaved()
  await rows.save(log, notes)
  store.cuts.saved(notes)
  await saveInLog(sql, log, CHECKPOINT, head)
}
