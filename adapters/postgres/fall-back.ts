/** Letting a database begin again with a log that has lost what the database has seen. */
import type { TransactionSql } from 'postgres'
import { type CheckpointEvent, NEXT, SERVING } from '../../projections/engine/schema.ts'
import type { Sql } from './connect.ts'

/** The place at which the effects go on, because they must not send again what they have sent. */
type Head = CheckpointEvent & { readonly position: bigint }

/**
 * Puts the read models aside as they are, to be built from the log anew, and lets policies begin at the first event;
 * effects go on at the log's end. All or nothing.
 * @returns the schema in which the old rows are kept
 */
export const beginAgain = (sql: Sql, effects: readonly string[], head: Head): Promise<string> =>
  sql.begin(async (tx) => {
    // A crash must not forget this step once anything was done on this log, so the commit waits for the disk.
    await tx`set local synchronous_commit = on`
    const aside = await freeName(tx, `${SERVING}_before_${head.position}`)
    await tx`alter schema ${tx(SERVING)} rename to ${tx(aside)}`
    await tx`drop schema if exists ${tx(NEXT)} cascade`
    await tx`delete from daybook_run.checkpoints`
    for (const name of effects)
      await tx`
        insert into daybook_run.checkpoints (name, position, event_id, event_at)
        values (${name}, ${String(head.position)}, ${head.id}, ${head.at})`
    // The folded state of a stream that has lost its end belongs to no events any more.
    await tx`delete from daybook_run.snapshots`
    // Keys are numbered anew with the read model that numbers them, in the order of this log.
    const [vault] = await tx`select 1 where to_regclass('daybook_vault.missing_keys') is not null`
    if (vault) {
      await tx`update daybook_vault.data_keys set place = null where place is not null`
      await tx`delete from daybook_vault.missing_keys`
    }
    return aside
  })

/** The name of a schema that is not there yet. */
const freeName = async (tx: TransactionSql, wanted: string): Promise<string> => {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}_${n}`
    const [taken] = await tx`select 1 from pg_namespace where nspname = ${name}`
    if (!taken) return name
  }
}

/** A webhook that was sent, or tried, as the old rows show it. */
export type SentWebhook = {
  readonly eventId: string
  readonly accountId: string
  readonly transactionId: string
  readonly status: number | null
  readonly reason: string | null
  readonly bodyHead: string
  readonly durationMs: number
  readonly attemptedAt: string
}

/** Webhooks that were attempted in the part that the log has lost, that is after a place in the ledger's order. */
export const sentWebhooks = (sql: Sql, after: bigint): Promise<SentWebhook[]> =>
  sql<SentWebhook[]>`
    select event_id as "eventId", account_id as "accountId", transaction_id as "transactionId", http_status as status,
      reason, coalesce(response_body, '') as "bodyHead", coalesce(duration_ms, 0) as "durationMs",
      attempted_at as "attemptedAt"
    from ${sql(SERVING)}.deliveries where attempted_at is not null and event_id in (
      select substr(stream, length('delivery-') + 1) from ${sql(SERVING)}.timeline
      where position > ${String(after)} and type in ('DeliveryAccepted', 'DeliveryFailed'))`

/** Receipts and other notifications of apps that were attempted in the part that the log has lost. */
export const sentNotifications = (sql: Sql, after: bigint): Promise<{ eventId: string; clientId: string }[]> =>
  sql<{ eventId: string; clientId: string }[]>`
    select event_id as "eventId", client_id as "clientId" from ${sql(SERVING)}.notifications where event_id in (
      select substr(stream, length('notification-') + 1) from ${sql(SERVING)}.timeline
      where position > ${String(after)} and type in ('NotificationAccepted', 'NotificationAttemptFailed'))`
