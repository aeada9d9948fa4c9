import type { Sql } from '../connect.ts'

/**
 * The time at which the domains of apps were last looked at, and the time since which the name servers of one have not
 * answered. A replay does not bring them back.
 */

export const DOMAIN_CHECK_TABLES = `
  create table if not exists daybook_signin.domain_rounds (
    name text primary key,
    done_at timestamptz not null
  );
  create table if not exists daybook_signin.domain_troubles (
    client_id text not null,
    domain text not null,
    since timestamptz not null,
    primary key (client_id, domain)
  );
`

/** There is one round, over all domains. */
const ROUND = 'domains'

export const domainCheckRows = (sql: Sql) => ({
  /** Time at which the last round over all domains was over; undefined before the first. */
  async lastRound(): Promise<Date | undefined> {
    const [row] = await sql<{ done_at: Date }[]>`
      select done_at from daybook_signin.domain_rounds where name = ${ROUND}`
    return row?.done_at
  },

  async endRound(now: Date): Promise<void> {
    await sql`
      insert into daybook_signin.domain_rounds (name, done_at) values (${ROUND}, ${now.toISOString()})
      on conflict (name) do update set done_at = excluded.done_at`
  },

  /** Notes that the name servers gave no answer. @returns the time since which they give none */
  async noteTrouble(clientId: string, domain: string, now: Date): Promise<Date> {
    const [row] = await sql<{ since: Date }[]>`
      insert into daybook_signin.domain_troubles (client_id, domain, since) values (${clientId}, ${domain}, ${now.toISOString()})
      on conflict (client_id, domain) do update set since = daybook_signin.domain_troubles.since returning since`
    return row?.since ?? now
  },

  async endTrouble(clientId: string, domain: string): Promise<void> {
    await sql`delete from daybook_signin.domain_troubles where client_id = ${clientId} and domain = ${domain}`
  },
})
