import type { Sql } from 'postgres'
import { idOf } from '../../domain/kernel/decider.ts'
import type { OfferStatus } from '../../domain/storefront/offer.ts'
import { ownedBy, type RowOwner } from '../engine/of-stores.ts'
import { type Projection, patch, put, type Table } from '../engine/projection.ts'

/** The offers of visitors at landers, as sellers list them (R-26). Who offered, and what they said, is sealed. */

const offers = {
  name: 'offers',
  columns: {
    offer_id: 'text',
    account_id: 'text',
    lander_id: 'integer',
    checkout_id: 'text',
    amount: 'numeric',
    currency: 'text',
    email: 'text',
    message: 'text',
    status: 'text',
    offered_at: 'text',
  },
  key: ['offer_id'],
  indexes: ['account_id, lander_id, status', 'account_id, offered_at desc'],
} as const satisfies Table

export const offersProjection: Projection = {
  name: 'offers',
  version: 1,
  tables: [offers],
  on: {
    OfferMade: ({ stream, data }) =>
      put(offers, {
        offer_id: idOf(stream),
        account_id: data.accountId,
        lander_id: data.landerId,
        checkout_id: data.checkoutId,
        amount: data.amount,
        currency: data.currency,
        email: data.email,
        message: data.message,
        status: 'new',
        offered_at: data.madeAt,
      }),
    OfferStatusChanged: ({ stream, data }) => patch(offers, [idOf(stream)], () => ({ status: data.status })),
  },
}

export type OfferRow = {
  offerId: string
  landerId: number
  checkoutId: string
  /** The price that is offered, in millionths of the currency. */
  amount: string
  currency: string
  email: string
  message: string | null
  status: OfferStatus
  createdAt: string
}

export const offerQueries = (sql: Sql) => ({
  /**
   * Offers, newest first; only those of one lander when it is given. The store of an offer is that of its payment link.
   */
  offers: (owned: RowOwner, landerId: number | undefined, limit: number, offset: number): Promise<OfferRow[]> =>
    sql<OfferRow[]>`
      select offer_id as "offerId", lander_id as "landerId", checkout_id as "checkoutId", amount::text, offers.currency, email,
        message, status, offered_at as "createdAt"
      from offers join checkouts using (account_id)
      where number = checkout_id and ${ownedBy(sql, owned)} and ${landerId === undefined ? sql`true` : sql`lander_id = ${landerId}`}
      order by offered_at desc, offer_id limit ${limit} offset ${offset}`,
  async newOfferCount(accountId: string, landerId: number): Promise<number> {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from offers where account_id = ${accountId} and lander_id = ${landerId} and status = 'new'`
    return row?.count ?? 0
  },
})
