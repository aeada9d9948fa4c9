import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import type { LanderFacts } from '../../domain/storefront/landers.ts'
import { ownedBy, type RowOwner } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/**
 * Landing pages, as their sellers list them. The payment links that they are for are in the rows of checkouts.
 */

const landers = {
  name: 'landers',
  columns: {
    account_id: 'text',
    lander_id: 'integer',
    checkout_id: 'text',
    tpl: 'text',
    headline: 'text',
    subline: 'text',
    image: 'text',
    body: 'text',
    accepts_offers: 'boolean',
    deleted: 'boolean',
    made_at: 'text',
    edited_at: 'text',
  },
  key: ['account_id', 'lander_id'],
  indexes: ['checkout_id', 'deleted, made_at desc'],
} as const satisfies Table

export const landersProjection: Projection = {
  name: 'landers',
  version: 1,
  tables: [landers],
  on: {
    LanderCreated: ({ stream, data: { landerId, checkoutId, tpl, createdAt } }) =>
      put(landers, {
        account_id: idOf(stream),
        lander_id: landerId,
        checkout_id: checkoutId,
        tpl,
        headline: '',
        subline: '',
        image: null,
        body: '',
        accepts_offers: false,
        deleted: false,
        made_at: createdAt,
        edited_at: createdAt,
      }),
    LanderChanged: ({ stream, data: { landerId, changedAt, acceptsOffers, tpl, headline, subline, image, body } }) =>
      patch(landers, [idOf(stream), landerId], () => ({
        tpl,
        headline,
        subline,
        image,
        body,
        accepts_offers: acceptsOffers,
        edited_at: changedAt,
      })),
    LanderDeleted: ({ stream, data }) => patch(landers, [idOf(stream), data.landerId], () => ({ deleted: true })),
  },
}

export type LanderRow = LanderFacts & {
  landerId: number
  checkoutId: string
  /** The slug, title and store of its payment link. */
  slug: string
  title: string
  storeId: number
  /** Whether its payment link is there: when that was deleted, nobody sees the lander. */
  active: boolean
  createdAt: string
  changedAt: string
}

export const landerQueries = (sql: Sql) => {
  const rows = sql`
    select lander_id as "landerId", checkout_id as "checkoutId", slug, title, store_id as "storeId", not checkouts.deleted as active,
      tpl, headline, subline, image, body, accepts_offers as "acceptsOffers", made_at as "createdAt", edited_at as "changedAt"
    from landers join checkouts using (account_id)`
  const theirs = (owned: RowOwner) => sql`number = checkout_id and not landers.deleted and ${ownedBy(sql, owned)}`
  return {
    /** The landers of an account, newest first. */
    landers: (owned: RowOwner, limit: number): Promise<LanderRow[]> =>
      sql<LanderRow[]>`${rows} where ${theirs(owned)} order by lander_id desc limit ${limit}`,
    async lander(owned: RowOwner, landerId: number): Promise<LanderRow | undefined> {
      const [row] = await sql<LanderRow[]>`${rows} where ${theirs(owned)} and lander_id = ${landerId}`
      return row
    },
  }
}
