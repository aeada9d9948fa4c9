import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { type Projection, patch, type Table, upsert } from '../engine/projection.ts'

/** The receive addresses of each seller. */

const wallets = {
  name: 'wallets',
  columns: {
    account_id: 'text',
    asset: 'text',
    addresses: 'json',
    active: 'boolean',
    coin: 'text',
    removed: 'boolean',
  },
  key: ['account_id', 'asset'],
} as const satisfies Table

export const walletsProjection: Projection = {
  name: 'wallets',
  version: 3,
  tables: [wallets],
  on: {
    WalletAddressSet: ({ stream, data }) =>
      upsert(wallets, { ...fresh, account_id: idOf(stream), asset: data.asset }, () => ({
        addresses: data.addresses,
        coin: data.coin ?? null,
        removed: false,
      })),
    WalletPaused: ({ stream, data }) => patch(wallets, [idOf(stream), data.asset], () => ({ active: false })),
    WalletResumed: ({ stream, data }) => patch(wallets, [idOf(stream), data.asset], () => ({ active: true })),
    WalletRemoved: ({ stream, data }) =>
      patch(wallets, [idOf(stream), data.asset], () => ({ ...fresh, removed: true })),
  },
}

/** The values with which a wallet begins, also when it is set again after its removal. */
const fresh = { addresses: [], active: true, coin: null, removed: false }

export type WalletRow = { asset: string; addresses: string[]; active: boolean }

export const walletQueries = (sql: Sql) => ({
  /** The wallets of an account, without those of deleted custom tokens. */
  wallets: (accountId: string): Promise<WalletRow[]> => sql<WalletRow[]>`
    select asset, addresses, active from wallets w where account_id = ${accountId} and not removed and (coin is null or exists (
      select from custom_tokens t where t.account_id = w.account_id and t.code = w.asset and not t.deleted
        and t.network || ':' || t.contract = w.coin))
    order by asset`,
})
