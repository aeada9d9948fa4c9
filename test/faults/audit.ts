/** Whether the books are whole after faults: read from the log itself, and the read models compared with a replay. */
import { connect, type Sql } from '../../adapters/postgres/connect.ts'
import { eventStoreDb } from '../../adapters/store/client/eventstoredb.ts'
import type { EventStore, RecordedEvent } from '../../domain/kernel/ports.ts'
import { postingsOf } from '../../domain/reading/journal.ts'
import type { EventData, EventType, LedgerEvent } from '../../domain/write-side/deciders.ts'
import { compareWithReplay } from '../../projections/engine/compare.ts'
import { projections } from '../../projections/index.ts'
import { factsOf } from './facts.ts'

export type Audit = {
  readonly events: number
  readonly acknowledged: number
  readonly payments: number
  /** Claims that the log does not hold. */
  readonly lost: readonly string[]
  /** What the log says more than once, claimed or not. */
  readonly doubled: readonly string[]
  /** What does not fit: a payment without its fee, postings that do not sum to zero, a hole in a stream. */
  readonly broken: readonly string[]
  /** Rows of read models that a replay would not give, or that it would and that are not there. */
  readonly differences: readonly string[]
}

/** How long what follows from the last commands may take to come to an end. */
const SETTLE_MS = 60_000
const LOOK_AGAIN_MS = 250

/** Reads everything while the service runs, once nothing moves any more. */
export const audit = async (
  place: { eventStoreUrl: string; databaseUrl: string },
  claims: ReadonlySet<string>,
): Promise<Audit> => {
  const store = eventStoreDb(place.eventStoreUrl)
  const sql = connect(place.databaseUrl, { schema: 'daybook', max: 2 })
  try {
    const log = await quietLog(store)
    const counts = new Map<string, number>()
    for (const event of log) for (const each of factsOf(event)) counts.set(each, (counts.get(each) ?? 0) + 1)
    const differences: string[] = [...(await lagging(sql, log.at(-1)?.position ?? -1n))]
    for (const projection of projections) {
      const compared = await compareWithReplay(sql, store, projection)
      differences.push(...compared.differences.map(({ table, side, row }) => `${table} ${side}: ${row}`))
    }
    return {
      events: log.length,
      acknowledged: claims.size,
      payments: of(log, 'ChallengeSettled').length,
      lost: [...claims].filter((claim) => !counts.has(claim)),
      doubled: [...[...counts].filter(([, count]) => count > 1).map(([each]) => each), ...repeatedIds(log)],
      broken: [...holes(log), ...unfinished(log), ...unbalanced(log)],
      differences,
    }
  } finally {
    await store.close()
    await sql.end({ timeout: 5 })
  }
}

/** The log once all that follows from its events is in it too. */
const quietLog = async (store: EventStore): Promise<readonly RecordedEvent<LedgerEvent>[]> => {
  const until = Date.now() + SETTLE_MS
  for (;;) {
    const log = (await Array.fromAsync(store.readAll(-1n))).flat() as RecordedEvent<LedgerEvent>[]
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    if (Date.now() > until) return log
    if ((await store.head()) === log.at(-1)?.position && unfinished(log).length === 0) return log
  }
}

/** Read models that do not come to the end of the log: what they have not seen cannot differ. */
const lagging = async (sql: Sql, head: bigint): Promise<readonly string[]> => {
  const until = Date.now() + SETTLE_MS
  for (;;) {
    const behind = await sql<{ name: string }[]>`select name from checkpoints where position < ${String(head)}`
    if (behind.length === 0 || Date.now() > until) return behind.map(({ name }) => `${name} is behind the log`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

const repeatedIds = (log: readonly RecordedEvent[]) => {
  const seen = new Set<string>()
  return log.filter(({ id }) => seen.size === seen.add(id).size).map(({ id, type }) => `event ${id} ${type}`)
}

/** Streams whose events are not 0, 1, 2 … in the order of the log. */
const holes = (log: readonly RecordedEvent[]) => {
  const next = new Map<string, bigint>()
  let position = -1n
  return log.flatMap((event) => {
    const fits = (next.get(event.stream) ?? 0n) === event.revision && event.position > position
    position = event.position
    next.set(event.stream, event.revision + 1n)
    return fits ? [] : [`${event.stream} ${event.revision} at ${event.position}`]
  })
}

/** Payments that lack one of the things that follow from them. */
const unfinished = (log: readonly RecordedEvent<LedgerEvent>[]): readonly string[] => {
  const fees = new Set(of(log, 'CreditDebited').map(({ ref }) => ref))
  const numbers = new Map(
    log.flatMap((event) =>
      event.type === 'TransactionCreated' ? [[event.data.challengeId, event.stream.slice('transaction-'.length)]] : [],
    ),
  )
  const completed = new Set(log.flatMap(({ type, stream }) => (type === 'TransactionCompleted' ? [stream] : [])))
  const skipped = of(log, 'DeliverySkipped')
  const delivered = new Set(
    [...of(log, 'DeliveryAccepted'), ...of(log, 'DeliveryFailed'), ...skipped].map((data) => data.transactionId),
  )
  const settled = of(log, 'ChallengeSettled')
  const claimed = of(log, 'TransferClaimed').filter(
    ({ challengeId }) => !settled.some((each) => each.challengeId === challengeId),
  )
  return [
    ...claimed.map(({ challengeId }) => `${challengeId} was claimed and not settled`),
    ...settled.flatMap(({ challengeId }) => {
      const number = numbers.get(challengeId)
      const missing = [
        ...(fees.has(challengeId) ? [] : ['fee']),
        ...(number !== undefined && completed.has(`transaction-${number}`) ? [] : ['transaction']),
        ...(number !== undefined && delivered.has(number) ? [] : ['delivery']),
      ]
      return missing.map((what) => `${challengeId} has no ${what}`)
    }),
  ]
}

/** The books sum to zero, event by event. */
const unbalanced = (log: readonly RecordedEvent<LedgerEvent>[]) =>
  log.flatMap((event) => {
    const sums = new Map<string, bigint>()
    for (const { asset, amount } of postingsOf(event)) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(amount))
    return [...sums.values()].every((sum) => sum === 0n) ? [] : [`${event.type} ${event.id} does not sum to zero`]
  })

const of = <T extends EventType>(log: readonly RecordedEvent<LedgerEvent>[], type: T): EventData<T>[] =>
  log.flatMap((event) => (event.type === type ? [event.data as EventData<T>] : []))
