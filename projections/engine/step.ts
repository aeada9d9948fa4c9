import type { ISql, Sql } from 'postgres'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { UnreadableEvent } from '../../domain/kernel/recorded-event.ts'
import { allOver, changesOf, PREPARED, rowsAfter, type TableChanges, upsertOf } from './apply.ts'
import { moved } from './place-writer.ts'
import type { Projection, Table } from './projection.ts'
import { inOwnOrder } from './rebuild.ts'
import type { RecentRows, TableRows } from './recent-rows.ts'
import { columnsOf } from './row-text.ts'
import { type CheckpointEvent, checkpointOf, type ProjectionCheckpoint, SERVING } from './schema.ts'

/** Times that a step is begun when other rows of the same place were put there meanwhile. */
const ATTEMPTS = 3

/** A step of a read model through the log: from the position that is written down to that of an event. */
export type Step = {
  readonly from: bigint
  readonly to: CheckpointEvent & { readonly position: bigint }
  /** Which transaction has written the checkpoint down, where it is known. */
  readonly written?: string | undefined
  /** What the steps before have written; this one adds to it, and reads the rows that it does not know. */
  readonly recent: RecentRows
}

/**
 * Takes a step of a read model that serves: its rows and its checkpoint move together or not at all, so an event counts
 * exactly once. Rejects when the read model is not where it was left: somebody put another build in its place, another
 * holder has moved on, or a crash took back what was not flushed. Rejects as `applyBatch` besides. The connection's
 * search_path has to name the schema that serves. Answers which transaction has written the checkpoint.
 */
export const takeStep = async (
  sql: PipedSql,
  projection: Projection,
  page: readonly RecordedEvent[],
  step: Step,
): Promise<string> => {
  const changes = changesOf(projection, inOwnOrder(page))
  const { left, written, rows } = projection.written
    ? await sql.begin(async (tx) => {
        const end = await stepOn(tx, projection, step, changes)
        await projection.written?.(tx, page)
        return end
      })
    : await stepOn(sql.piped, projection, step, changes)
  step.recent.keep({ before: left, by: written }, rows)
  return written
}

/** The transaction that had written the checkpoint before, the one that has written it now, and the rows. */
type StepEnd = { readonly left: string | undefined; readonly written: string; readonly rows: readonly TableRows[] }

/** A pool; short statements that are piped may share a connection, and each is a transaction of its own. */
export type PipedSql = Sql & { readonly piped: ISql }

/**
 * Needs no transaction: the one statement that writes looks whether the checkpoint is still the one that was left.
 * Whoever else writes rows of a read model that serves moves its checkpoint, or puts another in its place, so that
 * nobody has written any since they were read.
 */
const stepOn = async (
  sql: ISql,
  projection: Projection,
  step: Step,
  changes: readonly TableChanges[],
): Promise<StepEnd> => {
  let left = step.written
  for (let attempt = 1; ; attempt++) {
    let failure: unknown
    try {
      const known = step.recent.after(left)
      const rows = await allOver(changes.map((each) => rowsAfter(sql, each, known)))
      const written = await moveWith(sql, projection, step, rows, left)
      if (written !== undefined) return { left, written, rows }
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error
      failure = error
    }
    const checkpoint = await checkpointOf(sql, SERVING, projection.name)
    // Of a read model that is elsewhere the rows say nothing, whatever they led to.
    if (!isAt(step, projection, checkpoint)) throw moved(projection, checkpoint)
    if (attempt === ATTEMPTS || (failure && checkpoint?.written === left))
      throw failure ?? moved(projection, checkpoint)
    // Somebody has put rows of the same place there, such as a replay does.
    left = checkpoint?.written
  }
}

const isAt = ({ from }: Step, { version }: Projection, checkpoint: ProjectionCheckpoint | undefined): boolean =>
  checkpoint?.position === from && checkpoint.version === version

/**
 * Moves the checkpoint and writes rows by one statement, whose commit does not wait for the disk: what a crash takes
 * back is read again from the log. Answers by which transaction; undefined, and nothing is written, where the read
 * model is not where it was left, or its checkpoint was not written by the transaction that is named.
 */
const moveWith = async (
  sql: ISql,
  projection: Projection,
  { from, to }: Step,
  written: readonly TableRows[],
  left: string | undefined,
): Promise<string | undefined> => {
  const { name, version } = projection
  const parameters = [String(to.position), to.id, to.at, name, String(version), String(from), left ?? '0']
  for (const { table, rows } of written) parameters.push(...columnsOf(table, Object.keys(table.columns), rows))
  const tables = written.map(({ table }) => table)
  const [row] = await sql.unsafe<{ written: string }[]>(statementFor(projection, tables), parameters, PREPARED)
  return row?.written
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
        and xmin::text = $7::text
      returning set_config('synchronous_commit', 'off', true) as commits, xmin::text as written
    )${writes.join('')}
    select commits, written from moved`
}
