import type { Sql } from 'postgres'
import { idOf } from '../domain/policy.ts'
import { type Projection, put, type Table } from './projection.ts'

/** Whose processor reports to which address, and which payment a charge of a processor is (J-CARD-02). */

const cardHooks = {
  name: 'card_hooks',
  columns: { hook_id: 'text', account_id: 'text' },
  key: ['hook_id'],
} as const satisfies Table

const cardCharges = {
  name: 'card_charges',
  columns: { card_payment_id: 'text', account_id: 'text', charge: 'text' },
  key: ['card_payment_id'],
  indexes: ['account_id, charge'],
} as const satisfies Table

export const cardPaymentsProjection: Projection = {
  name: 'card-payments',
  version: 1,
  tables: [cardHooks, cardCharges],
  on: {
    CardProcessorConnected: ({ stream, data }) => put(cardHooks, { hook_id: data.hookId, account_id: idOf(stream) }),
    // Whoever is disconnected is found all the same, and has no secret any more that anything could be signed with.
    CardProcessorDisconnected: ({ stream, data }) => put(cardHooks, { hook_id: data.hookId, account_id: idOf(stream) }),
    CardPaymentReported: ({ stream, data }) =>
      put(cardCharges, { card_payment_id: idOf(stream), account_id: data.accountId, charge: data.paymentId }),
  },
}

export const cardPaymentQueries = (sql: Sql) => ({
  /** The seller whose processor reports to an address. */
  async cardHookOwner(hookId: string): Promise<string | undefined> {
    const [row] = await sql<{ id: string }[]>`select account_id as id from card_hooks where hook_id = ${hookId}`
    return row?.id
  },
  /** The card payment that a charge was made for. */
  async cardPaymentOf(accountId: string, charge: string): Promise<string | undefined> {
    const [row] = await sql<{ id: string }[]>`
      select card_payment_id as id from card_charges where account_id = ${accountId} and charge = ${charge}`
    return row?.id
  },
})
