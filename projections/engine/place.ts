import type { Sql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { applyBatch, isConcerned } from './apply.ts'
import type { Projection } from './projection.ts'
import { inOwnOrder } from './rebuild.ts'
import { checkpointOf, SERVING } from './schema.ts'

/** The place of a projector in the log, and how much of it is written down. */
export type ProjectorPlace = {
  at(): bigint
  /** Takes the next page: rows and checkpoint move in one transaction, so an event counts exactly once. */
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

  return {
    at: () => at,
    async take(page) {
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
    },
    save,
    leave() {
      clearTimeout(later)
      clearInterval(looking)
    },
  }
}

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
