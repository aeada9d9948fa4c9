import type { Sql } from '../../adapters/postgres/connect.ts'
import { decimalsOf } from '../../domain/journal.ts'
import { toDecimal } from '../../domain/money.ts'
import type { EventStore, Recorded } from '../../domain/ports.ts'
import { createQueries, projections } from '../../projections/index.ts'
import { rebuild } from '../../projections/rebuild.ts'
import type { Books } from '../books.ts'
import type { AsOf } from './arguments.ts'
import { columns, type Output } from './output.ts'
import { startBar } from './progress.ts'
import { onlyReplay, rowCounts, rowsText } from './replaying.ts'

/** Where the books of another day are built, beside those that serve; dropped afterwards. */
const AS_OF = 'daybook_as_of'

/** Shows the books as they were at a place or a time of the log. Answers whether every asset sums to zero. */
export const asOf = async (books: Books, out: Output, end: AsOf): Promise<boolean> => {
  const store = await books.store()
  const sql = await books.sql({ schema: AS_OF, create: true })
  await onlyReplay(sql)
  books.onClose(() => sql`drop schema if exists ${sql(AS_OF)} cascade`)
  const built = await build(store, sql, out, end)
  const trial = (await createQueries(sql).trialBalance()).map(({ account, asset, amount }) => ({
    account,
    asset,
    amount: toDecimal(BigInt(amount), decimalsOf(asset)),
    units: BigInt(amount),
  }))
  const sums = sumsOf(trial)
  const rows = Object.assign({}, ...(await Promise.all(projections.map((each) => rowCounts(sql, AS_OF, each)))))
  const balanced = sums.every(({ units }) => units === 0n)
  const wrong = sums.filter(({ units }) => units !== 0n).map(({ asset, amount }) => `${asset} sums to ${amount}`)
  const table = [['Account', 'Asset', 'Amount'], ...trial.map((row) => [row.account, row.asset, row.amount])]
  await out.tell(
    { position: built.position, at: built.at ?? null, events: built.events, balanced, trialBalance: trial, sums, rows },
    [
      built.at ? `As of position ${built.position}, ${built.at} (${built.events} events)` : 'Before the first event',
      columns(table, [2]),
      balanced ? 'Every asset sums to zero.' : `NOT BALANCED: ${wrong.join(', ')}.`,
      `Rows: ${rowsText(rows)}`,
    ].join('\n\n'),
  )
  return balanced
}

type Built = { position: bigint; at: string | undefined; events: number }

/** The books are what the log said before the first event that was decided later. */
const build = async (store: EventStore, sql: Sql, out: Output, end: AsOf): Promise<Built> => {
  const until = (event: Recorded) =>
    'position' in end ? event.position <= end.position : new Date(event.at).getTime() <= end.time.getTime()
  const head = await store.head()
  const bar = startBar(out, head * BigInt(projections.length))
  let last: Recorded | undefined
  let events = 0
  try {
    for (const [index, projection] of projections.entries()) {
      const before = head * BigInt(index)
      // The end must be the same for all, although the log grows meanwhile.
      const within = (event: Recorded) => {
        if (index > 0) return last !== undefined && event.position <= last.position
        if (!until(event)) return false
        last = event
        return true
      }
      const read = await rebuild(sql, store, projection, {
        schema: AS_OF,
        fresh: true,
        until: within,
        onProgress: (_, position) => bar.at(before + position, projection.name),
      })
      if (index === 0) events = read
    }
  } finally {
    bar.stop()
  }
  return { position: last?.position ?? -1n, at: last?.at, events }
}

const sumsOf = (trial: readonly { asset: string; units: bigint }[]) => {
  const sums = new Map<string, bigint>()
  for (const { asset, units } of trial) sums.set(asset, (sums.get(asset) ?? 0n) + units)
  return [...sums].map(([asset, units]) => ({ asset, amount: toDecimal(units, decimalsOf(asset)), units }))
}
