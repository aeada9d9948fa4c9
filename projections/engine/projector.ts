import type { Feed, Progress } from '../../domain/kernel/following.ts'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { takePlace } from './place.ts'
import type { PlaceWriter } from './place-writer.ts'
import type { Projection } from './projection.ts'
import { readAhead } from './read-ahead.ts'
import { rebuild, swap } from './rebuild.ts'
import type { PipedSql } from './step.ts'

/**
 * Milliseconds for which a read model that nobody waits for rests after a step: what comes meanwhile is one step, and
 * one statement. Whoever reads its rows waits for it (`src/engine/workers.ts`), and so it goes on at once.
 */
const REST_MS = 100
/** Events of a page from which on it is behind: it does not rest, and reads on meanwhile. */
const BEHIND_EVENTS = 250

/**
 * Keeps one read model up to date until the signal aborts: builds it first where its version asks for it, then follows
 * the log. Rejects when Postgres fails, or has lost what was written; the caller starts it again.
 */
export const runProjector = async (
  projection: Projection,
  deps: { sql: PipedSql; places: PlaceWriter; store: EventStore; feed: Feed; progress: Progress },
  signal: AbortSignal,
  restMs = REST_MS,
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
    const ending = AbortSignal.any([signal, failing.signal])
    const follow = (left: AbortSignal) => feed.after(from, AbortSignal.any([ending, left]))
    for await (const page of readAhead(follow, BEHIND_EVENTS)) {
      if (ending.aborted) break
      await place.take(page)
      progress.advance(place.at())
      if (page.length < BEHIND_EVENTS) await progress.wanted(restMs, ending)
    }
    failing.signal.throwIfAborted()
    await place.save()
  } finally {
    place.leave()
  }
}
