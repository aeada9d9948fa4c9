import type { Sql } from 'postgres'
import { idOf } from '../domain/policy.ts'
import { type Projection, patch, type Table, upsert } from './projection.ts'

/** The receive addresses of each seller. */

const wallets = {
  name: 'wallets',
  columns: { account_id: 'text', asset: 'text', addresses: 'json', active: 'boolean' },
  key: ['account_id', 'asset'],
} as const satisfies Table

export const walletsProjection: Projection = {
  name: 'wallets',
  version: 1,
  tables: [wallets],
  on: {
    WalletAddressSet: ({ stream, data }) =>
      upsert(wallets, { account_id: idOf(stream), asset: data.asset, addresses: [], active: true }, () => ({
        addresses: data.addresses,
      })),
    WalletPaused: ({ stream, data }) => patch(wallets, [idOf(stream), data.asset], () => ({ active: false })),
    WalletResumed: ({ stream, data }) => patch(wallets, [idOf(stream), data.asset], () => ({ active: true })),
  },
}

export type WalletRow = { asset: string; addresses: string[]; active: boolean }

export const walletQueries = (sql: Sql) => ({
  wallets: (accountId: string): Promise<WalletRow[]> => sql<WalletRow[]>`
    select asset, addresses, active from wallets where account_id = ${accountId} order by asset`,
})
