import type { Sql } from '../connect.ts'
import { accountIn, generationIn } from './generation.ts'

/**
 * Sessions: who is signed in, and in which browser. They are rows and no events: when they are lost, people sign in
 * again. Times are the service's own clock, so that a test can move it. What a browser holds is stored as a hash.
 */

/** Users and members are signed in apart from each other: a table for each, of one shape. */
type SessionTable = 'sessions' | 'member_sessions'

const tableOf = (name: SessionTable): string => `
  create table if not exists daybook_signin.${name} (
    sid text primary key,
    secret_hash text not null unique,
    former_hash text,
    renewed_at timestamptz,
    sub text not null,
    auth_time timestamptz not null,
    amr text not null,
    device text not null,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    ends_at timestamptz not null,
    generation integer not null default 0,
    account_id text not null default ''
  );
  create index if not exists ${name}_of_sub on daybook_signin.${name} (sub, created_at);
  create index if not exists ${name}_by_former on daybook_signin.${name} (former_hash);
`

export const SESSION_TABLE = `
  ${tableOf('sessions')}
  ${tableOf('member_sessions')}
  ${generationIn('sessions')}
  ${accountIn('sessions')}
  ${accountIn('member_sessions')}
`

export type SessionRow = {
  /** The id by which apps know the session; it stays when the browser's secret is changed. */
  readonly sid: string
  readonly sub: string
  /** Time at which the user last proved who they are, in ISO 8601 UTC. */
  readonly authTime: string
  /** The ways in which they proved it (RFC 8176): pwd, otp, hwk, swk, mfa. */
  readonly amr: readonly string[]
  /** What its browser calls itself, in a few words. */
  readonly device: string
  readonly createdAt: string
  readonly seenAt: string
  /** How often everybody of the account had been signed out when it began; 0 for users. */
  readonly generation: number
  /** The account in which a member acts; empty for users, and for a member's own account in sessions of before. */
  readonly accountId: string
}

type NewSession = Pick<SessionRow, 'sid' | 'sub' | 'amr' | 'device'> & {
  readonly secretHash: string
  readonly generation?: number
  readonly accountId?: string
}

/** Without a visit a session ends after so many hours, and in any case after so many days. */
const IDLE_HOURS = 24
const LIFE_DAYS = 14
/**
 * Seconds for which the former secret counts: a form that is sent twice comes the second time with the secret from
 * before.
 */
const FORMER_S = 30
/** Seconds after which a visit is noted again. */
const SEEN_EVERY_S = 60
/** Sessions of one user; the oldest end. */
const PER_USER_MAX = 50

/** The sessions of users. */
export const sessionRows = (sql: Sql) => ({
  ...rowsOf(sql, 'sessions'),

  /** Forgets what has ended by time. No app is told: most keep a user longer than this, and would be surprised. */
  async sweepSessions(now: Date): Promise<void> {
    await sql`
      with gone as (
        delete from daybook_signin.sessions
        where ends_at <= ${now.toISOString()} or seen_at <= ${idleAt(now)} returning sid
      )
      delete from daybook_signin.session_apps where sid in (select sid from gone)`
  },
})

/** The sessions of members. */
export const memberSessionRows = (sql: Sql) => ({
  ...rowsOf(sql, 'member_sessions'),

  /**
   * The member goes on in another account: the browser has another secret, and the one before it counts no more, so
   * that no form of the one account is taken in the other. False when the session has ended.
   */
  async chooseAccount(
    sid: string,
    to: { readonly secretHash: string; readonly accountId: string; readonly generation: number },
  ): Promise<boolean> {
    const rows = await sql`
      update daybook_signin.member_sessions
      set secret_hash = ${to.secretHash}, former_hash = null, account_id = ${to.accountId}, generation = ${to.generation}
      where sid = ${sid} returning sid`
    return rows.length > 0
  },

  /** Ends the sessions of a member in one account. */
  async endIn(accountId: string, sub: string): Promise<void> {
    await sql`delete from daybook_signin.member_sessions where sub = ${sub} and account_id = ${accountId}`
  },

  async sweepMemberSessions(now: Date): Promise<void> {
    await sql`
      delete from daybook_signin.member_sessions
      where ends_at <= ${now.toISOString()} or seen_at <= ${idleAt(now)}`
  },
})

const idleAt = (now: Date): string => new Date(now.getTime() - IDLE_HOURS * 3_600_000).toISOString()

