import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { bookEntriesOf, bookedTypes } from '../../domain/reading/books/index.ts'
import { tagsOf } from '../../domain/reading/journal-tags.ts'
import type { EventType } from '../../domain/write-side/deciders.ts'
import { type Change, type Projection, plus, put, type Table, upsert } from '../engine/projection.ts'
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

const booked = (event: RecordedEvent): readonly Change[] => {
  const { at, type, stream, id, position } = event
  const entries = bookEntriesOf(event)
  if (entries.length === 0) return []
  const { transactionId = null, challengeId = null, worth } = tagsOf(event)
  const { hash, payer, mined_at } = transferOf(event.data)
  const facts = {
    event_type: type,
    at,
    mined_at,
    stream,
    event_id: id,
    transaction_id: transactionId,
    challenge_id: challengeId,
    hash,
    payer,
    fiat_amount: worth?.amount ?? null,
    fiat_currency: worth?.currency ?? null,
    rate: worth?.rate ?? null,
  }
  const changes: Change[] = []
  for (const { view, kind, postings: list } of entries)
    for (const [line, { account, asset, amount }] of list.entries()) {
      changes.push(put(postings, { view, position: String(position), line, account, asset, amount, kind, ...facts }))
      for (const level of BLOCK_LEVELS) {
        const fresh = { view, level, block: String(position >> BigInt(level)), account, asset, amount: '0' }
        changes.push(upsert(sums, fresh, (sum) => ({ amount: plus(sum.amount, amount) })))
      }
    }
  const count = entries.reduce((sum, { postings: list }) => sum + list.length, 0)
  for (const level of BLOCK_LEVELS) {
    const fresh = { level, block: String(position >> BigInt(level)), min_at: at, max_at: at, postings: '0' }
    changes.push(upsert(blocks, fresh, (row) => widened(row, at, count)))
  }
  return changes
}

/** The chain transaction that an event names, its payer, and when it was mined. */
const transferOf = (data: object) => {
  const { transfer } = data as { transfer?: { tx: string; from: string; minedAt: string } }
  return { hash: transfer?.tx ?? null, payer: transfer?.from ?? null, mined_at: transfer?.minedAt ?? null }
}

export const booksProjection: Projection = {
  name: 'books',
  version: 1,
  tables: [postings, sums, blocks, sales.table],
  on: {
    ...(Object.fromEntries(bookedTypes.map((type) => [type, booked])) as { [T in EventType]?: typeof booked }),
    ...sales.on,
  },
}
