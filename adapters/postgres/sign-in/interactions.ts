import type { Sql } from '../connect.ts'

/**
 * Sign-ins that apps have begun and people have not ended yet: what the app asked for, while its user signs in or looks
 * at the consent page. Each belongs to the browser that it was begun in.
 */

export const INTERACTION_TABLE = `
  create table if not exists daybook_signin.interactions (
    id text primary key,
    browser_hash text not null,
    request text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index if not exists interactions_by_expiry on daybook_signin.interactions (expires_at);
`

export type Interaction = {
  readonly id: string
  /** The parameters of the request, as they came. */
  readonly request: Readonly<Record<string, string>>
  /** ISO 8601 UTC. */
  readonly createdAt: string
}

/** Minutes that an interaction lives: long enough to sign up and to open a letter. */
const LIFE_MINUTES = 60

export const interactionRows = (sql: Sql) => ({
  async begin(id: string, browserHash: string, request: Interaction['request'], now: Date): Promise<void> {
    const expires = new Date(now.getTime() + LIFE_MINUTES * 60_000).toISOString()
    await sql`
      insert into daybook_signin.interactions (id, browser_hash, request, created_at, expires_at)
      values (${id}, ${browserHash}, ${JSON.stringify(request)}, ${now.toISOString()}, ${expires})`
  },

  /** The interaction of that id, if it was begun in this browser and can still be ended. */
  async find(id: string, browserHash: string, now: Date): Promise<Interaction | undefined> {
    const [row] = await sql<{ request: string; created_at: Date }[]>`
      select request, created_at from daybook_signin.interactions
      where id = ${id} and browser_hash = ${browserHash} and expires_at > ${now.toISOString()}`
    return row && { id, request: JSON.parse(row.request), createdAt: row.created_at.toISOString() }
  },

  /**
   * The request of an interaction, whichever browser it belongs to: for the addresses that a form of it may lead to.
   */
  async request(id: string): Promise<Interaction['request'] | undefined> {
    const [row] = await sql<{ request: string }[]>`select request from daybook_signin.interactions where id = ${id}`
    return row && JSON.parse(row.request)
  },

  /** Ends an interaction; false when somebody else has ended it. */
  async end(id: string): Promise<boolean> {
    const rows = await sql`delete from daybook_signin.interactions where id = ${id} returning id`
    return rows.length > 0
  },

  async sweepInteractions(now: Date): Promise<void> {
    await sql`delete from daybook_signin.interactions where expires_at < ${now.toISOString()}`
  },
})
