import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { isConcerned } from './apply.ts'
import type { PlaceWriter, WrittenPlace } from './place-writer.ts'
import type { Projection } from './projection.ts'
import { createRecentRows } from './recent-rows.ts'
import { isRefusedData } from './refused-data.ts'
import type { ProjectionCheckpoint } from './schema.ts'
import { type PipedSql, takeStep } from './step.ts'

/** The place of a projector in the log, and how much of it is written down. */
export type ProjectorPlace = {
  at(): bigint
  /**
   * Takes the next page: rows and checkpoint move in one transaction, so an event counts exactly once. Rejects with
   * UnreadableEvent at one that the rows cannot take, once everything before it is taken.
   */
  take(page: readonly RecordedEvent[]): Promise<void>
  /** Writes down the position when only that has moved. */
  save(): Promise<void>
  leave(): void
}

/**
 * Begins where the read model was found. `failed` is called when the read model is found elsewhere than it was left, or
 * Postgres does not answer.
 */
export const takePlace = (
  { sql, places }: { sql: PipedSql; places: PlaceWriter },
  projection: Projection,
  found: ProjectionCheckpoint | undefined,
  failed: (error: unknown) => void,
): ProjectorPlace => {
  let at = found?.position ?? -1n
  let event = found?.event
  let saved = at
  let written = found?.written
  const recent = createRecentRows()
  let rest: WrittenPlace | undefined = { position: saved }
  let left = false
  let waits = false
  let work: Promise<unknown> = Promise.resolve()
  /** Runs one job at a time, so that each knows what the one before has written. */
  const inTurn = <T>(job: () => Promise<T>): Promise<T> => {
    const done = work.then(async () => {
      rest = undefined
      try {
        return await job()
      } finally {
        rest = { position: saved }
      }
    })
    work = done.catch(() => {})
    return done
  }

  const save = () =>
    inTurn(async () => {
      const to = at
      if (to <= saved) return
      const write = await places.move({ projection, from: saved, to, event })
      recent.keep(write)
      written = write.by
      saved = to
    })
  const saveLater = () => {
    if (waits) return
    waits = true
    places.later(() => {
      waits = false
      if (!left) save().catch(failed)
    })
  }
  const endWatch = places.watch({ projection, rest: () => rest, failed })

  const takeWhole = async (page: readonly RecordedEvent[]) => {
    const last = page.at(-1)
    if (!last) return
    if (isConcerned(projection, page))
      await inTurn(async () => {
        written = await takeStep(sql, projection, page, { from: saved, to: last, written, recent })
        saved = last.position
      })
    // Nothing in the page is for this read model: only its place in the log moves, and that may be written a little
    // later.
    else saveLater()
    at = last.position
    event = last
  }
  /** Takes one event after the other: PostgreSQL does not say which of them brought what it refuses. */
  const takeEach = async (page: readonly RecordedEvent[]) => {
    for (const each of page)
      await takeWhole([each]).catch((error: unknown) => {
        throw isRefusedData(error) ? new UnreadableEvent(each, (error as Error).message, { cause: error }) : error
      })
  }

  return {
    at: () => at,
    async take(page) {
      try {
        await takeWhole(page)
      } catch (error) {
        if (isRefusedData(error)) return takeEach(page)
        const stop = error instanceof UnreadableEvent ? page.findIndex(({ id }) => id === error.event.id) : -1
        const event = page[stop]
        if (!event) throw error
        await takeWhole(page.slice(0, stop))
        await save()
        throw new UnreadableEvent(event, (error as UnreadableEvent).reason, { cause: error })
      }
    },
    save,
    leave() {
      left = true
      endWatch()
    },
  }
}
