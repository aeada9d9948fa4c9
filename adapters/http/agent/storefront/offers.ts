import { z } from 'zod'
import { openedText } from '../../../../domain/kernel/opened-text.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { OfferRow } from '../../../../projections/storefront/offers.ts'
import { inScope } from '../../core/actor.ts'
import { type Actor, endpoint } from '../../core/endpoint.ts'
import { fiatNumber } from '../common/amounts.ts'
import { page } from '../common/paging.ts'
import { OfferRecord, OfferStatus } from './lander-shape.ts'
import { LanderNumber, rowOwnerOf } from './landers.ts'

/** Offers that were made at landing pages, and what the seller makes of them (S-LAN-06). */

const list = endpoint({
  method: 'get',
  path: '/v1/landers',
  when: { offers: '1' },
  summary: 'Offers that were made at landing pages, newest first; with `lander_id` those of one',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'offers.manage' },
  query: z.object({ offers: z.literal('1'), lander_id: LanderNumber.optional(), ...page.query }),
  returns: z.object({ offers: z.array(OfferRecord) }),
  refusals: ['lander-not-found'],
  async answer({ query: { lander_id, ...query }, actor, flow, queries }) {
    const { limit, offset } = page.of(query)
    if (lander_id !== undefined && !(await queries.lander(rowOwnerOf(actor), lander_id)))
      return refuse('lander-not-found')
    const rows = await queries.offers(rowOwnerOf(actor), lander_id, limit, offset)
    return { offers: await Promise.all(rows.map((row) => shown(flow, row))) }
  },
})

const setStatus = endpoint({
  method: 'put',
  path: '/v1/landers',
  when: { offer_id: true },
  summary: 'Say what became of an offer',
  auth: 'key',
  reach: 'store',
  callers: { capability: 'offers.manage' },
  query: z.object({
    offer_id: z.string().regex(/^\d{1,16}$/, 'has to be the number of an offer'),
    offer_status: OfferStatus,
    lander_id: LanderNumber.optional(),
  }),
  body: z.strictObject({}),
  returns: z.object({ updated: z.literal(true), offer_id: z.int() }),
  refusals: ['offer-not-found'],
  async answer({ query: { offer_id, offer_status: status, lander_id }, actor, flow }) {
    await mustBeOwn(flow, actor, offer_id, lander_id)
    await flow.ledger.offer.setStatus(offer_id, { accountId: actor.accountId, status })
    return { updated: true as const, offer_id: Number(offer_id) }
  },
})

/** An offer belongs to the store of the payment link that it is for. */
const mustBeOwn = async ({ ledger }: UseCaseContext, actor: Actor, offerId: string, landerId: number | undefined) => {
  const offer = await ledger.offer.read(offerId)
  if (offer.status === 'none' || offer.accountId !== actor.accountId) return noOffer()
  if (landerId !== undefined && offer.landerId !== landerId) return noOffer()
  if (actor.storeScope === undefined) return
  const checkout = await ledger.checkout.read(offer.checkoutId)
  if (checkout.status === 'none' || !inScope(actor, checkout.storeId)) noOffer()
}

const noOffer = () => refuse('offer-not-found')

const shown = async ({ vault }: UseCaseContext, row: OfferRow): Promise<z.input<typeof OfferRecord>> => ({
  id: Number(row.offerId),
  lander_id: row.landerId,
  checkout_id: Number(row.checkoutId),
  amount: fiatNumber(row.amount),
  currency: row.currency,
  email: await openedText(vault, row.email),
  message: row.message === null ? '' : await openedText(vault, row.message),
  status: row.status,
  created_at: row.createdAt,
})

export const offerEndpoints = [list, setStatus]
