import { FIAT_DECIMALS, toDecimal, type Units } from '../../domain/kernel/money.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import type { BookEntry } from '../../domain/reading/books/entry.ts'
import { bookEntriesOf, bookedTypes } from '../../domain/reading/books/index.ts'
import { entryFactsOf } from '../../domain/reading/books/posting-facts.ts'
import { tagsOf } from '../../domain/reading/journal-tags.ts'
import { type Change, onEach, type Projection, plus, put, type Table, upsert } from '../engine/projection.ts'
import { documentsTable } from './book-documents.ts'
import { BLOCK_LEVELS, salesTable, widened } from './journal.ts'

/**
 * The books of each of those whom the journal concerns: the platform's, every seller's, user's and app's. Their sums
 * lie in the same blocks as those of the journal, so that any day costs as little.
 */

/** `position` is the ledger's own order; `line` counts the postings of an event in one view from 0. */
const postings = {
  name: 'book_postings',
  columns: {
    view: 'text',
    position: 'bigint',
    line: 'integer',
    account: 'text',
    asset: 'text',
    amount: 'numeric',
    kind: 'text',
    event_type: 'text',
    at: 'text',
    mined_at: 'text',
    stream: 'text',
    event_id: 'text',
    transaction_id: 'text',
    challenge_id: 'text',
    hash: 'text',
    payer: 'text',
    fiat_amount: 'numeric',
    fiat_currency: 'text',
    rate: 'text',
    order_id: 'text',
    document: 'text',
    counterparty: 'text',
    value_usd: 'numeric',
    value: 'numeric',
    value_currency: 'text',
    rate_source: 'text',
  },
  key: ['view', 'position', 'line'],
  indexes: ['view, account, position, line'],
} as const satisfies Table

const sums = {
  name: 'book_sums',
  columns: { view: 'text', level: 'integer', block: 'bigint', account: 'text', asset: 'text', amount: 'numeric' },
  key: ['view', 'level', 'block', 'account', 'asset'],
} as const satisfies Table

const blocks = {
  name: 'book_blocks',
  columns: { level: 'integer', block: 'bigint', min_at: 'text', max_at: 'text', postings: 'bigint' },
  key: ['level', 'block'],
} as const satisfies Table

const sales = salesTable('book_sales')
const documents = documentsTable('book_documents')

const booked = (event: RecordedEvent): readonly Change[] => {
  const { at, position } = event
  const entries = bookEntriesOf(event)
  if (entries.length === 0) return []
  const changes: Change[] = []
  for (const entry of entries) {
    const { view, kind, postings: list } = entry
    const { facts, values } = rowsOf(event, entry)
    for (const [line, { account, asset, amount }] of list.entries()) {
      const own = { view, position: String(position), line, account, asset, amount, kind }
      changes.push(put(postings, Object.assign(own, values[line], facts)))
      for (const level of BLOCK_LEVELS) {
        const fresh = { view, level, block: String(position >> BigInt(level)), account, asset, amount: '0' }
        changes.push(upsert(sums, fresh, (sum) => ({ amount: plus(sum.amount, amount) })))
      }
    }
  }
  const count = entries.reduce((sum, { postings: list }) => sum + list.length, 0)
  for (const level of BLOCK_LEVELS) {
    const fresh = { level, block: String(position >> BigInt(level)), min_at: at, max_at: at, postings: '0' }
    changes.push(upsert(blocks, fresh, (row) => widened(row, at, count)))
  }
  return changes
}

/** What the rows of an entry say beside their postings: what is the same in all of them, and what each is worth. */
const rowsOf = (event: RecordedEvent, entry: BookEntry) => {
  const { transactionId = null, challengeId = null, worth } = tagsOf(event)
  const { order, document, counterparty, hash, payer, minedAt, rateSource, values } = entryFactsOf(event, entry)
  const facts = {
    event_type: event.type,
    at: event.at,
    mined_at: minedAt ?? null,
    stream: event.stream,
    event_id: event.id,
    transaction_id: transactionId,
    challenge_id: challengeId,
    hash: hash ?? null,
    payer: payer ?? null,
    fiat_amount: worth?.amount ?? null,
    fiat_currency: worth?.currency ?? null,
    rate: worth?.rate ?? null,
    order_id: order ?? null,
    document: document ?? null,
    counterparty: counterparty ?? null,
    rate_source: rateSource ?? null,
  }
  return {
    facts,
    values: values.map(({ usd, value, currency }) => ({
      value_usd: inMoney(usd),
      value: inMoney(value),
      value_currency: currency ?? null,
    })),
  }
}

export const booksProjection: Projection = {
  name: 'books',
  version: 2,
  tables: [postings, sums, blocks, sales.table, documents.table],
  on: {
    ...onEach(bookedTypes, booked),
    ...merged(sales.on, documents.on),
  },
}

/** Millionths as a decimal, which exports write as it stands. */
const inMoney = (units: Units | undefined): string | null =>
  units === undefined ? null : toDecimal(BigInt(units), FIAT_DECIMALS)

/** The handlers of two tables; an event that both know changes the rows of both. */
function merged(one: Projection['on'], other: Projection['on']): Projection['on'] {
  type Handle = (event: RecordedEvent) => readonly Change[]
  const all = { ...one, ...other } as Record<string, Handle>
  const [first, second] = [one, other] as Record<string, Handle>[]
  return Object.fromEntries(
    Object.entries(all).map(([type, handle]) => {
      const [a, b] = [first?.[type], second?.[type]]
      return [type, a && b ? (event: RecordedEvent) => [...a(event), ...b(event)] : handle]
    }),
  )
}
