import { categoryOf, idOf } from '../../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../../domain/kernel/ports.ts'
import { accountsOf, postingsOf } from '../../../domain/reading/journal.ts'
import type { Books } from '../../books/books.ts'
import { countText } from '../../books/replaying.ts'
import { columns, type Output } from '../../console/output.ts'
import { startBar } from '../../console/progress.ts'
import { BadSetting } from '../../settings/setting-kinds.ts'
import { pagesFrom } from './places.ts'
import { balanceTable } from './told.ts'

/** Transactions that are listed one by one; all are counted. */
const TRANSACTIONS_SHOWN = 1_000

const statuses: Readonly<Record<string, string>> = {
  TransactionCreated: 'created',
  TransactionCompleted: 'completed',
  TransactionRejected: 'rejected',
  TransactionDeleted: 'deleted',
  RefundRecorded: 'recorded as refunded',
  RefundSent: 'refund sent',
  RefundUnsent: 'refund not sent after all',
  RefundVoided: 'refund owed no longer',
  RefundFailed: 'not refunded after all',
}

/**
 * Shows what happened after one position of the log up to another: events, streams, what became of transactions, and
 * what moved on every account. Only the events between are read. Answers whether what moved sums to zero.
 */
export const diff = async (
  books: Books,
  out: Output,
  { from, to, account }: { from: bigint; to: bigint; account?: string },
): Promise<boolean> => {
  if (to < from) throw new BadSetting(`the second position (${to}) is before the first (${from})`)
  const tally = createTally(account)
  const store = await books.store()
  const bar = startBar(out, to - from)
  try {
    reading: for await (const page of pagesFrom(books, store, from + 1n))
      for (const event of page) {
        if (event.position > to) break reading
        tally.add(event)
        bar.at(event.position - from, 'log')
      }
  } finally {
    bar.stop()
  }
  const { events, types, streams, transactions, shown, movements } = tally.found()
  const moved = balanceTable(movements)
  const holds = account !== undefined || moved.holds
  const report = {
    from,
    to,
    account: account ?? null,
    events,
    types,
    streams,
    transactions,
    changed: shown,
    balanced: account === undefined ? moved.holds : null,
    movements: moved.rows,
    sums: moved.sums,
  }
  await out.tell(
    report,
    [
      `${countText(events, 'event')} after position ${from} up to ${to}${account ? `, of ${account}` : ''}`,
      columns([['Event', 'Number'], ...types.map(({ type, events }) => [type, String(events)])], [1]),
      streamsText(streams),
      transactionsText(transactions, shown),
      moved.rows.length > 0 ? moved.table('Movement') : 'No money moved.',
      ...(account || moved.rows.length === 0 ? [] : [moved.verdict]),
    ].join('\n\n'),
  )
  return holds
}

type ChangedTransaction = {
  readonly transaction: string
  readonly account: string | null
  readonly became: readonly string[]
}

type TouchedStreams = { readonly kind: string; readonly touched: number; readonly begun: number }

const streamsText = (streams: readonly TouchedStreams[]): string => {
  const rows = streams.map(({ kind, touched, begun }) => [kind, String(touched), String(begun)])
  return columns([['Streams', 'Touched', 'Of them new'], ...rows], [1, 2])
}

const transactionsText = (count: number, shown: readonly ChangedTransaction[]): string => {
  if (count === 0) return 'No transaction changed its status.'
  const table = columns([
    ['Transaction', 'Account', 'Became'],
    ...shown.map(({ transaction, account, became }) => [transaction, account ?? '–', became.join(', ')]),
  ])
  return count > shown.length ? `${table}\nand ${countText(count - shown.length, 'more transaction')}` : table
}

/** Counts events, of one owner or of all. */
const createTally = (owner: string | undefined) => {
  const own = owner === undefined ? undefined : new Set(accountsOf(owner))
  const types = new Map<string, number>()
  const streams = new Map<string, { touched: Set<string>; begun: number }>()
  const changed = new Map<string, { account: string | null; became: string[] }>()
  const moved = new Map<string, { account: string; asset: string; units: bigint }>()
  let events = 0
  return {
    add(event: RecordedEvent) {
      const postings = postingsOf(event).filter((posting) => !own || own.has(posting.account))
      if (owner !== undefined && postings.length === 0 && !names(event, owner)) return
      events++
      types.set(event.type, (types.get(event.type) ?? 0) + 1)
      const kind = categoryOf(event.stream)
      const group = entry(streams, kind, () => ({ touched: new Set<string>(), begun: 0 }))
      group.touched.add(event.stream)
      if (event.revision === 0n) group.begun++
      const status = becameOf(event)
      if (status) {
        const { accountId } = event.data as { accountId?: string }
        const transaction = entry(changed, idOf(event.stream), () => ({ account: null, became: [] }))
        transaction.account ??= accountId ?? null
        transaction.became.push(status)
      }
      for (const { account, asset, amount } of postings)
        entry(moved, `${account} ${asset}`, () => ({ account, asset, units: 0n })).units += BigInt(amount)
    },
    found: () => ({
      events,
      types: byName(types).map(([type, events]) => ({ type, events })),
      streams: byName(streams).map(([kind, { touched, begun }]) => ({ kind, touched: touched.size, begun })),
      transactions: changed.size,
      shown: [...changed]
        .slice(0, TRANSACTIONS_SHOWN)
        .map(([transaction, { account, became }]): ChangedTransaction => ({ transaction, account, became })),
      movements: byName(moved).map(([, { units, ...row }]) => ({ ...row, amount: String(units) })),
    }),
  }
}

/** What an event makes of a transaction, if it does. */
const becameOf = ({ type, data }: RecordedEvent): string | undefined => {
  if (type !== 'TransactionEdited') return statuses[type]
  const { status } = (data as { changes: { status?: string } }).changes
  return status && `edited to ${status}`
}

/** Whether an event's stream is of the owner, or its data says so. */
const names = ({ stream, data }: RecordedEvent, owner: string): boolean =>
  idOf(stream).split('.').includes(owner) || Object.values(data).includes(owner)

const entry = <V>(map: Map<string, V>, key: string, fresh: () => V): V => {
  const found = map.get(key) ?? fresh()
  map.set(key, found)
  return found
}

const byName = <V>(map: ReadonlyMap<string, V>): [string, V][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1))
