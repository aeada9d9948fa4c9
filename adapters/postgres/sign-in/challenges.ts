import type { Sql } from '../connect.ts'

/**
 * What a page asks a browser to prove, and may be answered once: a passkey signs the challenge's id, a code comes back
 * beside it. It is bound to who was asked and for what, so that an answer given on one page is of no use on another.
 */

export const CHALLENGE_TABLE = `
  create table if not exists daybook_signin.challenges (
    challenge_hash text primary key,
    holder text not null,
    purpose text not null,
    subject text not null,
    terms text not null,
    expires_at timestamptz not null
  );
  create index if not exists challenges_of_holder on daybook_signin.challenges (holder, expires_at);
  create index if not exists challenges_by_expiry on daybook_signin.challenges (expires_at);
`

/**
 * `holder`: a session, a sign-in that waits for its second factor, or empty for a visitor. `terms`: SHA-256 of what is
 * shown.
 */
export type FactorChallenge = {
  readonly holder: string
  readonly purpose: string
  readonly subject: string
  readonly terms: string
}

/** Pages that one holder can have open at once; when there are more, the oldest are of no use. */
const PER_HOLDER_MAX = 20

export const challengeRows = (sql: Sql) => ({
  async ask(
    challengeHash: string,
    { holder, purpose, subject, terms }: FactorChallenge,
    expiresAt: Date,
  ): Promise<void> {
    await sql`
      insert into daybook_signin.challenges (challenge_hash, holder, purpose, subject, terms, expires_at)
      values (${challengeHash}, ${holder}, ${purpose}, ${subject}, ${terms}, ${expiresAt.toISOString()})`
    if (holder !== '')
      await sql`
        delete from daybook_signin.challenges where challenge_hash in (
          select challenge_hash from daybook_signin.challenges where holder = ${holder}
          order by expires_at desc offset ${PER_HOLDER_MAX})`
  },

  /**
   * Uses up a question in one statement; false when it was used, is too old, or asked somebody else or for something
   * else.
   */
  async take(challengeHash: string, { holder, purpose, subject, terms }: FactorChallenge, now: Date): Promise<boolean> {
    const rows = await sql`
      delete from daybook_signin.challenges
      where challenge_hash = ${challengeHash} and holder = ${holder} and purpose = ${purpose} and subject = ${subject}
        and terms = ${terms} and expires_at > ${now.toISOString()} returning holder`
    return rows.length > 0
  },

  async sweepChallenges(now: Date): Promise<void> {
    await sql`delete from daybook_signin.challenges where expires_at <= ${now.toISOString()}`
  },
})
