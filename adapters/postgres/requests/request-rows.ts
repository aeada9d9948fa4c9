import { createTables, type Sql } from '../connect.ts'

/**
 * The rows of the request log (N-100): who called what, and what came of it. They lie beside the log: a replay does not
 * bring them back, a rebuild leaves them as they are, and nobody misses them for long.
 */

/** Rows of one account: the oldest ones make room. */
const ROWS_MAX = 5_000
/** Days for which a row is kept. */
const DAYS_KEPT = 30

/** `request_places` has the number of the newest row of each account. */
const TABLES = `
  create schema if not exists daybook_run;
  create table if not exists daybook_run.request_places (account_id text primary key, last bigint not null);
  create table if not exists daybook_run.requests (
    account_id text not null,
    n bigint not null,
    at timestamptz not null,
    method text not null,
    path text not null,
    status smallint not null,
    request_id text not null,
    kind text not null,
    caller_id text not null,
    hint text,
    ms integer not null,
    primary key (account_id, n)
  );
  create index if not exists requests_by_time on daybook_run.requests using brin (at);
`

/** Who called; `id` is the lookup id of the key, or the id of the member, who has no `hint`. */
export type LoggedCaller = {
  readonly accountId: string
  readonly kind: 'owner' | 'sandbox' | 'sub-key' | 'store' | 'member'
  readonly id: string
  readonly hint: string | null
}

export type LoggedRequest = {
  readonly caller: LoggedCaller
  /** Milliseconds since 1970. */
  readonly at: number
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestId: string
  readonly ms: number
}

export type RequestRow = {
  readonly n: string
  readonly at: Date
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestId: string
  readonly kind: LoggedCaller['kind']
  readonly callerId: string
  readonly hint: string | null
  readonly ms: number
}

/** What is not given does not narrow the list. */
export type RequestFilter = {
  readonly method?: string | undefined
  readonly pathPrefix?: string | undefined
  /** The first digit of the status. */
  readonly statusClass?: number | undefined
  readonly hint?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly requestId?: string | undefined
  /** Rows that are older than this one. */
  readonly before?: string | undefined
}

export const createRequestRows = async (sql: Sql) => {
  await createTables(sql, TABLES)
  return {
    /** Writes requests in the order in which they came, and drops what is beyond the newest rows of their accounts. */
    async add(requests: readonly LoggedRequest[]): Promise<void> {
      await sql`
        with batch as (
          select * from rows from (json_to_recordset(${jsonOf(requests)}::text::json) as (
            account_id text, at timestamptz, method text, path text, status smallint, request_id text, kind text,
            caller_id text, hint text, ms integer)) with ordinality
        ), counted as (
          select account_id, count(*) as more from batch group by account_id order by account_id
        ), places as (
          insert into daybook_run.request_places as known (account_id, last) select account_id, more from counted
          on conflict (account_id) do update set last = known.last + excluded.last
          returning account_id, last
        ), added as (
          insert into daybook_run.requests
            (account_id, n, at, method, path, status, request_id, kind, caller_id, hint, ms)
          select account_id, last - more + row_number() over (partition by account_id order by ordinality), at, method,
            path, status, request_id, kind, caller_id, hint, ms
          from batch join counted using (account_id) join places using (account_id)
        )
        delete from daybook_run.requests old using places
        where old.account_id = places.account_id and old.n <= places.last - ${ROWS_MAX}`
    },

    /** The requests of an account, the newest first. */
    async requests(accountId: string, filter: RequestFilter, limit: number): Promise<readonly RequestRow[]> {
      const { method = null, pathPrefix = null, statusClass = null, hint = null, requestId = null } = filter
      const { from = null, to = null, before = null } = filter
      return sql<RequestRow[]>`
        select n, at, method, path, status, request_id as "requestId", kind, caller_id as "callerId", hint, ms
        from daybook_run.requests
        where account_id = ${accountId}
          and (${before}::bigint is null or n < ${before}::bigint)
          and (${method}::text is null or method = ${method})
          and (${pathPrefix}::text is null or starts_with(path, ${pathPrefix}))
          and (${statusClass}::int is null or status / 100 = ${statusClass})
          and (${hint}::text is null or hint = ${hint})
          and (${from}::timestamptz is null or at >= ${from})
          and (${to}::timestamptz is null or at <= ${to})
          and (${requestId}::text is null or request_id = ${requestId})
        order by n desc limit ${limit}`
    },

    /** Forgets what an account called, when it is closed or erased. */
    async forgetAll(accountId: string): Promise<void> {
      await sql`delete from daybook_run.requests where account_id = ${accountId}`
    },

    /** Forgets what is too old, and what accounts called that were closed meanwhile. */
    async sweep(now: Date): Promise<void> {
      const since = new Date(now.getTime() - DAYS_KEPT * 86_400_000).toISOString()
      await sql`delete from daybook_run.requests where at < ${since}`
      await sql`
        delete from daybook_run.requests using accounts
        where accounts.account_id = requests.account_id and accounts.closed`
    },
  }
}

const jsonOf = (requests: readonly LoggedRequest[]): string =>
  JSON.stringify(
    requests.map(({ caller, at, requestId, ms, ...request }) => ({
      account_id: caller.accountId,
      at: new Date(at).toISOString(),
      method: request.method,
      path: request.path,
      status: request.status,
      request_id: requestId,
      kind: caller.kind,
      caller_id: caller.id,
      hint: caller.hint,
      ms,
    })),
  )
