import type { Sql } from '../connect.ts'

/**
 * Authorization codes and access tokens, by their hashes. A code is used up by one statement, so that of any number of
 * redemptions at once one succeeds (A-OID-13).
 */

export const TOKEN_TABLES = `
  create table if not exists daybook_signin.codes (
    code_hash text primary key,
    client_id text not null,
    sub text not null,
    sid text not null,
    redirect_uri text not null,
    scope text not null,
    nonce text,
    challenge text,
    auth_time timestamptz not null,
    amr text not null,
    revocations int not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    token_hash text
  );
  create index if not exists codes_by_expiry on daybook_signin.codes (expires_at);
  create table if not exists daybook_signin.access_tokens (
    token_hash text primary key,
    client_id text not null,
    sub text not null,
    sid text not null,
    scope text not null,
    revocations int not null,
    expires_at timestamptz not null
  );
  create index if not exists access_tokens_by_expiry on daybook_signin.access_tokens (expires_at);
  create index if not exists access_tokens_by_sid on daybook_signin.access_tokens (sid);
`

/** What a code or a token stands for. `revocations` is how often the user had revoked the app when it was given. */
export type Grant = {
  readonly clientId: string
  readonly sub: string
  readonly sid: string
  readonly scope: string
  readonly revocations: number
}

export type CodeRow = Grant & {
  readonly redirectUri: string
  readonly nonce: string | null
  /** The S256 challenge; null when the app sent none. */
  readonly challenge: string | null
  readonly authTime: string
  readonly amr: readonly string[]
}

/** What became of a code: redeemed now; or why not. */
export type Redemption =
  | { status: 'redeemed'; row: CodeRow }
  | { status: 'unknown' | 'expired' | 'used' | 'not-matching' }

/** Minutes for which an expired row is kept, so that a code that comes again is known. */
const KEPT_MINUTES = 60

