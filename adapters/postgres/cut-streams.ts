/**
 * What the event store has said of cut and deleted streams, kept from one start to the next, so that a start need not
 * look through the whole log. When these rows are lost the next start looks from the first event on.
 */
import type { CutNote, CutReason } from '../store/base/cut-streams.ts'
import { createTables, type Sql } from './connect.ts'

export type CutStreamRows = {
  /** The streams of a log that are cut; `log` is its identity. */
  load(log: string): Promise<readonly CutNote[]>
  /** Older notes change nothing, also when another process has kept them. */
  save(log: string, notes: readonly CutNote[]): Promise<void>
}

/** A copy of a log in another store is another log: what was cut in the old one may be whole there. */
export const createCutStreamRows = async (sql: Sql): Promise<CutStreamRows> => {
  // Whether the table exists is asked first, so that a normal start waits for no transaction.
  const [there] = await sql<{ there: boolean }[]>`select to_regclass('daybook_run.cut_streams') is not null as there`
  if (!there?.there) await createTables(sql, TABLE)
  return {
    async load(log) {
      const rows = await sql<{ stream: string; reason: CutReason; position: string }[]>`
        select stream, reason, position from daybook_run.cut_streams where log = ${log} and reason is not null`
      return rows.map(({ stream, reason, position }) => ({ stream, reason, position: BigInt(position) }))
    },
    async save(log, notes) {
      for (const { stream, reason, position } of notes)
        await sql`
          insert into daybook_run.cut_streams (log, stream, reason, position)
          values (${log}, ${stream}, ${reason ?? null}, ${String(position)})
          on conflict (log, stream) do update set reason = excluded.reason, position = excluded.position
          where cut_streams.position < excluded.position`
    },
  }
}

const TABLE = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.cut_streams (
    log text not null, stream text not null, reason text, position bigint not null, primary key (log, stream))`
