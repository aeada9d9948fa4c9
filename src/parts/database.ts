import { type DatabaseReach, furthestPlace, noteEvent } from '../../adapters/postgres/checkpoints.ts'
import type { Sql } from '../../adapters/postgres/connect.ts'
import { SERVING } from '../../projections/engine/schema.ts'
import { type LogReach, type LogReading, misfitWith, readLog } from './log.ts'
import { events, type InstallationPart, partOf, reachOf } from './part.ts'

/** Holds the furthest checkpoint against the one event of the log that has to be there. */
export const databasePart = async (
  sql: Sql,
  { followed, furthest }: DatabaseReach,
  log: LogReach,
): Promise<InstallationPart> => {
  const place = { position: furthest?.position ?? null, at: furthest?.event?.at ?? null }
  const reach = furthest ? reachOf(furthest.position, furthest.event?.at) : 'empty'
  const known = { whose: followed?.id ?? null, reach, ...place }
  const wrong = (misfit: NonNullable<InstallationPart['misfit']>, says: string, lost = 0) =>
    partOf('database', { ...known, fits: false, misfit, says, beyond: lost > 0 ? lost : null })
  if (followed && log.id === undefined) return wrong('log-gone', 'the log is empty', await rowsBeyond(sql, -1n))
  if (followed && followed.id !== log.id) return wrong('another-log', `it follows the log at ${followed.name}`)
  if (!furthest) return partOf('database', { ...known, fits: true, says: 'it has followed nothing yet' })
  const misfit = await misfitWith({ position: furthest.position, id: furthest.event?.id }, log)
  if (misfit === 'log-parted') {
    const parting = await lastCommon(sql, log)
    const lost = await rowsBeyond(sql, parting)
    return wrong(misfit, lost > 0 ? `its last ${events(lost)} are others in the log` : 'the log has others there', lost)
  }
  // An empty log ends before it as well, where a former release did not note which log it followed.
  if (misfit) {
    const lost = await rowsBeyond(sql, log.head?.order ?? -1n)
    return wrong('log-older', lost > 0 ? `${events(lost)} beyond the log's end` : "it is beyond the log's end", lost)
  }
  return partOf('database', { ...known, fits: true })
}

/**
 * Notes which event the furthest checkpoint stands at, in a database that was only followed by a former release. It is
 * called once everything fits.
 */
export const noteFurthest = async (sql: Sql, place: LogReading): Promise<void> => {
  const furthest = await furthestPlace(sql)
  if (!furthest || furthest.event) return
  const there = await (await readLog(place)).at(furthest.position)
  if (there) await noteEvent(sql, there.position, there)
}

/**
 * Number of events that the database shows after a place in the ledger's order; 0 when it has no timeline to tell it
 * from.
 */
export const rowsBeyond = async (sql: Sql, order: bigint): Promise<number> => {
  if (!(await hasTimeline(sql))) return 0
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from ${sql(SERVING)}.timeline where position > ${String(order)}`
  return row?.count ?? 0
}

/**
 * The place in the ledger's order of the last event that the database and the log have in common; -1n when that is
 * unknown. It is found by binary search, because everything up to it is the same in both.
 */
export const lastCommon = async (sql: Sql, log: LogReach): Promise<bigint> => {
  if (!(await hasTimeline(sql))) return -1n
  let low = log.base - 1n
  let high = log.head?.order ?? -1n
  while (low < high) {
    const middle = (low + high + 1n) / 2n
    const [row] = await sql<{ position: string; id: string }[]>`
      select position, event_id as id from ${sql(SERVING)}.timeline
      where position <= ${String(middle)} and position > ${String(low)} order by position desc limit 1`
    const order = BigInt(row?.position ?? low)
    if (!row) low = middle
    else if ((await log.at(order - log.base))?.id === row.id) low = middle
    else high = order - 1n
  }
  return low
}

const hasTimeline = async (sql: Sql): Promise<boolean> => {
  const [row] = await sql<{ there: boolean }[]>`select to_regclass(${`${SERVING}.timeline`}) is not null as there`
  return row?.there ?? false
}
