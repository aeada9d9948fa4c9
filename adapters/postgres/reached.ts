import type { Sql } from './connect.ts'

/** What the operator is told when the PostgreSQL of the settings cannot be used. */

/** Rejects with a sentence that names the setting when the database of `DATABASE_URL` does not take a query. */
export const mustReach = async (sql: Sql, databaseUrl: string): Promise<void> => {
  try {
    await sql`select 1`
  } catch (error) {
    throw new Error(databaseTrouble(databaseUrl, error), { cause: error })
  }
}

/** Why a database cannot be used, and what to do. The password of the URL is not in it. */
export const databaseTrouble = (databaseUrl: string, error: unknown): string => {
  const { code, message } = error as { code?: unknown; message?: string }
  const { host, username, pathname } = URL.canParse(databaseUrl) ? new URL(databaseUrl) : NOWHERE
  const name = decodeURIComponent(pathname.slice(1))
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nobody listens there (ECONNREFUSED)',
    ECONNRESET: 'the connection was cut (ECONNRESET)',
    ENOTFOUND: 'there is no such host (ENOTFOUND)',
    EAI_AGAIN: 'the name of the host could not be looked up (EAI_AGAIN)',
    ENOENT: 'there is no such socket (ENOENT)',
    ETIMEDOUT: 'it does not answer (ETIMEDOUT)',
    CONNECT_TIMEOUT: 'it does not answer (CONNECT_TIMEOUT)',
    '28P01': `it refuses the user ${decodeURIComponent(username)} or the password`,
    '28000': `it refuses the user ${decodeURIComponent(username)}`,
    '3D000': `it has no database ${name}`,
    '53300': 'it takes no more connections',
  }
  const reason = words[String(code)] ?? (message || String(code ?? error))
  return `DATABASE_URL: PostgreSQL at ${host} cannot be used: ${reason}. Start it or correct the setting; without DATABASE_URL, Daybook runs a PostgreSQL of its own under DATA_DIR.`
}

const NOWHERE = { host: 'the named place', username: '', pathname: '' }