const rowsOf = (sql: Sql, name: SessionTable) => ({
  async begin(row: NewSession, now: Date): Promise<void> {
    const at = now.toISOString()
    const ends = new Date(now.getTime() + LIFE_DAYS * 86_400_000).toISOString()
    await sql`
      insert into ${sql(`daybook_signin.${name}`)} (sid, secret_hash, sub, auth_time, amr, device, created_at, seen_at, ends_at, generation, account_id)
      values (${row.sid}, ${row.secretHash}, ${row.sub}, ${at}, ${row.amr.join(' ')}, ${row.device}, ${at}, ${at}, ${ends},
        ${row.generation ?? 0}, ${row.accountId ?? ''})`
    await sql`
      delete from ${sql(`daybook_signin.${name}`)} where sub = ${row.sub} and (ends_at <= ${at} or sid in (
        select sid from ${sql(`daybook_signin.${name}`)} where sub = ${row.sub} order by created_at desc offset ${PER_USER_MAX}))`
  },

  /** The session of a browser, if it lives; notes the visit. */
  async find(secretHash: string, now: Date): Promise<SessionRow | undefined> {
    const at = now.toISOString()
    const former = new Date(now.getTime() - FORMER_S * 1_000).toISOString()
    const [row] = await sql<StoredSession[]>`
      select sid, sub, auth_time, amr, device, created_at, seen_at, generation, account_id from ${sql(`daybook_signin.${name}`)}
      where (secret_hash = ${secretHash} or (former_hash = ${secretHash} and renewed_at > ${former}))
        and ends_at > ${at} and seen_at > ${idleAt(now)}`
    if (row && now.getTime() - row.seen_at.getTime() > SEEN_EVERY_S * 1_000)
      await sql`update ${sql(`daybook_signin.${name}`)} set seen_at = ${at} where sid = ${row.sid}`
    return row && read(row)
  },

  /** A live session by the id by which apps know it. */
  async bySid(sid: string, now: Date): Promise<SessionRow | undefined> {
    const [row] = await sql<StoredSession[]>`
      select sid, sub, auth_time, amr, device, created_at, seen_at, generation, account_id from ${sql(`daybook_signin.${name}`)}
      where sid = ${sid} and ends_at > ${now.toISOString()} and seen_at > ${idleAt(now)}`
    return row && read(row)
  },

  /**
   * The user has proved again who they are: a new secret for the browser, a new time; false when the session has ended.
   */
  async renew(sid: string, to: { secretHash: string; amr: readonly string[] }, now: Date): Promise<boolean> {
    const rows = await sql`
      update ${sql(`daybook_signin.${name}`)}
      set former_hash = secret_hash, renewed_at = ${now.toISOString()}, secret_hash = ${to.secretHash},
        amr = ${to.amr.join(' ')}, auth_time = ${now.toISOString()}, seen_at = ${now.toISOString()}
      where sid = ${sid} returning sid`
    return rows.length > 0
  },

  /** Ends one session; answers whose it was, or undefined when there was none. */
  async end(sid: string): Promise<string | undefined> {
    const [row] = await sql<
      { sub: string }[]
    >`delete from ${sql(`daybook_signin.${name}`)} where sid = ${sid} returning sub`
    return row?.sub
  },

  /** Ends all sessions of a user but one. @returns those that ended */
  async endAll(sub: string, except = ''): Promise<readonly string[]> {
    const rows = await sql<{ sid: string }[]>`
      delete from ${sql(`daybook_signin.${name}`)} where sub = ${sub} and sid <> ${except} returning sid`
    return rows.map(({ sid }) => sid)
  },

  /** The live sessions of a user, newest first. */
  async ofUser(sub: string, now: Date): Promise<readonly SessionRow[]> {
    const rows = await sql<StoredSession[]>`
      select sid, sub, auth_time, amr, device, created_at, seen_at, generation, account_id from ${sql(`daybook_signin.${name}`)}
      where sub = ${sub} and ends_at > ${now.toISOString()} and seen_at > ${idleAt(now)} order by created_at desc limit ${PER_USER_MAX}`
    return rows.map(read)
  },
})

type StoredSession = {
  sid: string
  sub: string
  auth_time: Date
  amr: string
  device: string
  created_at: Date
  seen_at: Date
  generation: number
  account_id: string
}

const read = ({
  sid,
  sub,
  auth_time,
  amr,
  device,
  created_at,
  seen_at,
  generation,
  account_id,
}: StoredSession): SessionRow => ({
  sid,
  sub,
  device,
  generation,
  accountId: account_id,
  amr: amr.split(' '),
  authTime: auth_time.toISOString(),
  createdAt: created_at.toISOString(),
  seenAt: seen_at.toISOString(),
})
