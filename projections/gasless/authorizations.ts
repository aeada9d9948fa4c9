import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** Signed payments and how far they are: what a relayer still has to carry out. */

const authorizations = {
  name: 'authorizations',
  columns: {
    id: 'text',
    account_id: 'text',
    res_id: 'text',
    challenge_id: 'text',
    network: 'text',
    payer: 'text',
    status: 'text',
    accepted_at: 'text',
  },
  key: ['id'],
  indexes: ['network, status, accepted_at'],
} as const satisfies Table

export const authorizationsProjection: Projection = {
  name: 'authorizations',
  version: 2,
  tables: [authorizations],
  on: {
    AuthorizationAccepted: ({ stream, at, data }) =>
      put(authorizations, {
        id: idOf(stream),
        account_id: data.accountId,
        res_id: data.resId,
        challenge_id: data.challengeId,
        network: data.authorization.network,
        payer: data.authorization.from,
        status: 'accepted',
        accepted_at: at,
      }),
    AuthorizationSettled: ({ stream }) => patch(authorizations, [idOf(stream)], () => ({ status: 'settled' })),
    AuthorizationReversed: ({ stream }) => patch(authorizations, [idOf(stream)], () => ({ status: 'failed' })),
    AuthorizationFailed: ({ stream }) => patch(authorizations, [idOf(stream)], () => ({ status: 'failed' })),
  },
}

export const authorizationQueries = (sql: Sql) => ({
  /** Ids of authorizations that have neither settled nor failed, the oldest first. */
  async openAuthorizations(network: string, limit: number): Promise<string[]> {
    const rows = await sql<{ id: string }[]>`
      select id from authorizations where network = ${network} and status = 'accepted'
      order by accepted_at, id limit ${limit}`
    return rows.map(({ id }) => id)
  },
})