export const tokenRows = (sql: Sql) => ({
  /**
   * Writes a code down, and that its session is used for the app. False when the session has ended meanwhile: the lock
   * on its row keeps the two apart, so that the end of a session ends every code of it.
   */
  async addCode(codeHash: string, row: CodeRow, expiresAt: Date): Promise<boolean> {
    const rows = await sql`
      with session as (select sid, sub from daybook_signin.sessions where sid = ${row.sid} and sub = ${row.sub} for key share),
      app as (
        insert into daybook_signin.session_apps (sid, client_id, sub) select sid, ${row.clientId}, sub from session on conflict do nothing
      )
      insert into daybook_signin.codes
        (code_hash, client_id, sub, sid, redirect_uri, scope, nonce, challenge, auth_time, amr, revocations, expires_at)
      select ${codeHash}, ${row.clientId}, sub, sid, ${row.redirectUri}, ${row.scope}, ${row.nonce}, ${row.challenge},
        ${row.authTime}, ${row.amr.join(' ')}, ${row.revocations}, ${expiresAt.toISOString()}
      from session returning code_hash`
    return rows.length > 0
  },

  /** A code that could be used up if only the challenge fitted; it tells why `redeem` did not take it. */
  async usableCode(
    codeHash: string,
    of: { clientId: string; redirectUri: string },
    now: Date,
  ): Promise<CodeRow | undefined> {
    const [row] = await sql<StoredCode[]>`
      select * from daybook_signin.codes
      where code_hash = ${codeHash} and used_at is null and expires_at > ${now.toISOString()}
        and client_id = ${of.clientId} and redirect_uri = ${of.redirectUri}`
    return row && readCode(row)
  },

  /**
   * Uses up a code and makes its token, in one statement, if it was asked for with this challenge. When a code comes a
   * second time, the token that was made from it dies (RFC 6749 §4.1.2).
   */
  async redeem(
    codeHash: string,
    of: { clientId: string; redirectUri: string; challenge: string | null },
    token: { hash: string; expiresAt: Date },
    now: Date,
  ): Promise<Redemption> {
    const at = now.toISOString()
    const [row] = await sql<StoredCode[]>`
      with code as (
        update daybook_signin.codes set used_at = ${at}, token_hash = ${token.hash}
        where code_hash = ${codeHash} and used_at is null and expires_at > ${at}
          and client_id = ${of.clientId} and redirect_uri = ${of.redirectUri}
          and challenge is not distinct from ${of.challenge}::text
        returning *
      ), token as (
        insert into daybook_signin.access_tokens (token_hash, client_id, sub, sid, scope, revocations, expires_at)
        select ${token.hash}, client_id, sub, sid, scope, revocations, ${token.expiresAt.toISOString()} from code
      )
      select * from code`
    if (row) return { status: 'redeemed', row: readCode(row) }
    return { status: await why(sql, codeHash, of.clientId, at) }
  },

  /** What a live token stands for. */
  async token(tokenHash: string, now: Date): Promise<Grant | undefined> {
    const [row] = await sql<StoredGrant[]>`
      select client_id, sub, sid, scope, revocations from daybook_signin.access_tokens
      where token_hash = ${tokenHash} and expires_at > ${now.toISOString()}`
    return row && readGrant(row)
  },

  /** Ends a token of this client's; a foreign or unknown one stays as it is. */
  async revoke(tokenHash: string, clientId: string): Promise<void> {
    await sql`delete from daybook_signin.access_tokens where token_hash = ${tokenHash} and client_id = ${clientId}`
  },

  /** Ends all codes and tokens of sessions. The codes go first: none of them can make a token once it is gone. */
  async revokeOfSessions(sids: readonly string[]): Promise<void> {
    const list = JSON.stringify(sids)
    await sql`delete from daybook_signin.codes where sid in (select json_array_elements_text(${list}::text::json))`
    await sql`delete from daybook_signin.access_tokens where sid in (select json_array_elements_text(${list}::text::json))`
  },

  async revokeOfApp(sub: string, clientId: string): Promise<void> {
    await sql`delete from daybook_signin.codes where sub = ${sub} and client_id = ${clientId}`
    await sql`delete from daybook_signin.access_tokens where sub = ${sub} and client_id = ${clientId}`
  },

  /** Forgets what is of no use any more. */
  async sweepTokens(now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEPT_MINUTES * 60_000).toISOString()
    await sql`delete from daybook_signin.codes where expires_at < ${before}`
    await sql`delete from daybook_signin.access_tokens where expires_at < ${before}`
  },
})

const why = async (sql: Sql, codeHash: string, clientId: string, at: string) => {
  const [row] = await sql<{ client_id: string; used: boolean; expired: boolean; token_hash: string | null }[]>`
    select client_id, token_hash, used_at is not null as used, expires_at <= ${at} as expired
    from daybook_signin.codes where code_hash = ${codeHash}`
  if (!row) return 'unknown'
  // Only its own client can make a code's token die, otherwise anybody who has seen the code could.
  if (row.client_id !== clientId) return 'not-matching'
  if (row.token_hash !== null) await sql`delete from daybook_signin.access_tokens where token_hash = ${row.token_hash}`
  if (row.used) return 'used'
  return row.expired ? 'expired' : 'not-matching'
}

type StoredGrant = { client_id: string; sub: string; sid: string; scope: string; revocations: number }
type StoredCode = StoredGrant & {
  redirect_uri: string
  nonce: string | null
  challenge: string | null
  auth_time: Date
  amr: string
}

const readGrant = ({ client_id, sub, sid, scope, revocations }: StoredGrant): Grant => ({
  clientId: client_id,
  sub,
  sid,
  scope,
  revocations,
})

const readCode = (row: StoredCode): CodeRow => ({
  ...readGrant(row),
  redirectUri: row.redirect_uri,
  nonce: row.nonce,
  challenge: row.challenge,
  authTime: row.auth_time.toISOString(),
  amr: row.amr.split(' '),
})
