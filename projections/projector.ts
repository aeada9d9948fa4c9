import type { Sql } from 'postgres'
import type { EventStore, Feed, Progress, Recorded } from '../domain/ports.ts'
import { applyBatch, concerns } from './apply.ts'
import type { Projection } from './projection.ts'
import { rebuild, swap } from './rebuild.ts'
import { checkpointOf, SERVING } from './schema.ts'

/** A position that does not concern the read model is written down at most this late. */
const SAVE_AFTER_MS = 200

/**
 * Keeps one read model up to date until the signal aborts: builds it first where its version asks for it, then follows the log. Rows and
 * checkpoint move in one transaction, so an event counts exactly once. Rejects when Postgres fails; the caller starts it again.
 */
export const runProjector = async (
  projection: Projection,
  deps: { sql: Sql; store: EventStore; feed: Feed; progress: Progress },
  signal: AbortSignal,
): Promise<void> => {
  const { sql, store, feed, progress } = deps
  const before = await checkpointOf(sql, SERVING, projection.name)
  if (before?.version !== projection.version) {
    await rebuild(sql, store, projection)
    if (signal.aborted) return
    await swap(sql, store, projection)
  }
  let at = (await checkpointOf(sql, SERVING, projection.name))?.position ?? -1n
  let unsaved: NodeJS.Timeout | undefined
  let failed: unknown
  progress.advance(at)

  const save = async () => {
    clearTimeout(unsaved)
    unsaved = undefined
    await sql`update ${sql(SERVING)}.checkpoints set position = greatest(position, ${String(at)})
      where name = ${projection.name} and version = ${projection.version}`
  }
  try {
    for await (const page of feed.after(at, signal)) {
      if (failed) throw failed
      const last = page.at(-1)?.position ?? at
      if (concerns(projection, page)) {
        clearTimeout(unsaved)
        unsaved = undefined
        await apply(sql, projection, page, at, last)
      }
      // Nothing in the page is for this read model: only its place in the log moves, and that may be written a little later.
      else unsaved ??= setTimeout(() => save().catch((error: unknown) => (failed = error)), SAVE_AFTER_MS).unref()
      at = last
      progress.advance(at)
    }
    await save()
  } finally {
    clearTimeout(unsaved)
  }
}

const apply = (sql: Sql, projection: Projection, page: readonly Recorded[], from: bigint, to: bigint) =>
  sql.begin(async (tx) => {
    // A lost commit is read again from the log: the rows and their checkpoint are lost together.
    await tx`set local synchronous_commit to off`
    const checkpoint = await checkpointOf(tx, SERVING, projection.name, true)
    // Somebody put another build in its place, or another holder has moved on: begin again from what is written.
    if (!checkpoint || checkpoint.position > from || checkpoint.version !== projection.version)
      throw new Error(`${projection.name} has moved to ${checkpoint?.position ?? 'nowhere'}`)
    const fresh = page.filter(({ position }) => position > checkpoint.position)
    await applyBatch(tx, projection, fresh)
    await tx`update checkpoints set position = ${String(to)} where name = ${projection.name}`
  })
