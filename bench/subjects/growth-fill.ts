import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from '../../adapters/postgres/connect.ts'
import type { EventStore, Snapshots } from '../../domain/kernel/ports.ts'
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { rebuild, swap } from '../../projections/engine/rebuild.ts'
import { createMissing, prepareSchema, SERVING } from '../../projections/engine/schema.ts'
import { transactionsProjection } from '../../projections/selling/transactions/transactions.ts'
import { fly } from '../flight.ts'
import { type History, LONG_ACCOUNT, type Written } from './growth-history.ts'

/** Appends under way at once. */
const IN_FLIGHT = 1_024
/** Events whose size is looked at: the mix of the first turns is that of all. */
const SAMPLED_EVENTS = 10_000
const SNAPSHOT_POLLS = 500
const POLL_MS = 20

/** Writes the history straight into the store; answers the mean bytes of an event's data. */
export const fillLog = async (history: History, store: EventStore): Promise<number> => {
  const appends = history.appends()
  let events = 0
  let [sampled, bytes] = [0, 0]
  // The node keeps the order of calls, so appends to the long stream may follow each other before the first is
  // answered.
  await fly({ inFlight: IN_FLIGHT, count: history.appendCount }, () => {
    const { stream, expected, events: list } = appends.next().value as Written
    events += list.length
    if (sampled < SAMPLED_EVENTS)
      for (const { data } of list) {
        sampled++
        bytes += JSON.stringify(data).length
      }
    return store.append(stream, expected, list)
  })
  if (events !== history.events) throw new Error(`${events} events were written, not ${history.events}`)
  return Math.round(bytes / sampled)
}

/** Builds the read model as a replay does, and leaves the tables as tidy as those of a database that is not new. */
export const buildRows = async ({ events, sales }: History, sql: Sql, store: EventStore): Promise<void> => {
  await prepareSchema(sql, SERVING)
  await createMissing(sql, transactionsProjection)
  const read = await rebuild(sql, store, transactionsProjection)
  await swap(sql, store, transactionsProjection)
  await sql`vacuum analyze`
  const [rows] = await sql<{ count: string }[]>`select count(*) from transactions`
  if (read !== events || Number(rows?.count) !== sales)
    throw new Error(`${read} of ${events} events made ${rows?.count} of ${sales} rows`)
}

/** Runs one command on the long stream, which leaves its snapshot behind. */
export const takeSnapshot = async ({ longEvents }: History, ledger: Ledger, snapshots: Snapshots): Promise<void> => {
  const bill = { amount: '1', reason: 'platform-fee', ref: 'last', source: 'growth' } as const
  await ledger.creditAccount.charge(LONG_ACCOUNT, { ...bill, position: String(longEvents + 1) })
  for (let polls = 0; polls < SNAPSHOT_POLLS; polls++) {
    const kept = await snapshots.load(`creditAccount-${LONG_ACCOUNT}`, 1)
    if (kept?.revision === BigInt(longEvents)) return
    await pause(POLL_MS)
  }
  throw new Error('the long stream has no snapshot')
}
