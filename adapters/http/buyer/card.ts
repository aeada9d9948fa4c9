import { z } from 'zod'
import { type CardPayment, hasMoney, isCardPaymentId } from '../../../domain/card/payment.ts'
import { type CardCheckout, payByCard } from '../../../domain/flows/card/pay.ts'
import { lookAtCheckout } from '../../../domain/flows/card/settle.ts'
import type { Flow } from '../../../domain/flows/flow.ts'
import { isRefusal, refuse } from '../../../domain/refusal.ts'
import { endpoint } from '../endpoint.ts'
import { offersCard } from './card-offer.ts'
import { chosenAmount, needsAmount } from './choice.ts'
import { type Door, doors, type Sold } from './doors.ts'
import { pathOf, seeOther } from './paths.ts'
import { shopOf } from './shop.ts'

/**
 * Paying by card at the three doors (N-31): a link leads to the page of the seller's own processor, and that leads back. A link and not a form,
 * so that our pages need allow no other place to send forms to.
 */

const common = {
  auth: 'none',
  page: true,
  method: 'get',
  showsLater: true,
  perAddress: true,
  params: z.object({ id: z.string().max(64) }),
  returns: z.string(),
  produces: 'text/html',
} as const

const refusals = ['resource-not-found', 'request-not-found', 'state-forbids', 'busy', 'unavailable'] as const

const go = (door: Door) =>
  endpoint({
    ...common,
    path: door.path,
    when: { pay: 'card' },
    summary: 'Paying by card is chosen: leads to the page of the seller’s card processor',
    acts: true,
    query: z.object({
      pay: z.literal('card'),
      amount: z.string().max(20).optional(),
      visit: z.string().max(40).default(''),
    }),
    otherwise: {
      303: { description: 'The page of the card processor, or that of the payment when it is made already' },
    },
    refusals,
    async answer({ params, query, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const path = pathOf(door, params.id)
      const checkout = await checkoutFor(flow, sold, path, query)
      return checkout?.url ? seeOther(checkout.url) : seeOther(path, checkout && { card: checkout.id })
    },
  })

const back = (door: Door) =>
  endpoint({
    ...common,
    path: door.path,
    when: { card: true },
    summary: 'The page of one payment by card, to which the processor leads back: what became of it',
    query: z.object({ card: z.string().max(64) }),
    refusals: ['challenge-not-found', ...refusals],
    async answer({ params, query: { card: id }, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const payment = isCardPaymentId(id) ? await flow.ledger.cardPayment.read(id) : undefined
      if (payment?.status === undefined || payment.status === 'none' || !isOf(sold, payment))
        return refuse('challenge-not-found', 'No such payment.')
      if (!hasMoney(payment))
        await lookAtCheckout(flow, id).catch((error: unknown) => {
          // The processor tells it by itself as soon as it can.
          if (!isRefusal(error, 'unavailable', 'state-forbids')) throw error
        })
      // What is for sale has changed by what was just paid.
      const now = await door.find(params.id, flow, queries)
      return (await shopOf(flow, queries, pathOf(door, params.id), now)).watched(id, undefined)
    },
  })

/** Undefined when it cannot be chosen: the page says why. */
const checkoutFor = async (
  flow: Flow,
  sold: Sold,
  path: string,
  { amount: typed, visit }: { readonly amount?: string | undefined; readonly visit: string },
): Promise<CardCheckout | undefined> => {
  const wanted = needsAmount(sold) ? chosenAmount(typed) : undefined
  if (!sold.card || !(await offersCard(flow, sold, wanted))) return undefined
  const { accountId, amount, currency, test, shared } = sold
  return payByCard(flow, {
    ...{ ...sold.card, accountId, currency, test, amount: amount ?? String(wanted) },
    origin: shared ? sold.id : `${sold.id} ${visit || flow.world.id('v')}`,
    back: `${flow.origins.pay}${path}`,
  })
}

const isOf = (sold: Sold, { resId, paymentRequest }: CardPayment): boolean =>
  paymentRequest ? paymentRequest.requestId === sold.id : resId === sold.id

export const cardPageEndpoints = doors.flatMap((door) => [go(door), back(door)])
