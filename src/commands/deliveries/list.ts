import { createQueries, type Queries } from '../../../projections/index.ts'
import type { DeliveryFilter, ListedDelivery } from '../../../projections/selling/deliveries.ts'
import { transactionsProjection } from '../../../projections/selling/transactions/transactions.ts'
import type { Books } from '../../books/books.ts'
import { readModel } from '../../books/read-model.ts'
import { columns, type Output } from '../../console/output.ts'

/** The options that narrow the webhooks; a `pending` one was scheduled and has no outcome yet. */
export type DeliverySelection = {
  readonly account?: string
  readonly transaction?: string
  readonly status?: 'pending' | 'accepted' | 'failed' | 'skipped'
  readonly from?: Date
  readonly to?: Date
  readonly slot?: string
  readonly url?: string
  /** Only those of test payments. */
  readonly test?: boolean
}

const SHOWN = 20

export const listDeliveries = async (
  books: Books,
  out: Output,
  { limit = SHOWN, run, ...which }: DeliverySelection & { run?: string; limit?: number },
): Promise<void> => {
  const rows = await (await deliveryRows(books, out)).deliveries({ ...filterOf(which), run }, limit)
  await out.tell(rows.map(deliveryRecord), table(rows))
}

export const deliveryRows = async (
  books: Books,
  out: Output,
): Promise<Pick<Queries, 'deliveries' | 'deliveriesOf' | 'resendable'>> =>
  createQueries(await readModel(books, out, transactionsProjection))

export const filterOf = ({ status, from, to, ...same }: DeliverySelection): DeliveryFilter => ({
  from: from?.toISOString(),
  to: to?.toISOString(),
  ...same,
  state: status === 'pending' ? 'scheduled' : status,
})

export const deliveryRecord = (row: ListedDelivery) => ({
  event_id: row.eventId,
  account_id: row.accountId,
  transaction_id: row.transactionId,
  kind: row.kind,
  run: row.run,
  status: row.state === 'scheduled' ? 'pending' : row.state,
  slot: row.slot,
  url: row.url,
  http_status: row.status,
  reason: row.reason,
  duration_ms: row.durationMs,
  scheduled_at: row.scheduledAt,
  attempted_at: row.attemptedAt,
})

export const table = (rows: readonly ListedDelivery[]): string =>
  columns(
    [
      ['Event id', 'Transaction', 'Kind', 'Status', 'Answer', 'ms', 'Scheduled', 'URL'],
      ...rows
        .map(deliveryRecord)
        .map((row) => [
          row.event_id,
          row.transaction_id || '–',
          row.run ?? row.kind,
          row.status,
          row.http_status === null ? (row.reason ?? '–') : String(row.http_status),
          String(row.duration_ms ?? '–'),
          row.scheduled_at,
          row.url ?? '–',
        ]),
    ],
    [5],
  )
