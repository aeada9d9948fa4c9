import type { Sql } from 'postgres'
import { idOf } from '../domain/policy.ts'
import { type Projection, patch, put, type Table } from './projection.ts'

/** Every challenge, one row each: what it asks for, where, and whether it was paid. The chain watch reads its addresses here. */

const challenges = {
  name: 'challenges',
  columns: {
    challenge_id: 'text',
    account_id: 'text',
    res_id: 'text',
    asset: 'text',
    network: 'text',
    pay_to: 'text',
    amount: 'numeric',
    status: 'text',
    expires_at: 'text',
    opened_at: 'text',
  },
  key: ['challenge_id'],
  indexes: ['network, expires_at', 'res_id'],
} as const satisfies Table

export const challengesProjection: Projection = {
  name: 'challenges',
  version: 1,
  tables: [challenges],
  on: {
    ChallengeOpened: ({ stream, at, data }) =>
      data.entries.map((entry) =>
        put(challenges, {
          challenge_id: `${idOf(stream)}.${entry.asset}`,
          account_id: data.accountId,
          res_id: data.resId,
          asset: entry.asset,
          network: entry.network,
          pay_to: entry.payTo,
          amount: entry.amount,
          status: 'open',
          expires_at: data.expiresAt,
          opened_at: at,
        }),
      ),
    PaymentDetected: ({ data }) => patch(challenges, [data.challengeId], () => ({ status: 'pending' })),
    ChallengeSettled: ({ data }) => patch(challenges, [data.challengeId], () => ({ status: 'settled' })),
  },
}

export const challengeQueries = (sql: Sql) => ({
  /** Addresses that a payment may still arrive on: those of challenges that expire after `since`. */
  async watchedAddresses(network: string, since: string): Promise<string[]> {
    const rows = await sql<{ pay_to: string }[]>`
      select distinct pay_to from challenges where network = ${network} and expires_at > ${since}`
    return rows.map(({ pay_to }) => pay_to)
  },
})
