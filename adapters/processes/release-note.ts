import { createTables, type Sql } from '../postgres/connect.ts'

/** Which release of Daybook was the last to write to a database and to the log that it follows. */
export type ReleaseNote = {
  readonly release: string
  /** The newest version of every type of event that it writes. */
  readonly events: Readonly<Record<string, number>>
  /** The backup that was made before it built anything; null where none was. */
  readonly backup: string | null
  /** When it first started here, ISO 8601. */
  readonly since: string
}

const TABLE = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.release (
    one boolean primary key default true check (one),
    release text not null,
    events json not null,
    backup text,
    since text not null
  );
`

/** Undefined where no release has noted itself yet. */
export const readReleaseNote = async (sql: Sql): Promise<ReleaseNote | undefined> => {
  const [there] = await sql<{ there: boolean }[]>`select to_regclass('daybook_run.release') is not null as there`
  if (!there?.there) return undefined
  const [row] = await sql<ReleaseNote[]>`select release, events, backup, since from daybook_run.release`
  return row
}

/** Notes the release from now on; it is on the disk when this returns. */
export const writeReleaseNote = async (sql: Sql, { release, events, backup, since }: ReleaseNote): Promise<void> => {
  await createTables(sql, TABLE)
  await sql.begin(async (tx) => {
    await tx`set local synchronous_commit = on`
    await tx`
      insert into daybook_run.release (release, events, backup, since)
      values (${release}, ${JSON.stringify(events)}::text::json, ${backup}, ${since})
      on conflict (one) do update
        set release = excluded.release, events = excluded.events, backup = excluded.backup, since = excluded.since`
  })
}
