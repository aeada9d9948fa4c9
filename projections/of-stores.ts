import type { Fragment, Sql } from 'postgres'

/** A condition on `store_id`: one of these stores, or any when none are given (J-AUTH-04). */
export const ofStores = (sql: Sql, stores: readonly number[] | undefined): Fragment =>
  stores ? sql`store_id in ${sql(stores)}` : sql`true`
