import { idOf } from '../../domain/kernel/decider.ts'
import { transferId } from '../../domain/selling/challenge-terms.ts'
import { type Change, type Projection, patch, put, type Table, upsert } from '../engine/projection.ts'

/**
 * What sellers did with money that settles nothing, beside matching it (N-102): one row a transfer, for the
 * newest act. Whether it still stands, the status of the settlement log says.
 */

/**
 * `state`: a return is `recorded`, `sent` once a chain has shown `back_id`, and `lost` once that chain has lost it.
 * While `sought`, the clock looks for `hash`.
 */
export const handledTransfers = {
  name: 'handled_transfers',
  columns: {
    transfer_id: 'text',
    account_id: 'text',
    reason: 'text',
    handled_by: 'text',
    handled_at: 'text',
    returned: 'numeric',
    state: 'text',
    back_id: 'text',
    hash: 'text',
    sought: 'boolean',
    named_at: 'text',
    refused: 'text',
  },
  key: ['transfer_id'],
  indexes: [{ columns: 'transfer_id', where: 'sought' }, 'back_id'],
} as const satisfies Table

/** A row without any act. */
const EMPTY = {
  reason: null,
  handled_by: null,
  handled_at: null,
  returned: null,
  state: null,
  back_id: null,
  hash: null,
  sought: false,
  named_at: null,
  refused: null,
} as const

/** How the status of a transfer in the settlement log changes. */
type StatusChange = (transferId: string, status: string) => Change

export const onHandling = (statusOf: StatusChange): Projection['on'] => ({
  TransferIgnored: ({ stream, data: { accountId, reason, by, ignoredAt } }) => [
    put(handledTransfers, {
      ...EMPTY,
      transfer_id: idOf(stream),
      account_id: accountId,
      reason,
      handled_by: by,
      handled_at: ignoredAt,
    }),
    statusOf(idOf(stream), 'ignored'),
  ],
  TransferReopened: ({ stream, data: { reason } }) => [
    patch(handledTransfers, [idOf(stream)], () => ({ ...EMPTY })),
    statusOf(idOf(stream), reason),
  ],
  TransferReturnRecorded: ({ stream, data: { accountId, amount, by, returnedAt } }) => [
    put(handledTransfers, {
      ...EMPTY,
      transfer_id: idOf(stream),
      account_id: accountId,
      handled_by: by,
      handled_at: returnedAt,
      returned: amount,
      state: 'recorded',
    }),
    statusOf(idOf(stream), 'returned'),
  ],
  TransferReturnHashSubmitted: ({ stream, data: { hash, submittedAt } }) =>
    patch(handledTransfers, [idOf(stream)], () => ({ hash, sought: true, named_at: submittedAt, refused: null })),
  TransferReturnHashRefused: ({ stream, data: { hash, reason } }) =>
    patch(handledTransfers, [idOf(stream)], (row) => (row.hash === hash ? { sought: false, refused: reason } : {})),
  TransferReturnSent: ({ stream, data: { back } }) =>
    patch(handledTransfers, [idOf(stream)], () => ({
      returned: back.amount,
      state: 'sent',
      back_id: transferId(back),
      hash: back.tx,
      sought: false,
      refused: null,
    })),
  TransferReturnUnsent: ({ stream, data: { hash, voided, unsentAt } }) =>
    patch(handledTransfers, [idOf(stream)], () => ({ state: 'lost', hash, sought: !voided, named_at: unsentAt })),
})

/** Money that is not in its chain needs no return; one that a chain has shown stays. */
export const noLongerHandled = (id: string, accountId: string): Change =>
  upsert(handledTransfers, { ...EMPTY, transfer_id: id, account_id: accountId }, (row) =>
    row.state === 'sent' ? {} : { sought: false },
  )
