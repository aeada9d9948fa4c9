import type { Sql } from '../connect.ts'

/**
 * Limits of how often something may be tried, for all processes together. One time is kept for each key: the time at
 * which the key would be idle again if every try took its share (the generic cell rate algorithm). Keys are hashed, so
 * no address of a caller is stored.
 */

export const LIMIT_TABLE = `
  create table if not exists daybook_signin.limits (
    key_hash text primary key,
    idle_at timestamptz not null
  );
  create index if not exists limits_by_time on daybook_signin.limits (idle_at);
`

export type Limit = { readonly times: number; readonly inSeconds: number }

export const limitRows = (sql: Sql) => ({
  /** Takes one try, in one statement. @returns undefined when there was one, else the seconds until there is */
  async take(keyHash: string, limit: Limit, now: Date): Promise<number | undefined> {
    const at = now.toISOString()
    const share = limit.inSeconds / limit.times
    const [taken] = await sql`
      insert into daybook_signin.limits as known (key_hash, idle_at)
      values (${keyHash}, ${at}::timestamptz + make_interval(secs => ${share}))
      on conflict (key_hash) do update set idle_at = greatest(known.idle_at, ${at}) + make_interval(secs => ${share})
        where known.idle_at + make_interval(secs => ${share}) <= ${at}::timestamptz + make_interval(secs => ${limit.inSeconds})
      returning key_hash`
    if (taken) return undefined
    const [row] = await sql<{ wait: string }[]>`
      select extract(epoch from idle_at - ${at}::timestamptz) as wait from daybook_signin.limits where key_hash = ${keyHash}`
    return Math.max(1, Math.ceil(Number(row?.wait ?? 0) + share - limit.inSeconds))
  },

  /** Gives a try back that turned out to be a good one. */
  async giveBack(keyHash: string, limit: Limit): Promise<void> {
    await sql`
      update daybook_signin.limits set idle_at = idle_at - make_interval(secs => ${limit.inSeconds / limit.times})
      where key_hash = ${keyHash}`
  },

  async sweepLimits(now: Date): Promise<void> {
    await sql`delete from daybook_signin.limits where idle_at < ${now.toISOString()}`
  },
})
