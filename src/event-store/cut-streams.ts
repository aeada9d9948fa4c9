import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createCheckpoints } from '../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { createCutStreamRows } from '../../adapters/postgres/cut-streams.ts'
import type { LogStore } from '../../adapters/store/origin.ts'
import type { Feed } from '../../domain/ports.ts'

/**
 * Whoever decides on streams has to know first which of them the event store does not show whole any more: a deleted
 * stream looks like one that never was. So that is looked up before the first command, and kept for the next start.
 */

/** The checkpoint before which nothing has to be looked for again. */
const CHECKPOINT = 'cut-streams'
/** How often what was heard is kept; what came later is looked for again by the next start. */
const KEEP_EVERY_MS = 10_000

/**
 * Loads what is known of cut streams into the store, and looks for the rest from the last checkpoint to the end of the
 * log. A service calls it once it follows the log, so that nothing comes between.
 */
export const learnCutStreams = async (store: LogStore, sql: Sql): Promise<void> => {
  const log = store.lookForCuts && (await store.origin())?.id
  // Nobody can cut the streams of the embedded log, and an empty one has none.
  if (!store.lookForCuts || log === undefined) return
  const { rows, checkpoints } = await openPlaces(sql)
  store.cuts.load(await rows.load(log))
  const [after, head] = [await checkpoints.load(CHECKPOINT), await store.head()]
  await store.lookForCuts(after)
  await keep({ rows, checkpoints }, store, head)
}

/**
 * Keeps what the feed brings, until the signal aborts. Whatever goes wrong is tried again: the next start would only
 * look further back.
 */
export const keepCutStreams = async (
  { store, sql, feed, log }: { store: LogStore; sql: Sql; feed: Pick<Feed, 'head'>; log: Pick<Logger, 'warn'> },
  signal: AbortSignal,
  everyMs = KEEP_EVERY_MS,
): Promise<void> => {
  if (!store.lookForCuts) return
  let kept = feed.head()
  while (!signal.aborted) {
    await pause(everyMs, undefined, { signal }).catch(() => {})
    // Taken first: what is heard of meanwhile lies behind it.
    const head = feed.head()
    if (signal.aborted || (head <= kept && store.cuts.unsaved().length === 0)) continue
    try {
      await keep(await openPlaces(sql), store, head)
      kept = head
    } catch (error) {
      log.warn({ err: error }, 'what is known of cut streams could not be kept, trying again')
    }
  }
}

const openPlaces = async (sql: Sql) => ({
  rows: await createCutStreamRows(sql),
  checkpoints: await createCheckpoints(sql),
})

/** Everything up to `head` has been heard of. */
const keep = async (
  { rows, checkpoints }: Awaited<ReturnType<typeof openPlaces>>,
  store: LogStore,
  head: bigint,
): Promise<void> => {
  const log = (await store.origin())?.id
  if (log === undefined) return
  const notes = store.cuts.unsaved()
  await rows.save(log, notes)
  store.cuts.saved(notes)
  await checkpoints.save(CHECKPOINT, head)
}
