import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import { shopHandle } from '../../domain/storefront/shop.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The stores that the public can visit, by their handles. */

const shops = {
  name: 'shops',
  columns: { account_id: 'text', store_id: 'integer', handle: 'text', open: 'boolean' },
  key: ['account_id', 'store_id'],
  indexes: ['handle'],
} as const satisfies Table

export const shopsProjection: Projection = {
  name: 'shops',
  version: 1,
  tables: [shops],
  on: {
    StoreCreated: ({ stream, data: { storeId } }) =>
      put(shops, {
        account_id: idOf(stream),
        store_id: storeId,
        handle: shopHandle(idOf(stream), storeId),
        open: true,
      }),
    StoreStatusSet: ({ stream, data: { storeId, status } }) =>
      patch(shops, [idOf(stream), storeId], () => ({ open: status === 'active' })),
    StoreDeleted: ({ stream, data: { storeId } }) => patch(shops, [idOf(stream), storeId], () => ({ open: false })),
  },
}

/**
 * `suspended`: an operator stopped its account, or its owner closed it; it sells nothing new, and goes on with what was
 * begun.
 */
export type ShopRow = { accountId: string; storeId: number; handle: string; suspended: boolean }

export const shopQueries = (sql: Sql) => ({
  /** The shop of a handle; undefined when it is not there, inactive or deleted. */
  async shop(handle: string): Promise<ShopRow | undefined> {
    const [row] = await sql<ShopRow[]>`
      select s.account_id as "accountId", s.store_id as "storeId", s.handle, (a.suspended is not null or a.closed) as suspended
      from shops s left join accounts a using (account_id) where s.handle = ${handle} and s.open`
    return row
  },
})
