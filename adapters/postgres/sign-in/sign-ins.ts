import type { Sql } from '../connect.ts'
import { generationIn } from './generation.ts'

/** Sign-ins that wait for their second factor: the password was right. What the browser holds is stored as a hash. */

export const SIGN_IN_TABLE = `
  create table if not exists daybook_signin.sign_ins (
    secret_hash text primary key,
    sub text not null,
    next text not null,
    expires_at timestamptz not null,
    generation integer not null default 0
  );
  ${generationIn('sign_ins')}
  create index if not exists sign_ins_by_expiry on daybook_signin.sign_ins (expires_at);
`

export type SignInRow = {
  readonly sub: string
  /** The page to which the browser is led afterwards. */
  readonly next: string
  /** How often everybody of the account had been signed out when it began; 0 for users. */
  readonly generation: number
}

export const signInRows = (sql: Sql) => ({
  async await(secretHash: string, { sub, next, generation }: SignInRow, expiresAt: Date): Promise<void> {
    await sql`
      insert into daybook_signin.sign_ins (secret_hash, sub, next, expires_at, generation)
      values (${secretHash}, ${sub}, ${next}, ${expiresAt.toISOString()}, ${generation})`
  },

  async awaited(secretHash: string, now: Date): Promise<SignInRow | undefined> {
    const [row] = await sql<SignInRow[]>`
      select sub, next, generation from daybook_signin.sign_ins
      where secret_hash = ${secretHash} and expires_at > ${now.toISOString()}`
    return row
  },

  /** Uses up a sign-in that waits; false when it was used already. */
  async finish(secretHash: string): Promise<boolean> {
    const rows = await sql`delete from daybook_signin.sign_ins where secret_hash = ${secretHash} returning sub`
    return rows.length > 0
  },

  /** A new password ends what the old one has begun. */
  async giveUpAll(sub: string): Promise<void> {
    await sql`delete from daybook_signin.sign_ins where sub = ${sub}`
  },

  async sweepSignIns(now: Date): Promise<void> {
    await sql`delete from daybook_signin.sign_ins where expires_at <= ${now.toISOString()}`
  },
})
