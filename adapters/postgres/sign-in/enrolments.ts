import type { Sql } from '../connect.ts'

/** Sessions that are about to add a second factor, and how far they have proved that they may. */

export const ENROLMENT_TABLE = `
  create table if not exists daybook_signin.enrolments (
    sid text primary key,
    stage text not null,
    totp_secret text not null,
    expires_at timestamptz not null
  );
  create index if not exists enrolments_by_expiry on daybook_signin.enrolments (expires_at);
`

/** `mailed`: the password was right and a code is on its way; `proven`: a factor may be added. */
type Stage = 'mailed' | 'proven'

export type EnrolmentRow = {
  readonly stage: Stage
  /** The secret of an authenticator app that is offered, sealed. */
  readonly totpSecret: string
}

export const enrolmentRows = (sql: Sql) => ({
  async begin(sid: string, { stage, totpSecret }: EnrolmentRow, expiresAt: Date): Promise<void> {
    await sql`
      insert into daybook_signin.enrolments (sid, stage, totp_secret, expires_at)
      values (${sid}, ${stage}, ${totpSecret}, ${expiresAt.toISOString()})
      on conflict (sid) do update set stage = excluded.stage, totp_secret = excluded.totp_secret, expires_at = excluded.expires_at`
  },

  async of(sid: string, now: Date): Promise<EnrolmentRow | undefined> {
    const [row] = await sql<EnrolmentRow[]>`
      select stage, totp_secret as "totpSecret" from daybook_signin.enrolments
      where sid = ${sid} and expires_at > ${now.toISOString()}`
    return row
  },

  async prove(sid: string): Promise<void> {
    await sql`update daybook_signin.enrolments set stage = 'proven' where sid = ${sid}`
  },

  /** Uses up an enrolment that is proven; false when it was used already. */
  async finish(sid: string): Promise<boolean> {
    const rows = await sql`delete from daybook_signin.enrolments where sid = ${sid} and stage = 'proven' returning sid`
    return rows.length > 0
  },

  async giveUp(sid: string): Promise<void> {
    await sql`delete from daybook_signin.enrolments where sid = ${sid}`
  },

  async sweepEnrolments(now: Date): Promise<void> {
    await sql`delete from daybook_signin.enrolments where expires_at <= ${now.toISOString()}`
  },
})
