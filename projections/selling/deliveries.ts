import type { Fragment, Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The deliveries of each transaction, with the answers (R-18): a part of the read model `transactions`. */

export const deliveries = {
  name: 'deliveries',
  columns: {
    event_id: 'text',
    transaction_id: 'text',
    account_id: 'text',
    kind: 'text',
    run: 'text',
    slot: 'text',
    url: 'text',
    test: 'boolean',
    state: 'text',
    http_status: 'integer',
    reason: 'text',
    response_body: 'text',
    duration_ms: 'integer',
    scheduled_at: 'text',
    attempted_at: 'text',
  },
  key: ['event_id'],
  // There is no index on what an outcome changes, because it would be written anew with each outcome.
  indexes: ['transaction_id, scheduled_at', 'account_id, scheduled_at', 'scheduled_at'],
} as const satisfies Table

const fresh = { http_status: null, reason: null, response_body: null, duration_ms: null, attempted_at: null }

export const onDeliveries = {
  DeliveryScheduled: ({ stream, at, data }) =>
    put(deliveries, {
      event_id: idOf(stream),
      transaction_id: data.transactionId,
      account_id: data.accountId,
      kind: data.reason ?? 'first',
      run: data.run ?? null,
      slot: data.slot,
      url: data.url,
      test: data.test,
      state: 'scheduled',
      ...fresh,
      scheduled_at: at,
    }),
  DeliverySkipped: ({ stream, at, data }) =>
    put(deliveries, {
      event_id: idOf(stream),
      transaction_id: data.transactionId,
      account_id: data.accountId,
      kind: 'first',
      run: null,
      slot: null,
      url: null,
      test: null,
      state: 'skipped',
      ...fresh,
      scheduled_at: at,
    }),
  DeliveryAccepted: ({ stream, data }) => attempted(stream, 'accepted', data),
  DeliveryFailed: ({ stream, data }) => attempted(stream, 'failed', data),
} satisfies Projection['on']

type Outcome = {
  status: number | null
  reason: string | null
  bodyHead: string
  durationMs: number
  attemptedAt: string
}

const attempted = (stream: string, state: string, data: Outcome) =>
  patch(deliveries, [idOf(stream)], () => ({
    state,
    http_status: data.status,
    reason: data.reason,
    response_body: data.bodyHead,
    duration_ms: data.durationMs,
    attempted_at: data.attemptedAt,
  }))

/**
 * Queries of the operator about the deliveries of all merchants: which there are, and which payments are to be told
 * again.
 */

type DeliveryState = 'scheduled' | 'accepted' | 'failed' | 'skipped'

/**
 * Conditions on deliveries; all that are given must hold. `from` and `to` are times of scheduling, in ISO 8601 UTC,
 * both included.
 */
export type DeliveryFilter = {
  readonly account?: string | undefined
  readonly transaction?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly slot?: string | undefined
  /** The beginning of the URL. */
  readonly url?: string | undefined
  readonly run?: string | undefined
  /** Those of test payments, or those of live ones. */
  readonly test?: boolean | undefined
}

export type ListedDelivery = {
  eventId: string
  accountId: string
  /** Empty when a URL was tried out. */
  transactionId: string
  kind: 'first' | 'resend' | 'test'
  run: string | null
  /** Null for a delivery that was skipped, and so is the URL. */
  slot: string | null
  url: string | null
  state: DeliveryState
  status: number | null
  reason: string | null
  durationMs: number | null
  scheduledAt: string
  attemptedAt: string | null
}

/** A payment with the newest of its deliveries that were asked for. */
export type ResendRow = Pick<ListedDelivery, 'transactionId' | 'accountId' | 'eventId' | 'state' | 'scheduledAt'> & {
  /** Whether a delivery that was scheduled later was accepted. */
  acceptedSince: boolean
}

/** What a merchant sees of a delivery that was sent, or is under way. */
export type SentDelivery = Omit<ListedDelivery, 'accountId' | 'slot' | 'run' | 'url'> & {
  readonly url: string
  readonly responseBody: string | null
}

/** Those of one state, in a span of time, and older than one of them; what is not given does not narrow. */
export type SentFilter = Pick<DeliveryFilter, 'from' | 'to'> & {
  readonly state?: 'scheduled' | 'accepted' | 'failed' | undefined
  readonly before?: string | undefined
}

export const deliveryQueries = (sql: Sql) => ({
  /** What an account was sent, the newest first. */
  sentDeliveries: (accountId: string, { before, state, from, to }: SentFilter, limit: number) => sql<SentDelivery[]>`
    select ${columns(sql)}, d.response_body as "responseBody" from deliveries d
    where ${narrowed(sql, { account: accountId, state, from, to })} and d.state <> 'skipped'
      and ${before === undefined ? sql`true` : sql`(d.scheduled_at, d.event_id) < (select scheduled_at, event_id from deliveries where event_id = ${before} and account_id = ${accountId})`}
    order by d.scheduled_at desc, d.event_id desc limit ${limit}`,

  /** The deliveries of an account that have one of these ids; others are left out. */
  deliveriesNamed: (accountId: string, eventIds: readonly string[]) => sql<ListedDelivery[]>`
    select ${columns(sql)} from deliveries d
    where d.account_id = ${accountId} and d.event_id in (select json_array_elements_text(${JSON.stringify(eventIds)}::text::json))
    order by d.scheduled_at, d.event_id`,

  /** Deliveries that pass a filter, newest first. */
  deliveries: (filter: DeliveryFilter, limit: number): Promise<ListedDelivery[]> => sql<ListedDelivery[]>`
    select ${columns(sql)} from deliveries d where ${narrowed(sql, filter)}
    order by d.scheduled_at desc, d.event_id limit ${limit}`,

  /** Every delivery of a transaction, oldest first. */
  deliveriesOf: (transactionId: string, limit: number): Promise<ListedDelivery[]> => sql<ListedDelivery[]>`
    select ${columns(sql)} from deliveries d where d.transaction_id = ${transactionId}
    order by d.scheduled_at, d.event_id limit ${limit}`,

  /**
   * Payments with a matching delivery that is not under way, each once, the oldest first. Deliveries that tried a URL
   * out belong to no payment.
   */
  resendable: (filter: DeliveryFilter & { eventId?: string | undefined }, limit: number): Promise<ResendRow[]> => sql<
    ResendRow[]
  >`
    select * from (
      select distinct on (d.transaction_id) d.transaction_id as "transactionId", d.account_id as "accountId", d.event_id as "eventId",
        d.state, d.scheduled_at as "scheduledAt",
        exists (select from deliveries later where later.transaction_id = d.transaction_id and later.state = 'accepted'
          and later.scheduled_at > d.scheduled_at) as "acceptedSince"
      from deliveries d
      where d.kind <> 'test' and d.state <> 'scheduled' and ${narrowed(sql, filter)}
        and ${filter.eventId === undefined ? sql`true` : sql`d.event_id = ${filter.eventId}`}
      order by d.transaction_id, d.scheduled_at desc
    ) newest order by "scheduledAt", "transactionId" limit ${limit}`,
})

const columns = (sql: Sql): Fragment => sql`
  d.event_id as "eventId", d.account_id as "accountId", d.transaction_id as "transactionId", d.kind, d.run, d.slot, d.url, d.state,
  d.http_status as status, d.reason, d.duration_ms as "durationMs", d.scheduled_at as "scheduledAt", d.attempted_at as "attemptedAt"`

const narrowed = (sql: Sql, filter: DeliveryFilter): Fragment => {
  const conditions: { readonly [K in keyof Required<DeliveryFilter>]: (value: string) => Fragment } = {
    account: (account) => sql`d.account_id = ${account}`,
    transaction: (id) => sql`d.transaction_id = ${id}`,
    state: (state) => sql`d.state = ${state}`,
    from: (from) => sql`d.scheduled_at >= ${from}`,
    to: (to) => sql`d.scheduled_at <= ${to}`,
    slot: (slot) => sql`d.slot = ${slot}`,
    url: (prefix) => sql`starts_with(d.url, ${prefix})`,
    run: (run) => sql`d.run = ${run}`,
    // A delivery that was skipped does not say whether it was of a test.
    test: (test) =>
      sql`exists (select from transactions t where t.transaction_id = d.transaction_id and t.test = ${test}::text::boolean)`,
  }
  const given = Object.entries(conditions).flatMap(([key, condition]) => {
    const value = filter[key as keyof DeliveryFilter]
    return value === undefined ? [] : [condition(String(value))]
  })
  return given.reduce((all, each) => sql`${all} and ${each}`, sql`true`)
}
