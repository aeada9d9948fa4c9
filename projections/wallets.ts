import type { Sql } from 'postgres'
import { idOf } from '../domain/policy.ts'
import { type Projection, patch, type Table, upsert } from './projection.ts'

/** The receive addresses of each seller. */

const wallets = {
  name: 'wallets',
  columns: { account_id: 'text', asset: 'text', addresses: 'json', active: 'boolean', removed: 'boolean' },
  key: ['account_id', 'asset'],
} as const satisfies Table

export const walletsProjection: Projection = {
  name: 'wallets',
  version: 2,
  tables: [wallets],
  on: {
    WalletAddressSet: ({ stream, data }) =>
      upsert(wallets, { ...fresh, account_id: idOf(stream), asset: data.asset }, () => ({
        addresses: data.addresses,
        removed: false,
      })),
    WalletPaused: ({ stream, data }) => patch(wallets, [idOf(stream), data.asset], () => ({ active: false })),
    WalletResumed: ({ stream, data }) => patch(wallets, [idOf(stream), data.asset], () => ({ active: true })),
    WalletRemoved: ({ stream, data }) =>
      patch(wallets, [idOf(stream), data.asset], () => ({ ...fresh, removed: true })),
  },
}

/** A coin that is set again begins anew. */
const fresh = { addresses: [], active: true, removed: false }

export type WalletRow = { asset: string; addresses: string[]; active: boolean }

export const walletQueries = (sql: Sql) => ({
  wallets: (accountId: string): Promise<WalletRow[]> => sql<WalletRow[]>`
    select asset, addresses, active from wallets where account_id = ${accountId} and not removed order by asset`,
})
