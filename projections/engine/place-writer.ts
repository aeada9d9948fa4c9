import type { Sql } from 'postgres'
import { createGathering } from './gathering.ts'
import type { Projection } from './projection.ts'
import { isRefusedData } from './refused-data.ts'
import { type CheckpointEvent, checkpointOf, checkpointsOf, type ProjectionCheckpoint, SERVING } from './schema.ts'

/**
 * Writes the places of all projectors of a process together where only the place moves, and looks together whether they
 * are still there. Rows and their place are written by each projector itself.
 */
export type PlaceWriter = {
  /** The checkpoint of a read model that serves, looked up for all who ask at the same moment. */
  find(name: string): Promise<ProjectionCheckpoint | undefined>
  /** Calls everybody who has asked at the same moment, at most 200 ms later, so that their places move together. */
  later(save: () => void): void
  /** Resolves once the place is written down; rejects when it is no more where it was, for that projector alone. */
  move(move: PlaceMove): Promise<PlaceWrite>
  /** Looks from now on whether a projector's place is where it was left; answers how to end that. */
  watch(projector: WatchedProjector): () => void
}

/** A step of a projector through a part of the log that has nothing for its rows. */
type PlaceMove = {
  readonly projection: ProjectionVersion
  readonly from: bigint
  readonly to: bigint
  readonly event: CheckpointEvent | undefined
}

/** The transaction that has written a place, and the one that had written it before. */
type PlaceWrite = { readonly before: string; readonly by: string }

type ProjectionVersion = Pick<Projection, 'name' | 'version'>

type WatchedProjector = {
  readonly projection: ProjectionVersion
  /**
   * The place as it was last written, another object after each write; undefined while the projector writes, because a
   * write finds out by itself what is there.
   */
  rest(): WrittenPlace | undefined
  /** Called when the place is elsewhere, or could not be looked at. */
  failed(error: unknown): void
}

export type WrittenPlace = { readonly position: bigint }

/** Milliseconds within which a position is written down that does not concern the read model. */
const SAVE_AFTER_MS = 200
/**
 * Milliseconds after which it is looked whether what was written is still there: a crash of the database takes back
 * what was not flushed.
 */
const LOOK_EVERY_MS = 5_000
/**
 * Milliseconds that a statement for many may take, the wait for a connection included; a projector that takes part in
 * it writes no rows meanwhile.
 */
const ANSWER_LIMIT_MS = 30_000

export const createPlaceWriter = (sql: Sql): PlaceWriter => {
  const saves = createGathering(SAVE_AFTER_MS, async (all: readonly (() => void)[]) => {
    for (const save of all) save()
    return []
  })
  const moves = createGathering(0, (all: readonly PlaceMove[]) => moveTogether(sql, all))
  const finds = createGathering(0, async (names: readonly string[]) => {
    const found = await checkpointsOf(sql, SERVING, names)
    return names.map((name) => found.get(name))
  })
  const watched = new Set<WatchedProjector>()
  let looking: NodeJS.Timeout | undefined
  return {
    find: finds.soon,
    later: (save) => void saves.later(save),
    move: moves.soon,
    watch(projector) {
      watched.add(projector)
      looking ??= setInterval(() => void look(sql, [...watched]), LOOK_EVERY_MS).unref()
      return () => {
        watched.delete(projector)
        if (watched.size > 0) return
        clearInterval(looking)
        looking = undefined
      }
    },
  }
}

export const moved = ({ name }: ProjectionVersion, checkpoint: WrittenPlace | undefined) =>
  new Error(`${name} has moved to ${checkpoint?.position ?? 'nowhere'}`)

const moveTogether = async (
  sql: Sql,
  moves: readonly PlaceMove[],
): Promise<readonly (Promise<PlaceWrite> | PlaceWrite)[]> => {
  const written = await inTime(movedTogether(sql, moves)).catch((error: unknown) => {
    // PostgreSQL does not say whose value it refuses.
    if (isRefusedData(error)) return new Map<number, PlaceWrite>()
    throw error
  })
  return moves.map((move, n) => written.get(n) ?? inTime(moveAlone(sql, move)))
}

/**
 * Moves all that are where they were left. A row that somebody holds is passed over, so that nobody else waits for it.
 * Answers by which transaction, by the numbers of those that were moved: two projectors of one read model are told
 * apart.
 */
const movedTogether = async (sql: Sql, moves: readonly PlaceMove[]): Promise<ReadonlyMap<number, PlaceWrite>> => {
  const given = moves.map(({ projection: { name, version }, from, to, event }, n) => ({
    n,
    name,
    version,
    was: String(from),
    position: String(to),
    event_id: event?.id ?? null,
    event_at: event?.at ?? null,
  }))
  const rows = await sql<(PlaceWrite & { n: number })[]>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(given)}::text::json) as given
        (n integer, name text, version integer, was bigint, position bigint, event_id text, event_at text)
    ), held as (
      select n, c.xmin::text as before from given join ${sql(SERVING)}.checkpoints c using (name)
      where c.version = given.version and c.position = was for no key update of c skip locked
    )
    update ${sql(SERVING)}.checkpoints c
    set position = given.position, event_id = given.event_id, event_at = given.event_at
    from given join held using (n)
    where c.name = given.name and c.version = given.version and c.position = was
    returning n, before, c.xmin::text as by`
  return new Map(rows.map(({ n, before, by }) => [n, { before, by }]))
}

/** Waits for whoever holds the row, and tells where it is when it was moved by somebody else. */
const moveAlone = async (sql: Sql, { projection, from, to, event }: PlaceMove): Promise<PlaceWrite> => {
  const { name, version } = projection
  const [row] = await sql<PlaceWrite[]>`
    with held as (
      select name, xmin::text as before from ${sql(SERVING)}.checkpoints
      where name = ${name} and version = ${version} and position = ${String(from)} for no key update
    )
    update ${sql(SERVING)}.checkpoints c
    set position = ${String(to)}, event_id = ${event?.id ?? null}, event_at = ${event?.at ?? null}
    from held
    where c.name = held.name and c.version = ${version} and c.position = ${String(from)}
    returning before, c.xmin::text as by`
  if (row) return row
  throw moved(projection, await checkpointOf(sql, SERVING, name))
}

/** Looks at the places of all who do not write; whoever has begun to write meanwhile is passed over. */
const look = async (sql: Sql, projectors: readonly WatchedProjector[]): Promise<void> => {
  const resting = projectors.flatMap((projector) => {
    const rest = projector.rest()
    return rest ? [{ projector, rest }] : []
  })
  if (resting.length === 0) return
  try {
    const found = await inTime(places(sql))
    for (const { projector, rest } of resting) {
      const { projection, failed } = projector
      const place = found.get(projection.name)
      if (projector.rest() !== rest) continue
      if (place?.position !== rest.position || place.version !== projection.version) failed(moved(projection, place))
    }
  } catch (error) {
    for (const { projector } of resting) projector.failed(error)
  }
}

const places = async (sql: Sql) => {
  const rows = await sql<{ name: string; version: number; position: string }[]>`
    select name, version, position from ${sql(SERVING)}.checkpoints`
  return new Map(rows.map(({ name, version, position }) => [name, { version, position: BigInt(position) }]))
}

/** Rejects after the limit. What comes of the statement later is found out by the next one. */
const inTime = <T>(answer: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = () => reject(new Error(`PostgreSQL has not answered for the places within ${ANSWER_LIMIT_MS} ms`))
    AbortSignal.timeout(ANSWER_LIMIT_MS).addEventListener('abort', late, { once: true })
    answer.then(resolve, reject)
  })
