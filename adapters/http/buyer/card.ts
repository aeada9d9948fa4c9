import { z } from 'zod'
import { isRefusal } from '../../../domain/kernel/refusal.ts'
import { type CardCheckout, payByCard } from '../../../domain/use-cases/card/pay.ts'
import { type CardOutcome, lookAtCheckout } from '../../../domain/use-cases/card/settle.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { endpoint } from '../core/endpoint.ts'
import { networkMark } from '../core/network-of.ts'
import { chosenAmount, needsAmount, offersCard } from './choice.ts'
import { type Door, doors, type SaleItem } from './doors.ts'
import { noneLeft, pathOf, seeOther } from './paths.ts'
import { shopOf } from './shop.ts'
import { paymentOf } from './watch-card.ts'

/**
 * Paying by card at the three doors (N-31): a link leads to the page of the seller's own processor, and that leads
 * back. A link and not a form, so that our pages need allow no other place to send forms to.
 */

const common = {
  auth: 'none',
  page: true,
  ignores: 'query',
  method: 'get',
  waits: 'before',
  limits: { keyless: true },
  params: z.object({ id: z.string().max(64) }),
  returns: z.string(),
  produces: 'text/html',
} as const

const refusals = [
  'resource-not-found',
  'request-not-found',
  'state-forbids',
  'busy',
  'unavailable',
  'rate-limited',
] as const

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
    async answer({ params, query, ip, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const path = pathOf(door, params.id)
      const checkout = await checkoutFor(flow, sold, path, { ...query, network: networkMark(flow, ip) }).catch(noneLeft)
      return checkout?.url ? seeOther(checkout.url) : seeOther(path, checkout && { card: checkout.id })
    },
  })

const back = (door: Door) =>
  endpoint({
    ...common,
    path: door.path,
    when: { card: true },
    limits: { keyless: true, pays: true },
    summary: 'The page of one payment by card, to which the processor leads back: what became of it',
    query: z.object({ card: z.string().max(64) }),
    refusals: ['challenge-not-found', ...refusals],
    async answer({ params, query: { card: id }, languages, flow, queries }) {
      const sold = await door.find(params.id, flow, queries)
      const { status } = await paymentOf(flow, sold, id)
      // What was told of and is not booked yet is booked here: whoever was told may have died meanwhile.
      const outcome = status === 'open' || status === 'reported' ? await heardOf(flow, id) : 'waiting'
      // The payment has changed what is for sale.
      const isTaken = outcome === 'settled' || outcome === 'doubled'
      const now = isTaken ? await door.find(params.id, flow, queries) : sold
      return (await shopOf(flow, queries, { path: pathOf(door, params.id), sold: now, languages })).watched(id, {})
    },
  })

type CardChoice = { readonly amount?: string | undefined; readonly visit: string; readonly network: string }

/** The page of the processor; undefined when a card cannot be chosen: our own page says why. */
const checkoutFor = async (
  flow: UseCaseContext,
  sold: SaleItem,
  path: string,
  { amount: typed, visit, network }: CardChoice,
): Promise<CardCheckout | undefined> => {
  const wanted = needsAmount(sold) ? chosenAmount(typed) : undefined
  if (!sold.card || !(await offersCard(flow, sold, wanted))) return undefined
  const { accountId, amount, currency, test } = sold
  return payByCard(flow, {
    ...sold.card,
    accountId,
    currency,
    test,
    amount: amount ?? String(wanted),
    origin: originOf(sold, wanted, visit || flow.world.id('v')),
    back: `${flow.origins.pay}${path}`,
    network,
  })
}

/**
 * The origin under which card pages follow each other, one at a time. A sale that takes one payment has one origin, or
 * one for each amount where its payers choose it, so that nobody uses up the pages of another amount; a thing that is
 * sold again and again has one for each visit.
 */
const originOf = ({ id, amount, shared }: SaleItem, wanted: bigint | undefined, visit: string): string => {
  if (!shared) return `${id} ${visit}`
  return amount === null ? `${id} ${wanted}` : id
}

/** Asks the processor while nothing is known; what it does not say now, it reports by itself as soon as it can. */
const heardOf = (flow: UseCaseContext, id: string): Promise<CardOutcome> =>
  lookAtCheckout(flow, id).catch((error: unknown) => {
    if (!isRefusal(error, 'unavailable', 'state-forbids')) throw error
    return 'waiting'
  })

export const cardPageEndpoints = doors.flatMap((door) => [go(door), back(door)])
