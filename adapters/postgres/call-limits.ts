import { createTables, type Sql } from './connect.ts'

/**
 * How often callers call, for all processes together. One time is kept for each caller of a limit: the time at which
 * its bucket would be full again (the generic cell rate algorithm). It is PostgreSQL's clock that counts, so that
 * processes whose clocks differ count alike. Keys are hashed, so no address of a caller is stored.
 */

const TABLE = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.call_limits (
    key_hash text primary key,
    idle_at timestamptz not null,
    granted double precision not null
  ) with (fillfactor = 50);
`

/** What a process wishes of the bucket of one caller. */
export type TokenWish = {
  readonly key: string
  readonly perSecond: number
  readonly burst: number
  /** Tokens of calls that wait; 0: none are wished. */
  readonly needed: number
  /** Tokens for what may come next, of which it gets what the bucket can spare. */
  readonly wanted: number
  /** Tokens that are gone already, whether they were there or not; a negative number gives tokens back. */
  readonly spent: number
}

/** What it gets: whole tokens, and the seconds until the bucket has one more. */
export type TokenGrant = { readonly granted: number; readonly waitS: number }

export type CallLimitRows = {
  /** Answers all wishes, in their order, in one statement. No two of them may be of one key. */
  settle(wishes: readonly TokenWish[]): Promise<readonly TokenGrant[]>
  /** Deletes rows of full buckets, which are the same as none, until few are left or the signal aborts. */
  sweep(signal: AbortSignal): Promise<void>
}

/** Of what is in a bucket a process gets at most this part beyond what its waiting calls need. */
const SPARED_PART = 0.25
/** A bucket that is owed to is full after twice its time at the latest, also where PostgreSQL's clock was set back. */
const OWED_BURSTS_MAX = 1
/** Rows that one statement deletes. */
const SWEPT_MAX = 10_000

export const createCallLimitRows = async (sql: Sql): Promise<CallLimitRows> => {
  await createTables(sql, TABLE)
  return {
    async settle(wishes) {
      const found = new Map((await settled(sql, wishes)).map((row) => [row.key_hash, row]))
      return wishes.map(({ key, perSecond, burst }) => {
        const { granted, idle_s } = found.get(key) ?? { granted: 0, idle_s: 0 }
        return { granted, waitS: Math.max(0, idle_s - (burst - 1) / perSecond) }
      })
    },
    async sweep(signal) {
      while (!signal.aborted) {
        const { count } = await sql`
          delete from daybook_run.call_limits where idle_at < now() and ctid = any (array(
            select ctid from daybook_run.call_limits where idle_at < now() limit ${SWEPT_MAX}))`
        if (count < SWEPT_MAX) return
      }
    },
  }
}

type SettledRow = { readonly key_hash: string; readonly granted: number; readonly idle_s: number }

/**
 * Keys are taken in their order, so that two processes never wait for each other. Nobody waits for the disk: what a
 * crash of PostgreSQL forgets is what was taken in its last second.
 */
const settled = (sql: Sql, wishes: readonly TokenWish[]): PromiseLike<readonly SettledRow[]> => {
  const given = wishes.map(({ key, perSecond, ...wish }) => ({ ...wish, key_hash: key, per_second: perSecond }))
  return sql<SettledRow[]>`
    with given as materialized (
      select *, now() as at, make_interval(secs => ${1 + OWED_BURSTS_MAX} * burst / per_second) as longest,
        set_config('synchronous_commit', 'off', true)
      from json_to_recordset(${JSON.stringify(given)}::text::json) as wish (key_hash text, per_second double precision,
        burst double precision, needed double precision, wanted double precision, spent double precision)
    )
    insert into daybook_run.call_limits as known (key_hash, idle_at, granted)
    select key_hash, taken.idle_at, taken.granted from given, ${sql.unsafe(takenFrom('at'))} order by key_hash
    on conflict (key_hash) do update set (idle_at, granted) = (
      select taken.idle_at, taken.granted from given, ${sql.unsafe(takenFrom('known.idle_at'))}
      where given.key_hash = excluded.key_hash)
    returning key_hash, granted, extract(epoch from idle_at - now())::double precision as idle_s`
}

/** What a wish makes of a bucket that would be full at a time: how many tokens it gets, and when it is full then. */
const takenFrom = (idleAt: string): string => `
  lateral (
    select least(greatest(${idleAt}, at), at + longest) + make_interval(secs => spent / per_second) as idle_at
  ) as known_bucket, lateral (
    select least(greatest(known_bucket.idle_at, at), at + longest) as idle_at
  ) as bucket, lateral (
    select burst - extract(epoch from bucket.idle_at - at)::double precision * per_second as tokens
  ) as filled, lateral (
    select case when needed = 0 then 0 else greatest(0, least(floor(tokens),
      greatest(needed, least(wanted, floor(tokens * ${SPARED_PART}))))) end as granted
  ) as share, lateral (
    select bucket.idle_at + make_interval(secs => granted / per_second) as idle_at, granted
  ) as taken`
