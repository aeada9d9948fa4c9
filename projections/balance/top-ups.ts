import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, plus, put, type Row, type Table } from '../engine/projection.ts'

/** Top-ups of user balances that apps have started, each with what has settled (A-TOP-01 to A-TOP-03). */

const topUps = {
  name: 'top_ups',
  columns: {
    top_up_id: 'text',
    client_id: 'text',
    sub: 'text',
    request_id: 'text',
    amount: 'numeric',
    settled: 'numeric',
    status: 'text',
    created_at: 'text',
    expires_at: 'text',
    completed_at: 'text',
  },
  key: ['top_up_id'],
  indexes: ['client_id, created_at desc, top_up_id'],
} as const satisfies Table

export const topUpsProjection: Projection = {
  name: 'top_ups',
  version: 2,
  tables: [topUps],
  on: {
    TopUpStarted: ({ stream, at, data }) =>
      put(topUps, {
        top_up_id: idOf(stream),
        client_id: data.clientId,
        sub: null,
        request_id: null,
        amount: data.amount,
        settled: '0',
        status: 'started',
        created_at: at,
        expires_at: data.expiresAt,
        completed_at: null,
      }),
    TopUpAccepted: ({ stream, data }) =>
      patch(topUps, [idOf(stream)], () => ({
        status: 'accepted',
        sub: data.sub,
        request_id: data.requestId,
        expires_at: data.expiresAt,
      })),
    TopUpSettled: ({ data }) =>
      patch(topUps, [data.topUpId], ({ settled, ...row }) => ({
        settled: plus(settled, data.total),
        ...(data.short ? underpaid(row) : { status: 'completed', completed_at: row.completed_at ?? data.settledAt }),
      })),
    TopUpReversed: ({ data }) =>
      patch(topUps, [data.topUpId], (row) => {
        const settled = plus(row.settled, -BigInt(data.total))
        return { settled, status: BigInt(settled) > 0n ? 'underpaid' : 'accepted', completed_at: null }
      }),
  },
}

const underpaid = ({ status }: Row): Row => (status === 'completed' ? {} : { status: 'underpaid' })

/** Amounts are millionths of a US dollar. `topUpStatusAt` tells the status at a time. */
export type TopUpRow = {
  topUpId: string
  clientId: string
  sub: string | null
  requestId: string | null
  amount: string
  settled: string
  status: 'started' | 'accepted' | 'underpaid' | 'completed'
  createdAt: string
  expiresAt: string
  completedAt: string | null
}

export const topUpQueries = (sql: Sql) => {
  const columns = sql`
    top_up_id as "topUpId", client_id as "clientId", sub, request_id as "requestId", amount::text, settled::text, status,
    created_at as "createdAt", expires_at as "expiresAt", completed_at as "completedAt"`
  return {
    async topUp(topUpId: string): Promise<TopUpRow | undefined> {
      const [row] = await sql<TopUpRow[]>`select ${columns} from top_ups where top_up_id = ${topUpId}`
      return row
    },
    /** The top-ups of an app, newest first. */
    topUpsOfApp: (clientId: string, limit: number, offset = 0): Promise<TopUpRow[]> => sql<TopUpRow[]>`
      select ${columns} from top_ups where client_id = ${clientId}
      order by created_at desc, top_up_id limit ${limit} offset ${offset}`,
  }
}
