import type { Sql } from '../connect.ts'

/**
 * How far a user's second factors have counted, so that none can be used twice. They are rows and no events: when they
 * are lost, a code could be used again for a minute and a half.
 */

export const FACTOR_TABLES = `
  create table if not exists daybook_signin.totp_steps (
    sub text primary key,
    step bigint not null
  );
  create table if not exists daybook_signin.passkey_uses (
    sub text not null,
    credential_id text not null,
    counter bigint not null,
    used_at timestamptz not null,
    primary key (sub, credential_id)
  );
`

export const factorRows = (sql: Sql) => ({
  /** Notes that a code of this step was used; false when it, or a later one, was used before (RFC 6238 §5.2). */
  async takeTotpStep(sub: string, step: number): Promise<boolean> {
    const rows = await sql`
      insert into daybook_signin.totp_steps as known (sub, step) values (${sub}, ${step})
      on conflict (sub) do update set step = excluded.step where known.step < excluded.step returning sub`
    return rows.length > 0
  },

  /**
   * Notes the counter that a passkey has signed; false when it is not above the last one, which a copy of the passkey
   * would show (WebAuthn §6.1.1). Many passkeys do not count and always say 0.
   */
  async takePasskeyCounter(of: { credentialId: string; sub: string; counter: number }, now: Date): Promise<boolean> {
    const rows = await sql`
      insert into daybook_signin.passkey_uses as known (credential_id, sub, counter, used_at)
      values (${of.credentialId}, ${of.sub}, ${of.counter}, ${now.toISOString()})
      on conflict (sub, credential_id) do update set counter = excluded.counter, used_at = excluded.used_at
        where known.counter < excluded.counter or (known.counter = 0 and excluded.counter = 0) returning sub`
    return rows.length > 0
  },

  /** The time at which each passkey of a user was last used, keyed by the passkey's id. */
  async passkeyUses(sub: string): Promise<ReadonlyMap<string, string>> {
    const rows = await sql<{ credential_id: string; used_at: Date }[]>`
      select credential_id, used_at from daybook_signin.passkey_uses where sub = ${sub}`
    return new Map(rows.map((row) => [row.credential_id, row.used_at.toISOString()]))
  },

  async forgetFactors(sub: string): Promise<void> {
    await sql`delete from daybook_signin.totp_steps where sub = ${sub}`
    await sql`delete from daybook_signin.passkey_uses where sub = ${sub}`
  },
})
