import type { EventStore, Feed, Progress } from '../../domain/kernel/ports.ts'
import { takePlace } from './place.ts'
import type { PlaceWriter } from './place-writer.ts'
import type { Projection } from './projection.ts'
import { readAhead } from './read-ahead.ts'
import { rebuild, swap } from './rebuild.ts'
import type { PipedSql } from './step.ts'

/**
 * Keeps one read model up to date until the signal aborts: builds it first where its version asks for it, then follows
 * the log. Rejects when Postgres fails, or has lost what was written; the caller starts it again.
 */
export const runProjector = async (
  projection: Projection,
  deps: { sql: PipedSql; places: PlaceWriter; store: EventStore; feed: Feed; progress: Progress },
  signal: AbortSignal,
): Promise<void> => {
  const { sql, store, feed, progress } = deps
  const before = await deps.places.find(projection.name)
  const fits = before?.version === projection.version
  if (!fits) {
    await rebuild(sql, store, projection)
    if (signal.aborted) return
    await swap(sql, store, projection)
  }
  const failing = new AbortController()
  const found = fits ? before : await deps.places.find(projection.name)
  const place = takePlace(deps, projection, found, (error) => failing.abort(error))
  progress.restart(place.at())
  try {
    const from = place.at()
    const follow = (left: AbortSignal) => feed.after(from, AbortSignal.any([signal, failing.signal, left]))
    for await (const page of readAhead(follow)) {
      if (signal.aborted || failing.signal.aborted) break
      await place.take(page)
      progress.advance(place.at())
    }
    failing.signal.throwIfAborted()
    await place.save()
  } finally {
    place.leave()
  }
}
