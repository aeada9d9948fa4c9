/**
 * The read model `transactions` as a projection of `@event-driven-io/emmett-postgresql`, rebuilt from its own store.
 * Arguments: the database's URL, the number of sales.
 */
import { type SQL, sql } from '@event-driven-io/dumbo'
import type { Event } from '@event-driven-io/emmett'
import {
  getPostgreSQLEventStore,
  postgreSQLRawBatchSQLProjection,
  rebuildPostgreSQLProjections,
} from '@event-driven-io/emmett-postgresql'
import { connect } from '../../adapters/postgres/connect.ts'
import type { EventData } from '../../domain/write-side/deciders.ts'
import { answering } from '../answering.ts'
import type { Made, Question } from '../read-model.ts'
import { SALES_AT_ONCE, type Step, shownSteps } from '../sales.ts'

/** Events of one pull: more than the default of 100, which takes three times as long. */
const PULL_EVENTS = 1_000

const [connectionString = '', sales = ''] = process.argv.slice(2)
const store = getPostgreSQLEventStore(connectionString)
const admin = connect(connectionString, { max: 1 })
let processed = 0

type Shown = 'TransactionCreated' | 'TransactionCompleted' | 'DeliveryScheduled' | 'DeliveryAccepted'
type ShownEvent = { [T in Shown]: Event<T, Record<string, unknown> & EventData<T> & { id: string }> }[Shown]

const TABLES = `
  create table if not exists transactions (
    transaction_id text primary key, account_id text, res_id text, challenge_id text, external_reference text, type text, title text,
    cryptocurrency text, amount text, amount_fiat text, currency text, status text, hash text, payer text, test boolean,
    created_at text, confirmed_at text);
  create index if not exists transactions_listed on transactions (account_id, created_at desc, transaction_id desc);
  create table if not exists deliveries (
    event_id text primary key, transaction_id text, account_id text, url text, test boolean, state text, http_status integer,
    reason text, response_body text, duration_ms integer, scheduled_at text, attempted_at text);
  create index if not exists deliveries_listed on deliveries (transaction_id, scheduled_at);`

const written = ({ type, data }: ShownEvent): SQL => {
  switch (type) {
    case 'TransactionCreated':
      return sql(
        `insert into transactions values (%L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L, 'P', %L, %L, %L, %L, null)`,
        data.id,
        data.accountId,
        data.resId,
        data.challengeId,
        data.externalReference,
        data.type,
        data.title,
        data.cryptocurrency,
        data.amount,
        data.amountFiat,
        data.currency,
        data.hash,
        data.payer,
        data.test,
        data.createdAt,
      )
    case 'TransactionCompleted':
      return sql(
        `update transactions set status = 'C', hash = %L, payer = %L, confirmed_at = %L where transaction_id = %L`,
        data.hash,
        data.payer,
        data.confirmedAt,
        data.id,
      )
    case 'DeliveryScheduled':
      return sql(
        `insert into deliveries values (%L, %L, %L, %L, %L, 'scheduled', null, null, null, null, %L, null)`,
        data.id,
        data.transactionId,
        data.accountId,
        data.url,
        data.test,
        '2026-03-02T10:06:00.000Z',
      )
    case 'DeliveryAccepted':
      return sql(
        `update deliveries set state = 'accepted', http_status = %L, response_body = %L, duration_ms = %L, attempted_at = %L
         where event_id = %L`,
        data.status,
        data.bodyHead,
        data.durationMs,
        data.attemptedAt,
        data.id,
      )
  }
}

const projection = postgreSQLRawBatchSQLProjection<ShownEvent>({
  name: 'transactions',
  canHandle: ['TransactionCreated', 'TransactionCompleted', 'DeliveryScheduled', 'DeliveryAccepted'],
  evolve: (events) => {
    processed += events.length
    return events.map(written)
  },
})

const fill = async () => {
  await store.schema.migrate()
  await admin.unsafe(TABLES)
  const versions = new Map<string, bigint>()
  const append = async ({ stream, type, data }: Step) => {
    const event = { type, data: { ...data, id: stream.slice(stream.indexOf('-') + 1) } } as ShownEvent
    const expectedStreamVersion = versions.get(stream)
    const options = expectedStreamVersion === undefined ? {} : { expectedStreamVersion }
    versions.set(stream, (await store.appendToStream(stream, [event], options)).nextExpectedStreamVersion)
  }
  const lane = async (first: number) => {
    for (let n = first; n < Number(sales); n += SALES_AT_ONCE) for (const step of shownSteps(n)) await append(step)
  }
  await Promise.all(Array.from({ length: SALES_AT_ONCE }, (_, i) => lane(i)))
}

const rebuilt = async () => {
  const consumer = rebuildPostgreSQLProjections({
    connectionString,
    projections: [projection],
    pulling: { batchSize: PULL_EVENTS, pullingFrequencyInMs: 1 },
  })
  await consumer.start()
  return consumer
}

await answering<Question>(
  async ({ make }): Promise<Made> => {
    if (make === 'log') await fill()
    else
      await admin.unsafe('truncate transactions, deliveries; delete from emt_processors; delete from emt_projections')
    processed = 0
    const start = performance.now()
    const consumer = make === 'log' ? undefined : await rebuilt()
    const ms = performance.now() - start
    await consumer?.close()
    const [row] = await admin<{ events: number }[]>`select count(*)::int as events from emt_messages`
    return { events: row?.events ?? 0, processed, ms }
  },
  async () => {
    await store.close()
    await admin.end({ timeout: 1 })
  },
)
