import { z } from 'zod'
import type { Flow } from '../../../domain/flows/flow.ts'
import type { Once } from '../../../domain/flows/once.ts'
import { coinsOf, openRequest } from '../../../domain/flows/open-request.ts'
import { quote } from '../../../domain/flows/quote.ts'
import { isRefusal, refuse } from '../../../domain/refusal.ts'
import { type Checkout, isNamed, numberNamed } from '../../../domain/sell/checkout.ts'
import { inStore } from '../../../domain/sell/in-store.ts'
import { landerFor } from '../../../domain/storefront/landers.ts'
import { fiatNumber } from '../agent/amounts.ts'
import { buyUrl, CheckoutName } from '../agent/checkout-shape.ts'
import { endpoint, Reply } from '../endpoint.ts'
import { buyPage, type Sale } from '../pages/buy.ts'
import { price, symbolOf } from '../pages/plain-words.ts'
import { missingPage } from '../pages/store/missing.ts'
import { faceOf } from './face.ts'

/**
 * Where a saved payment link is bought (M-CHK-01). Looking opens nothing; who buys gets a payment request of its own, and its page does the
 * rest. The link names what is sold, and nothing in the answers names the seller's account.
 */

/** How long a buyer has to pay: the documents' default for a payment request (N-40). */
const EXPIRY = '24h'

const common = {
  path: '/buy/:id',
  auth: 'none',
  params: z.object({ id: CheckoutName }),
  showsLater: true,
  refusals: ['checkout-not-found'],
} as const

const text = { returns: z.string(), produces: 'text/html' } as const
const page = { ...text, page: true } as const

const ForSale = z
  .object({
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    asset: z.string().nullable(),
    buy: z.object({ method: z.literal('POST'), url: z.url() }),
  })
  .meta({ id: 'ForSale', description: 'What is sold, and where it is bought: the answer leads to its payment door.' })

const look = endpoint({
  ...common,
  ...page,
  method: 'get',
  summary: 'The page at which a saved payment link is bought',
  async answer({ params: { id }, flow, queries }) {
    const sold = await found(flow, id)
    if (sold === undefined) return missingPage('product')
    const { face } = await faceOf(flow, queries, sold)
    const picture = landerFor(await flow.ledger.landers.recent(sold.accountId), sold.number)?.image ?? undefined
    const address = buyUrl(flow.origins.pay, sold.slug)
    return buyPage({ face, picture, address, origin: flow.origins.base, sold: await forSaleAt(flow, sold) })
  },
})

const tell = endpoint({
  ...common,
  method: 'get',
  summary: 'What a saved payment link sells, and how it is bought',
  query: z.object({ agent: z.string().max(8).optional() }),
  returns: ForSale,
  async answer({ params: { id }, flow }) {
    const { slug, title, description, price, currency, asset } = await soldAt(flow, id)
    const buy = { method: 'POST' as const, url: buyUrl(flow.origins.pay, slug) }
    return { slug, title, description, price: fiatNumber(price), currency, asset, buy }
  },
})

const buying = {
  ...common,
  method: 'post',
  perAddress: true,
  body: z.strictObject({}),
  otherwise: { 303: { description: 'The payment request that was opened for this buyer' } },
  refusals: [...common.refusals, 'unavailable'],
} as const

const buy = endpoint({
  ...buying,
  summary: 'Buy what a saved payment link sells: leads to the payment door of a fresh payment request',
  ...text,
  answer: ({ params: { id }, flow, once }) => bought(flow, once, id),
})

const buyOnPage = endpoint({
  ...buying,
  ...page,
  summary: 'A person buys what a saved payment link sells; leads to the page of a fresh payment request',
  answer: ({ params: { id }, flow, once }) => bought(flow, once, id),
})

const bought = async (flow: Flow, once: Once, named: string): Promise<Reply> => {
  const sold = await soldAt(flow, named)
  if (!(await isPayable(flow, sold))) return refuse('unavailable', 'The seller cannot receive payments right now.')
  const { accountId, title, price: amount, currency, asset, storeId, number: checkoutId } = sold
  const { requestId } = await openRequest(flow, once, {
    ...{ accountId, ...inStore(storeId), amount, assetAmount: null, currency, asset, checkoutId },
    ...{ title, note: '', redirect: '', externalReference: '', expiry: EXPIRY, webhookUrl: null, test: false },
  })
  return new Reply(303, '', { Location: `/id/${requestId}`, 'Cache-Control': 'no-store' })
}

type Sold = Checkout & { readonly number: string }

const soldAt = async (flow: Flow, named: string): Promise<Sold> =>
  (await found(flow, named)) ?? refuse('checkout-not-found', 'There is nothing to buy here.')

/** A deleted one is not found. */
const found = async ({ ledger }: Flow, named: string): Promise<Sold | undefined> => {
  const number = numberNamed(named)
  const state = number === undefined ? undefined : await ledger.checkout.recent(number)
  return number === undefined || state?.status !== 'saved' || !isNamed(state, named) ? undefined : { ...state, number }
}

/** As its pages show it. */
export const forSaleAt = async (flow: Flow, sold: Sold): Promise<Sale> => {
  const { title, description, asset, currency } = sold
  const symbol = asset === null ? undefined : symbolOf(asset)
  return { title, description, price: price(sold.price, currency), symbol, payable: await isPayable(flow, sold) }
}

/** Whether any of its coins can be received right now, so that nothing is opened that nobody could pay. */
const isPayable = async (flow: Flow, sold: Checkout): Promise<boolean> => {
  const { accountId, price: amount, currency } = sold
  const acceptedAssets = await coinsOf(flow.ledger, sold)
  const wish = { accountId, amount, assetAmount: null, currency, acceptedAssets, test: false }
  try {
    return (await quote(flow, wish)).length > 0
  } catch (error) {
    if (isRefusal(error, 'unavailable')) return false
    throw error
  }
}

export const buyEndpoints = [look, tell, buy, buyOnPage]
