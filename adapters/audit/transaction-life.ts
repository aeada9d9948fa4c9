import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { type Life, lifeFrom, type Step, stepsFrom } from '../../domain/reading/life.ts'
import type { TimelineRow } from '../../projections/audit/timeline-queries.ts'
import type { Queries } from '../../projections/index.ts'

/**
 * The life of a transaction, read from the streams that the timeline names; undefined when there is no transaction of
 * that id, or it is another account's.
 */
export const transactionLife = async (
  { store, queries }: { store: Pick<EventStore, 'read'>; queries: Pick<Queries, 'lifeOf'> },
  transactionId: string,
  account?: string,
): Promise<Life | undefined> => {
  const rows = await queries.lifeOf(transactionId, account)
  if (
    !rows.some((row) => row.stream === `transaction-${transactionId}` && (account ?? row.accountId) === row.accountId)
  )
    return undefined
  return lifeFrom(transactionId, await eventsOf(store, rows))
}

/** The most events of one correlation id that are shown. */
export const CORRELATED_MAX = 500

/** The events of one correlation id, with what brought each about, in the order of the ledger; the first of them. */
export const correlatedSteps = async (
  { store, queries }: { store: Pick<EventStore, 'read'>; queries: Pick<Queries, 'timeline'> },
  correlationId: string,
): Promise<readonly Step[]> =>
  stepsFrom(
    await eventsOf(store, await queries.timeline({ correlationId }, { limit: CORRELATED_MAX, oldestFirst: true })),
  )

/** Streams that are read at once. */
const STREAMS_AT_ONCE = 8

/** The events themselves, in the order of the rows. */
const eventsOf = async (
  store: Pick<EventStore, 'read'>,
  rows: readonly TimelineRow[],
): Promise<readonly RecordedEvent[]> => {
  const streams = [...Map.groupBy(rows, ({ stream }) => stream)]
  const found = new Map<string, RecordedEvent>()
  for (let at = 0; at < streams.length; at += STREAMS_AT_ONCE)
    await Promise.all(
      streams.slice(at, at + STREAMS_AT_ONCE).map(async ([stream, wanted]) => {
        for await (const event of picked(store, stream, wanted)) found.set(event.id, event)
      }),
    )
  return rows.map(({ eventId, stream, revision }) => {
    const event = found.get(eventId)
    if (!event) throw new Error(`the timeline follows another log: it has another event at ${stream}#${revision}`)
    return event
  })
}

/**
 * Reads one page from a wanted event on, which mostly holds the others too, and not the whole stream: a credit account
 * has as many events as its seller has sales.
 */
async function* picked(store: Pick<EventStore, 'read'>, stream: string, rows: readonly TimelineRow[]) {
  const wanted = rows.map(({ revision }) => BigInt(revision)).sort((a, b) => (a < b ? -1 : 1))
  for (let next = wanted.shift(); next !== undefined; next = wanted.shift())
    for await (const page of store.read(stream, next)) {
      const last = page.at(-1)?.revision ?? next
      while (wanted[0] !== undefined && wanted[0] <= last) wanted.shift()
      yield* page
      break
    }
}
