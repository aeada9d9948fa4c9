import type { Fragment, Sql } from 'postgres'

/** A condition on `store_id`: one of these stores, or any when none are given (J-AUTH-04). */
export const ofStores = (sql: Sql, stores: readonly number[] | undefined): Fragment =>
  stores === undefined ? sql`true` : stores.length === 0 ? sql`false` : sql`store_id in ${sql(stores)}`

/** The owner of rows: an account, or only some of its stores when they are given. */
export type RowOwner = { readonly accountId: string; readonly stores?: readonly number[] | undefined }

export const ownedBy = (sql: Sql, { accountId, stores }: RowOwner): Fragment =>
  sql`account_id = ${accountId} and ${ofStores(sql, stores)}`
