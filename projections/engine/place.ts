import type { Sql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { applyBatch, isConcerned } from './apply.ts'
import type { Projection } from './projection.ts'
import { inOwnOrder } from './rebuild.ts'
import { checkpointOf, SERVING } from './schema.ts'

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

/** Milliseconds within which a position is written down that does not concern the read model. */
const SAVE_AFTER_MS = 200
/**
 * Milliseconds after which a projector looks whether what it wrote is still there: a crash of the database takes back
 * what was not flushed.
 */
const LOOK_EVERY_MS = 5_000

/**
 * Begins where the read model is. `failed` is called when the read model is found elsewhere than it was left, or
 * Postgres does not answer.
 */
export const takePlace = async (
  sql: Sql,
  projection: Projection,
  failed: (error: unknown) => void,
): Promise<ProjectorPlace> => {
  const found = await checkpointOf(sql, SERVING, projection.name)
  let at = found?.position ?? -1n
  let event = found?.event
  let saved = at
  let later: NodeJS.Timeout | undefined
  let work: Promise<unknown> = Promise.resolve()
  /** Runs one job at a time, so that each knows what the one before has written. */
  const inTurn = <T>(job: () => Promise<T>): Promise<T> => {
    const done = work.then(job)
    work = done.catch(() => {})
    return done
  }

  const save = () =>
    inTurn(async () => {
      clearTimeout(later)
      later = undefined
      const to = at
      if (to === saved) return
      const { count } = await sql`
        update ${sql(SERVING)}.checkpoints
        set position = ${String(to)}, event_id = ${event?.id ?? null}, event_at = ${event?.at ?? null}
        where name = ${projection.name} and version = ${projection.version} and position = ${String(saved)}`
      if (count === 0) throw moved(projection, await checkpointOf(sql, SERVING, projection.name))
      saved = to
    })
  const look = () =>
    inTurn(async () => {
      const checkpoint = await checkpointOf(sql, SERVING, projection.name)
      if (checkpoint?.position !== saved || checkpoint.version !== projection.version)
        throw moved(projection, checkpoint)
    })
  const looking = setInterval(() => look().catch(failed), LOOK_EVERY_MS).unref()

  const takeWhole = async (page: readonly RecordedEvent[]) => {
    const last = page.at(-1)
    if (!last) return
    if (isConcerned(projection, page))
      await inTurn(async () => {
        await write(sql, projection, page, saved, last)
        saved = last.position
      })
    // Nothing in the page is for this read model: only its place in the log moves, and that may be written a little
    // later.
    else later ??= setTimeout(() => save().catch(failed), SAVE_AFTER_MS).unref()
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
      clearTimeout(later)
      clearInterval(looking)
    },
  }
}

/** Whether PostgreSQL says that a value is none of its type or breaks a rule (SQLSTATE classes 22 and 23). */
const isRefusedData = (error: unknown): boolean => /^2[23]/.test(String((error as { code?: unknown }).code ?? ''))

const write = (sql: Sql, projection: Projection, page: readonly RecordedEvent[], saved: bigint, last: RecordedEvent) =>
  sql.begin(async (tx) => {
    // A lost commit is read again from the log: the rows and their checkpoint are lost together.
    const unflushed = tx`set local synchronous_commit to off`
    const [checkpoint] = await Promise.all([checkpointOf(tx, SERVING, projection.name, true), unflushed])
    // Somebody put another build in its place, another holder has moved on, or a crash took back what was not flushed:
    // begin again from what is written.
    if (checkpoint?.position !== saved || checkpoint.version !== projection.version) throw moved(projection, checkpoint)
    await applyBatch(tx, projection, inOwnOrder(page))
    await projection.written?.(tx, page)
    await tx`
      update checkpoints set position = ${String(last.position)}, event_id = ${last.id}, event_at = ${last.at}
      where name = ${projection.name}`
  })

const moved = ({ name }: Projection, checkpoint: { position: bigint } | undefined) =>
  new Error(`${name} has moved to ${checkpoint?.position ?? 'nowhere'}`)
