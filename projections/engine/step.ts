import type { ISql, Sql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { allOver, changesOf, PREPARED, rowsAfter, type TableChanges, upsertOf } from './apply.ts'
import { moved } from './place-writer.ts'
import type { Projection, Row, Table } from './projection.ts'
import { inOwnOrder } from './rebuild.ts'
import { columnsOf } from './row-text.ts'
import { type CheckpointEvent, checkpointAsItIs, checkpointOf, type ProjectionCheckpoint, SERVING } from './schema.ts'

/** Times that a step is begun when other rows of the same place were put there meanwhile. */
const ATTEMPTS = 3

/** A step of a read model through the log: from the position that is written down to that of an event. */
export type Step = { readonly from: bigint; readonly to: CheckpointEvent & { readonly position: bigint } }

/**
 * Takes a step of a read model that serves: its rows and its checkpoint move together or not at all, so an event counts
 * exactly once. Rejects when the read model is not where it was left: somebody put another build in its place, another
 * holder has moved on, or a crash took back what was not flushed. Rejects as `applyBatch` besides. The connection's
 * search_path has to name the schema that serves.
 */
export const takeStep = async (
  sql: PipedSql,
  projection: Projection,
  page: readonly RecordedEvent[],
  step: Step,
): Promise<void> => {
  const changes = changesOf(projection, inOwnOrder(page))
  if (!projection.written) return stepOn(sql.piped, projection, step, changes)
  await sql.begin(async (tx) => {
    await stepOn(tx, projection, step, changes)
    await projection.written?.(tx, page)
  })
}

/** A pool; short statements that are piped may share a connection, and each is a transaction of its own. */
export type PipedSql = Sql & { readonly piped: ISql }

/**
 * Needs no transaction: the one statement that writes looks whether the checkpoint is still as it was before anything
 * was read. Whoever writes rows of a read model that serves moves its checkpoint, or puts another in its place.
 */
const stepOn = async (sql: ISql, projection: Projection, step: Step, changes: readonly TableChanges[]) => {
  for (let attempt = 1; ; attempt++) {
    const { rows, seen } = await rowsFrom(sql, projection, step, changes)
    if (await moveWith(sql, projection, step, rows, seen)) return
    const checkpoint = await checkpointOf(sql, SERVING, projection.name)
    // Somebody has put rows of the same place there, such as a replay does.
    if (isAt(step, projection, checkpoint) && attempt < ATTEMPTS) continue
    throw moved(projection, checkpoint)
  }
}

/**
 * Reads what the changes start from; PostgreSQL gets all of it without a wait between, the checkpoint first. Of a read
 * model that is elsewhere the rows say nothing, so that is told first, whatever they led to.
 */
const rowsFrom = async (sql: ISql, projection: Projection, step: Step, changes: readonly TableChanges[]) => {
  const reading = () => allOver(changes.map((each) => rowsAfter(sql, each)))
  if (changes.every(({ table, wanted }) => wanted.length === 0 && !table.numbered))
    return { rows: await reading(), seen: null }
  const [looking, rows] = [checkpointAsItIs(sql, projection.name), reading()]
  await Promise.allSettled([looking, rows])
  const checkpoint = await looking
  if (!isAt(step, projection, checkpoint)) throw moved(projection, checkpoint)
  return { rows: await rows, seen: checkpoint?.written ?? null }
}

const isAt = ({ from }: Step, { version }: Projection, checkpoint: ProjectionCheckpoint | undefined): boolean =>
  checkpoint?.position === from && checkpoint.version === version

type TableRows = { readonly table: Table; readonly rows: readonly Row[] }

/**
 * Moves the checkpoint and writes rows by one statement, whose commit does not wait for the disk: what a crash takes
 * back is read again from the log. Answers whether the read model was where it was left, and was not written since it
 * was `seen`; nothing is written else.
 */
const moveWith = async (
  sql: ISql,
  projection: Projection,
  { from, to }: Step,
  written: readonly TableRows[],
  seen: string | null,
) => {
  const { name, version } = projection
  const parameters = [String(to.position), to.id, to.at, name, String(version), String(from), seen]
  for (const { table, rows } of written) parameters.push(...columnsOf(table, Object.keys(table.columns), rows))
  const tables = written.map(({ table }) => table)
  const found = await sql.unsafe(statementFor(projection, tables), parameters, PREPARED)
  return found.length === 1
}

/** How many parameters there are before those of the rows. */
const PARAMETERS_OF_MOVE = 7

/** The text that moves a checkpoint and writes to these tables; it is made once for each choice of them. */
const statementFor = (projection: Projection, tables: readonly Table[]): string => {
  const made = statements.get(projection) ?? new Map<string, string>()
  statements.set(projection, made)
  const key = tables.map(({ name }) => name).join()
  const text = made.get(key) ?? moveText(tables)
  made.set(key, text)
  return text
}

const statements = new WeakMap<Projection, Map<string, string>>()

const moveText = (tables: readonly Table[]): string => {
  let parameters = PARAMETERS_OF_MOVE
  const writes = tables.map((table, n) => {
    const upsert = upsertOf(table, parameters, 'exists (select from moved)')
    parameters += Object.keys(table.columns).length
    return `, rows_${n} as (${upsert})`
  })
  return `with moved as (
      update ${SERVING}.checkpoints set position = $1::text::bigint, event_id = $2, event_at = $3
      where name = $4 and version = $5::text::integer and position = $6::text::bigint
        and ($7::text is null or xmin = $7::text::xid)
      returning set_config('synchronous_commit', 'off', true) as commits
    )${writes.join('')}
    select commits from moved`
}
