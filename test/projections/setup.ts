/** Read models on a real database and a real log, for the tests of the read side. */
import type { ExecutionContext } from 'ava'
import { startFeed } from '../../adapters/following/feed.ts'
import { createProgress } from '../../adapters/following/progress.ts'
import { connect, type PipedSql, type Sql } from '../../adapters/postgres/connect.ts'
import type { Feed } from '../../domain/kernel/following.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { applyBatch } from '../../projections/engine/apply.ts'
import { createPlaceWriter } from '../../projections/engine/place-writer.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { runProjector } from '../../projections/engine/projector.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { projections } from '../../projections/index.ts'
import { created } from '../domain/samples.ts'
import { ledgerOn, newStore } from '../support/ledger.ts'
import { overSocket, testDatabase } from '../support/postgres.ts'

/** Empty read models, as a fresh installation has them. */
export const emptyReadModels = async (
  t: ExecutionContext,
  which = projections,
): Promise<{ sql: PipedSql; url: string }> => {
  const { url: byNetwork } = await testDatabase(t)
  const url = overSocket(byNetwork)
  const sql = connect(url, { schema: SERVING })
  t.teardown(() => sql.end({ timeout: 1 }))
  await prepareSchema(sql, SERVING)
  for (const projection of which) await createMissing(sql, projection)
  return { sql, url }
}

export const applyAll = async (sql: Sql, projection: Projection, events: readonly RecordedEvent[]): Promise<void> => {
  await sql.begin((tx) => applyBatch(tx, projection, events))
}

/** Every table of a read model as text, row by row, in order: equal text is equal to the byte. */
export const contents = async (sql: Sql, which: readonly Projection[] = projections) => {
  const tables = which.flatMap(({ tables }) => tables.map(({ name }) => name))
  const rows = async (table: string) => [
    table,
    (await sql<{ row: string }[]>`select t::text as row from ${sql(SERVING)}.${sql(table)} t order by 1`).map(
      (r) => r.row,
    ),
  ]
  return Object.fromEntries(await Promise.all(tables.map(rows))) as Record<string, string[]>
}

/** A log, its feed and a ledger, with projectors that can be started over it. */
export const following = async (t: ExecutionContext, which = projections) => {
  const { sql, url } = await emptyReadModels(t, which)
  const store = newStore(t)
  const feed = await startFeed(store)
  t.teardown(() => feed.stop())
  const places = createPlaceWriter(sql)
  const start = (projection: Projection, on: EventStore = store, restMs?: number, from: Feed = feed) => {
    const stopping = new AbortController()
    const progress = createProgress()
    const ended = runProjector(projection, { sql, places, store: on, feed: from, progress }, stopping.signal, restMs)
    ended.catch(() => {})
    const stop = async () => {
      stopping.abort()
      await ended
    }
    return { progress, ended, stop }
  }
  return { sql, url, store, ledger: ledgerOn(store), start }
}

/** One resource, created and disabled, and credit booked: events that put, patch and add. */
export const business = async (ledger: Ledger, n: number): Promise<void> => {
  const resId = `res_${n}`
  await Promise.all([
    ledger.resource.create(resId, { ...created, checkoutId: `co_${n}` }),
    ledger.creditAccount.grant(`acc_${n % 3}`, {
      amount: String(n + 1),
      reason: 'email-verified',
      ref: resId,
      source: 'business',
      position: String(n),
    }),
  ])
  if (n % 5 === 0) await ledger.resource.disable(resId, { accountId: created.accountId })
}
