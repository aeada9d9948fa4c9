import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, plus, put, type Table } from '../engine/projection.ts'

/** Payments that apps wanted of users, each with what became of it (A-INT-01 to A-INT-06). */

const intents = {
  name: 'intents',
  columns: {
    intent_id: 'text',
    sub: 'text',
    client_id: 'text',
    amount: 'numeric',
    currency: 'text',
    description: 'text',
    status: 'text',
    created_at: 'text',
    expires_at: 'text',
    confirmed_at: 'text',
    code_expires_at: 'text',
    completed_at: 'text',
    ledger_ref: 'text',
    refunded: 'numeric',
  },
  key: ['intent_id'],
  indexes: ['client_id, created_at desc, intent_id'],
} as const satisfies Table

export const intentsProjection: Projection = {
  name: 'intents',
  version: 1,
  tables: [intents],
  on: {
    IntentCreated: ({ stream, at, data }) =>
      put(intents, {
        intent_id: idOf(stream),
        sub: data.sub,
        client_id: data.clientId,
        amount: data.amount,
        currency: data.currency,
        description: data.description,
        status: 'pending',
        created_at: at,
        expires_at: data.expiresAt,
        confirmed_at: null,
        code_expires_at: null,
        completed_at: null,
        ledger_ref: null,
        refunded: '0',
      }),
    IntentConfirmed: ({ stream, at, data }) =>
      patch(intents, [idOf(stream)], () => ({
        status: 'confirmed',
        confirmed_at: at,
        code_expires_at: data.codeExpiresAt,
      })),
    IntentDeclined: ({ stream }) => patch(intents, [idOf(stream)], () => ({ status: 'declined' })),
    IntentCompleted: ({ stream, data }) =>
      patch(intents, [idOf(stream)], () => ({
        status: 'completed',
        completed_at: data.completedAt,
        ledger_ref: data.ledgerRef,
      })),
    IntentRefundRequested: ({ stream, data }) =>
      patch(intents, [idOf(stream)], ({ refunded }) => ({ refunded: plus(refunded, data.amount) })),
  },
}

/** Amounts are millionths of a US dollar. `intentStatusAt` tells the status at a time. */
export type IntentRow = {
  intentId: string
  sub: string
  clientId: string
  amount: string
  currency: string
  /** The description, sealed. */
  description: string
  status: 'pending' | 'confirmed' | 'declined' | 'completed'
  createdAt: string
  expiresAt: string
  confirmedAt: string | null
  codeExpiresAt: string | null
  completedAt: string | null
  ledgerRef: string | null
  refunded: string
}

export const intentQueries = (sql: Sql) => {
  const columns = sql`
    intent_id as "intentId", sub, client_id as "clientId", amount::text, currency, description, status, created_at as "createdAt",
    expires_at as "expiresAt", confirmed_at as "confirmedAt", code_expires_at as "codeExpiresAt", completed_at as "completedAt",
    ledger_ref as "ledgerRef", refunded::text`
  return {
    async intent(intentId: string): Promise<IntentRow | undefined> {
      const [row] = await sql<IntentRow[]>`select ${columns} from intents where intent_id = ${intentId}`
      return row
    },
    /** The intents of an app, newest first. */
    intentsOfApp: (clientId: string, limit: number): Promise<IntentRow[]> => sql<IntentRow[]>`
      select ${columns} from intents where client_id = ${clientId} order by created_at desc, intent_id limit ${limit}`,
  }
}
