import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { postedTypes, postingsOf } from '../../domain/reading/journal.ts'
import { tagsOf } from '../../domain/reading/journal-tags.ts'
import { type Change, onEach, type Projection, plus, put, type Row, type Table, upsert } from '../engine/projection.ts'

/**
 * Every posting of the ledger, in order, for accountants and auditors; and its sums per block of the log, so that the
 * books of any day cost what lies between that day and the edge of a block, not the whole log.
 */

/**
 * A block of level n holds 2^n of the ledger's own order, which grows by the bytes of the log: 16 MB, some 20,000
 * events, and 1 GB. The finest level comes first. Block b begins at order b << n.
 */
export const BLOCK_LEVELS = [24, 30] as const
export const [FINE, COARSE] = BLOCK_LEVELS

/** `position` is the ledger's own order, as in every row. */
const postings = {
  name: 'postings',
  columns: {
    position: 'bigint',
    line: 'integer',
    account: 'text',
    asset: 'text',
    amount: 'numeric',
    event_type: 'text',
    at: 'text',
    stream: 'text',
    event_id: 'text',
    transaction_id: 'text',
    challenge_id: 'text',
    fiat_amount: 'numeric',
    fiat_currency: 'text',
    rate: 'text',
  },
  key: ['position', 'line'],
  // The lines of a statement in order. A day is found by `journal_blocks`, which say at which positions its postings
  // may be.
  indexes: ['account, position, line'],
} as const satisfies Table

/** The sum of the postings of a block, for each account and asset that it touches. */
const sums = {
  name: 'journal_sums',
  columns: { level: 'integer', block: 'bigint', account: 'text', asset: 'text', amount: 'numeric' },
  key: ['level', 'block', 'account', 'asset'],
  indexes: ['account, level, block'],
} as const satisfies Table

/**
 * The blocks that have postings. Clocks of several processes differ, so the times of neighbouring blocks may overlap.
 */
const blocks = {
  name: 'journal_blocks',
  columns: { level: 'integer', block: 'bigint', min_at: 'text', max_at: 'text', postings: 'bigint' },
  key: ['level', 'block'],
} as const satisfies Table

const posted = (event: RecordedEvent): readonly Change[] => {
  const list = postingsOf(event)
  const { at } = event
  const { transactionId = null, challengeId = null, worth } = tagsOf(event)
  const changes: Change[] = list.map(({ account, asset, amount }, line) =>
    put(postings, {
      position: String(event.position),
      line,
      account,
      asset,
      amount,
      event_type: event.type,
      at,
      stream: event.stream,
      event_id: event.id,
      transaction_id: transactionId,
      challenge_id: challengeId,
      fiat_amount: worth?.amount ?? null,
      fiat_currency: worth?.currency ?? null,
      rate: worth?.rate ?? null,
    }),
  )
  if (list.length === 0) return changes
  for (const level of BLOCK_LEVELS) {
    const block = String(event.position >> BigInt(level))
    for (const { account, asset, amount } of list)
      changes.push(
        upsert(sums, { level, block, account, asset, amount: '0' }, (sum) => ({ amount: plus(sum.amount, amount) })),
      )
    changes.push(
      upsert(blocks, { level, block, min_at: at, max_at: at, postings: '0' }, (row) => widened(row, at, list.length)),
    )
  }
  return changes
}

/** A block with the postings of one more event. */
export const widened = (row: Row, at: string, count: number): Row => ({
  min_at: String(row.min_at) < at ? String(row.min_at) : at,
  max_at: String(row.max_at) > at ? String(row.max_at) : at,
  postings: plus(row.postings, BigInt(count)),
})

/**
 * The transactions of challenges and payments by card, which their own events do not know, in a table of this name, and
 * from which place in the ledger's order on each was known: an export up to an earlier place does not have it. Every
 * read model of postings has its own, so that an export sees postings and sales of one moment.
 */
export const salesTable = (name: string) => {
  const table = {
    name,
    columns: { challenge_id: 'text', sold_as: 'text', known_at: 'bigint' },
    key: ['challenge_id'],
    indexes: ['known_at'],
  } as const satisfies Table
  // The first place counts, so that an export stays as it is.
  const soldAs = ({ stream, position }: RecordedEvent, challenge_id: string | null | undefined): readonly Change[] =>
    challenge_id ? [upsert(table, { challenge_id, sold_as: idOf(stream), known_at: String(position) }, () => ({}))] : []
  const on: Projection['on'] = {
    TransactionCreated: (event) => soldAs(event, event.data.challengeId),
    TransactionPaymentSeen: (event) => soldAs(event, event.data.challengeId),
    TransactionCompleted: (event) => soldAs(event, event.data.challengeId),
  }
  return { table, on }
}

const journalSales = salesTable('journal_sales')

export const journalProjection: Projection = {
  name: 'journal',
  version: 5,
  tables: [postings, sums, blocks, journalSales.table],
  on: {
    ...onEach(postedTypes, posted),
    ...journalSales.on,
  },
}
