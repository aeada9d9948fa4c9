import type { Sql } from '../connect.ts'

/**
 * The apps that a session has been used for, so that they can be told when it ends; a session outlives the codes and
 * tokens that they got by it. The rows go once the apps' notifications are written down, so that a crash in between is
 * made good later.
 */

export const SESSION_APP_TABLE = `
  create table if not exists daybook_signin.session_apps (
    sid text not null,
    client_id text not null,
    sub text not null,
    primary key (sid, client_id)
  );
`

export type SessionApp = { readonly sid: string; readonly sub: string; readonly clientId: string }

/** Sessions whose apps are told in one round of the sweep. */
const ROUND_MAX = 500

export const sessionAppRows = (sql: Sql) => ({
  /** The apps of sessions. */
  async of(sids: readonly string[]): Promise<readonly SessionApp[]> {
    return await sql<SessionApp[]>`
      select sid, sub, client_id as "clientId" from daybook_signin.session_apps where ${within(sql, sids)} order by sid, client_id`
  },

  /** The apps of sessions that have ended, where the apps were not told. */
  async left(): Promise<readonly SessionApp[]> {
    return await sql<SessionApp[]>`
      select sid, sub, client_id as "clientId" from daybook_signin.session_apps as app
      where not exists (select from daybook_signin.sessions where sid = app.sid) limit ${ROUND_MAX}`
  },

  async forget(sids: readonly string[]): Promise<void> {
    await sql`delete from daybook_signin.session_apps where ${within(sql, sids)}`
  },
})

const within = (sql: Sql, sids: readonly string[]) =>
  sql`sid in (select json_array_elements_text(${JSON.stringify(sids)}::text::json))`
