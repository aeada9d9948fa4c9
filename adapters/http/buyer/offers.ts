import { z } from 'zod'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { landerAt, makeOffer, type OfferWish } from '../../../domain/use-cases/storefront/make-offer.ts'
import type { Queries } from '../../../projections/index.ts'
import { CurrencyCode, FiatAmount, fiatUnits } from '../agent/common/amounts.ts'
import { CheckoutName } from '../agent/common/checkout-shape.ts'
import { endpoint } from '../core/endpoint.ts'

/** Offers that visitors of a lander make, where its seller takes them (S-LAN-06, N-46). */

/** Offers of one lander that the seller has not looked at; the next ones wait until they have. */
const NEW_OFFERS_MAX = 1_000
const EMAIL_MAX = 254
const MESSAGE_MAX = 2_000

/** The fields that a visitor fills in beside the amount. */
export const offerFields = {
  currency: CurrencyCode.optional(),
  email: z.email().max(EMAIL_MAX),
  message: z.string().max(MESSAGE_MAX).default(''),
}

const offer = endpoint({
  method: 'post',
  path: '/l/:slug/offers',
  summary: 'Offer another price for what a landing page sells, in its currency unless another is named',
  auth: 'none',
  limits: { keyless: true },
  params: z.object({ slug: CheckoutName }),
  body: z.strictObject({ amount: FiatAmount, ...offerFields }),
  returns: z.object({ offer_id: z.int(), status: z.literal('new') }),
  refusals: ['lander-not-found', 'too-many-entries', 'unavailable'],
  async answer({ params: { slug }, body: { amount, currency, ...rest }, flow, queries }) {
    const number = await takeOffer(flow, queries, slug, { ...rest, currency, amount: fiatUnits(amount) })
    return { offer_id: Number(number), status: 'new' as const }
  },
})

/**
 * Answers the number of the offer. Refuses `lander-not-found`, also where no offers are taken, and `too-many-entries`.
 */
export const takeOffer = async (
  flow: UseCaseContext,
  queries: Queries,
  named: string,
  wish: OfferWish,
): Promise<string> => {
  const visited = await landerAt(flow, named)
  if (!visited?.lander.acceptsOffers)
    return refuse('lander-not-found', 'No offers are taken here. Pay the price on the page, or ask the seller.')
  const { checkout, lander } = visited
  if ((await queries.newOfferCount(checkout.accountId, lander.landerId)) >= NEW_OFFERS_MAX)
    return refuse('too-many-entries', 'There are many offers already. Please come back later.')
  return makeOffer(flow, visited, wish)
}

export const offerEndpoints = [offer]
