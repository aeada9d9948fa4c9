import { createTables, type Sql } from '../postgres/connect.ts'
import type { Member } from './presence.ts'

/** What each process says of itself: which followers run in it, and which of those stand still. */

/** The followers of one process, by their names. */
type ProcessReport = {
  /** Those whose turn it has; the others stand by. */
  readonly runs: readonly string[]
  /** Those of them that stand at an event that cannot be read. */
  readonly stopped: readonly string[]
}

/** A process that is alive; one that has just come has said nothing of itself yet. */
export type ReportedProcess = Member & { readonly report: ProcessReport | undefined }

export type ProcessReports = {
  tell(id: string, report: ProcessReport): Promise<void>
  forget(id: string): Promise<void>
  /** Which followers stand at an event that cannot be read, in any process that is alive. */
  stopped(): Promise<ReadonlySet<string>>
}

const TABLE = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.process_reports (id text primary key, runs json not null, stopped json not null);
`

export const createProcessReports = async (sql: Sql): Promise<ProcessReports> => {
  await createTables(sql, TABLE)
  return {
    /** Rows of processes that ended without a word go when another one tells something. */
    async tell(id, { runs, stopped }) {
      await sql`
        with ended as (
          delete from daybook_run.process_reports
          where id <> ${id} and id not in (select id from daybook_run.processes)
        )
        insert into daybook_run.process_reports (id, runs, stopped)
        values (${id}, ${JSON.stringify(runs)}::text::json, ${JSON.stringify(stopped)}::text::json)
        on conflict (id) do update set runs = excluded.runs, stopped = excluded.stopped`
    },
    async forget(id) {
      await sql`delete from daybook_run.process_reports where id = ${id}`
    },
    async stopped() {
      const alive = await reportedProcesses(sql)
      return new Set(alive.flatMap(({ report }) => report?.stopped ?? []))
    },
  }
}

type Row = {
  id: string
  address: string | null
  parts: string[]
  since: Date
  runs: string[] | null
  stopped: string[] | null
}

/** The processes that are alive by PostgreSQL's clock, the oldest first; none where no process was ever noted. */
export const reportedProcesses = async (sql: Sql): Promise<readonly ReportedProcess[]> => {
  const [there] = await sql<{ there: boolean }[]>`
    select to_regclass('daybook_run.processes') is not null
      and to_regclass('daybook_run.process_reports') is not null as there`
  if (!there?.there) return []
  const rows = await sql<Row[]>`
    select id, address, parts, since, runs, stopped
    from daybook_run.processes left join daybook_run.process_reports using (id)
    where until > now() order by since, id`
  return rows.map(({ id, address, parts, since, runs, stopped }) => ({
    id,
    address: address ?? undefined,
    parts,
    since,
    report: runs && { runs, stopped: stopped ?? [] },
  })) as readonly ReportedProcess[]
}
