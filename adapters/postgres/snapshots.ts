/** Folded states kept as rows that may be dropped at any time: they only save reading. */
import type { Snapshots } from '../../domain/kernel/ports.ts'
import { createTables, type Sql } from './connect.ts'

const TABLES = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.snapshots (
    stream text primary key,
    state_version int not null,
    revision bigint not null,
    state json not null
  );
`

/**
 * One row per stream; it is only ever replaced by one of a newer revision, or of another version of the state at the
 * same one.
 */
export async function createSnapshots(sql: Sql): Promise<Snapshots> {
  await createTables(sql, TABLES)
  return {
    async load(stream, stateVersion) {
      const [row] = await sql<{ revision: string; state: string }[]>`
        select revision, state::text as state from daybook_run.snapshots
        where stream = ${stream} and state_version = ${stateVersion}`
      return row && { revision: BigInt(row.revision), state: stateFromJson(row.state) }
    },

    async save(stream, stateVersion, revision, state) {
      // The state goes by way of text, because the driver would turn a JSON parameter into JSON once more.
      await sql`
        insert into daybook_run.snapshots as kept (stream, state_version, revision, state)
        values (${stream}, ${stateVersion}, ${revision.toString()}, ${stateToJson(state)}::text::json)
        on conflict (stream) do update
          set state_version = excluded.state_version, revision = excluded.revision, state = excluded.state
          where kept.revision < excluded.revision
            or (kept.revision = excluded.revision and kept.state_version <> excluded.state_version)`
    },
  }
}

/** Forgets the snapshot of a stream, which is then folded from its start. */
export const forgetSnapshot = async (sql: Sql, stream: string): Promise<void> => {
  await createTables(sql, TABLES)
  await sql`delete from daybook_run.snapshots where stream = ${stream}`
}

/** JSON that keeps bigints: `#12` is the number twelve, and a string that starts with `#` gets one more. */

/** Text for any tree of plain objects, arrays, strings, numbers, booleans, nulls and bigints. */
export function stateToJson(state: unknown): string {
  const text = JSON.stringify(state, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `#${value}`
    return typeof value === 'string' && value.startsWith('#') ? `#${value}` : value
  })
  if (text === undefined) throw new Error('A state must be a JSON value')
  return text
}

/** The tree that `stateToJson` was given. */
export function stateFromJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith('#')) return value
    return value.startsWith('##') ? value.slice(1) : BigInt(value.slice(1))
  })
}
