import type { ISql, Sql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { allOver, changesOf, PREPARED, rowsAfter, type TableChanges, upsertOf } from './apply.ts'
import { moved } from './place-writer.ts'
import type { Projection, Row, Table } from './projection.ts'
import { inOwnOrder } from './rebuild.ts'
import { columnsOf } from './row-text.ts'
import { type CheckpointEvent, checkpointOf, checkpointToMove, SERVING } from './schema.ts'

/** A step of a read model through the log: from the position that is written down to that of an event. */
export type Step = { readonly from: bigint; readonly to: CheckpointEvent & { readonly position: bigint } }

/**
 * Takes a step of a read model that serves: its rows and its checkpoint move together or not at all, so an event counts
 * exactly once. Rejects when the read model is not where it was left: somebody put another build in its place, another
 * holder has moved on, or a crash took back what was not flushed. Rejects as `applyBatch` besides. The connection's
 * search_path has to name the schema that serves.
 */
export const takeStep = async (
  sql: Sql,
  projection: Projection,
  page: readonly RecordedEvent[],
  step: Step,
): Promise<void> => {
  const changes = changesOf(projection, inOwnOrder(page))
  // Rows that start from nothing need no transaction: the statement that writes them looks at the checkpoint.
  if (!projection.written && changes.every(({ table, wanted }) => wanted.length === 0 && !table.numbered)) {
    const rows = await allOver(changes.map((each) => rowsAfter(sql, each)))
    if (await moveWith(sql, projection, step, rows)) return
    throw moved(projection, await checkpointOf(sql, SERVING, projection.name))
  }
  await sql.begin(async (tx) => {
    const rows = await rowsFrom(tx, projection, step, changes)
    if (!(await moveWith(tx, projection, step, rows))) throw moved(projection, undefined)
    await projection.written?.(tx, page)
  })
}

/**
 * Reads what the changes start from behind the lock of the checkpoint; PostgreSQL gets both without a wait between. Of
 * a read model that is elsewhere the rows say nothing, so that is told first, whatever they led to.
 */
const rowsFrom = async (tx: ISql, projection: Projection, { from }: Step, changes: readonly TableChanges[]) => {
  const locked = checkpointToMove(tx, projection.name)
  const reading = allOver(changes.map((each) => rowsAfter(tx, each)))
  await Promise.allSettled([locked, reading])
  const checkpoint = await locked
  if (checkpoint?.position !== from || checkpoint.version !== projection.version) throw moved(projection, checkpoint)
  return reading
}

type TableRows = { readonly table: Table; readonly rows: readonly Row[] }

/**
 * Moves the checkpoint and writes rows by one statement, whose commit does not wait for the disk: what a crash takes
 * back is read again from the log. Answers whether the read model was where it was left; nothing is written else.
 */
const moveWith = async (sql: ISql, projection: Projection, { from, to }: Step, written: readonly TableRows[]) => {
  const parameters = [String(to.position), to.id, to.at, projection.name, String(projection.version), String(from)]
  const writes = written.map(({ table, rows }, n) => {
    const upsert = upsertOf(table, parameters.length, 'exists (select from moved)')
    parameters.push(...columnsOf(table, Object.keys(table.columns), rows))
    return `, rows_${n} as (${upsert})`
  })
  const found = await sql.unsafe(
    `with moved as (
      update ${SERVING}.checkpoints set position = $1::text::bigint, event_id = $2, event_at = $3
      where name = $4 and version = $5::text::integer and position = $6::text::bigint
      returning set_config('synchronous_commit', 'off', true) as commits
    )${writes.join('')}
    select commits from moved`,
    parameters,
    PREPARED,
  )
  return found.length === 1
}
