import { orderIdOf } from '../../domain/commerce/ids.ts'
import { idOf } from '../../domain/kernel/decider.ts'
import type { RecordedEvent } from '../../domain/kernel/ports.ts'
import { type Change, type Projection, type Table, upsert } from '../engine/projection.ts'

/**
 * What a transaction is called outside of the books: the order or the payment request that it settles, its seller's own
 * reference, and who paid it. Each is kept with the place in the ledger's order from which on it was known: an export
 * up to an earlier place does not have it. The first word counts, so that an export stays as it is.
 */
export const documentsTable = (name: string) => {
  const table = {
    name,
    columns: {
      transaction_id: 'text',
      order_id: 'text',
      document: 'text',
      known_at: 'bigint',
      payer: 'text',
      paid_at: 'bigint',
    },
    key: ['transaction_id'],
  } as const satisfies Table

  const named = (
    { position }: RecordedEvent,
    transactionId: string,
    { order, document }: { readonly order: string | null; readonly document: string },
  ): Change =>
    upsert(table, { ...EMPTY, transaction_id: transactionId }, (row) =>
      row.known_at === null ? { order_id: order, document: document || null, known_at: String(position) } : {},
    )
  const paid = ({ position, stream }: RecordedEvent, payer: string): readonly Change[] =>
    payer === ''
      ? []
      : [
          upsert(table, { ...EMPTY, transaction_id: idOf(stream) }, (row) =>
            row.payer === null ? { payer, paid_at: String(position) } : {},
          ),
        ]

  const on: Projection['on'] = {
    PaymentRequestOpened: (event) => {
      const { transactionId, checkoutSession, externalReference } = event.data
      const order = checkoutSession === undefined ? idOf(event.stream) : orderIdOf(checkoutSession)
      return named(event, transactionId, { order, document: externalReference })
    },
    TransactionCreated: (event) => {
      const { requestId, externalReference, payer } = event.data
      // The request of a transaction says what it is called.
      if (requestId !== undefined) return paid(event, payer)
      return [named(event, idOf(event.stream), { order: null, document: externalReference }), ...paid(event, payer)]
    },
    TransactionPaymentSeen: (event) => paid(event, event.data.payer),
    TransactionCompleted: (event) => paid(event, event.data.payer),
  }
  return { table, on }
}

const EMPTY = { order_id: null, document: null, known_at: null, payer: null, paid_at: null }
