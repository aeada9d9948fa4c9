import { idOf } from '../../domain/kernel/decider.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { type Change, put, type Table, upsert } from '../engine/projection.ts'

/** Refunds that the clock looks for on their chains. */

/** Chain transactions that sellers named as refunds, until they are found or turn out to be none. */
export const soughtRefunds = {
  name: 'sought_refunds',
  columns: { transaction_id: 'text', account_id: 'text', hash: 'text', submitted_at: 'text', sought: 'boolean' },
  key: ['transaction_id'],
  indexes: ['sought, transaction_id'],
} as const satisfies Table

/** Transfers that gave payments back, and that their chains have lost, until they are found again. */
export const lostRefunds = {
  name: 'lost_refunds',
  columns: {
    transfer_id: 'text',
    transaction_id: 'text',
    account_id: 'text',
    hash: 'text',
    lost_at: 'text',
    lost: 'boolean',
  },
  key: ['transfer_id'],
  indexes: ['lost, transaction_id'],
} as const satisfies Table

/** A hash is looked for from now on, and none that was named before. */
export const soughtNow = (stream: string, account_id: string, hash: string, submitted_at: string): Change =>
  put(soughtRefunds, { transaction_id: idOf(stream), account_id, hash, submitted_at, sought: true })

/** The hash is looked for no longer, unless another one is. */
export const soughtNoMore = (stream: string, account_id: string, hash: string): Change =>
  upsert(soughtRefunds, { transaction_id: idOf(stream), account_id, hash, submitted_at: null, sought: false }, (row) =>
    row.hash === hash ? { sought: false } : {},
  )

/** A transfer is looked for again, because its block was replaced. */
export const lostNow = (
  stream: string,
  account_id: string,
  { transfer, hash, unsentAt }: { transfer: TransferData; hash: string; unsentAt: string },
): Change =>
  put(lostRefunds, {
    transfer_id: transferId(transfer),
    transaction_id: idOf(stream),
    account_id,
    hash,
    lost_at: unsentAt,
    lost: true,
  })

/** A transfer that was lost is in its chain again. */
export const foundAgain = (stream: string, account_id: string, transfer: TransferData, hash: string): Change =>
  upsert(
    lostRefunds,
    {
      transfer_id: transferId(transfer),
      transaction_id: idOf(stream),
      account_id,
      hash,
      lost_at: null,
      lost: false,
    },
    () => ({ lost: false }),
  )
