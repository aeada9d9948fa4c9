import { z } from 'zod'
import { inStore } from '../../../domain/kernel/in-store.ts'
import { isRefusal, refuse } from '../../../domain/kernel/refusal.ts'
import { type Checkout, isNamed, numberNamed, optionWords } from '../../../domain/selling/checkout.ts'
import { discountedPrice } from '../../../domain/storefront/discounts.ts'
import { landerFor } from '../../../domain/storefront/landers.ts'
import { mustSell } from '../../../domain/use-cases/account/owner-keys.ts'
import { takesCard } from '../../../domain/use-cases/card/processor.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Once } from '../../../domain/use-cases/once.ts'
import { coinsOf, openRequest } from '../../../domain/use-cases/selling/challenges/open-request.ts'
import { quote } from '../../../domain/use-cases/selling/challenges/quote.ts'
import { mustBeInStock, stockOf } from '../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Queries } from '../../../projections/index.ts'
import type { CheckoutRow } from '../../../projections/selling/checkouts.ts'
import { marked } from '../agent/common/accepts.ts'
import { fiatNumber } from '../agent/common/amounts.ts'
import { buyUrl, CheckoutName } from '../agent/common/checkout-shape.ts'
import { FieldShown, shownFields } from '../agent/storefront/custom-fields.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import { price, symbolOf } from '../pages/plain-words.ts'
import {
  type AcceptedAnswers,
  type AnswerFaults,
  Answers,
  answersTyped,
  askingOf,
  asksOf,
  judgeAnswers,
  TypedAnswers,
  takesCodes,
} from '../pages/store/answers.ts'
import { buyPage, type SaleView } from '../pages/store/buy.ts'
import type { StoreLocale } from '../pages/store/messages/store-locale.ts'
import { missingPage } from '../pages/store/missing.ts'
import { faceOf } from './face.ts'

/**
 * The page at which a saved payment link is bought (M-CHK-01). Looking opens nothing; each buyer gets a payment request
 * of their own, and its page does the rest. The link names what is sold, and nothing in the answers names the seller's
 * account.
 */

/** The time that a buyer has to pay: the documents' default for a payment request (N-40). */
const EXPIRY = '24h'

const common = {
  path: '/buy/:id',
  ignores: 'query',
  auth: 'none',
  params: z.object({ id: CheckoutName }),
  waits: 'before',
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
    in_stock: z.boolean(),
    buy: z.object({ method: z.literal('POST'), url: z.url() }),
    fields: z.array(FieldShown).optional(),
    discount_codes: z.literal(true).optional(),
    pictures: z.array(z.string()).optional(),
    variants: z
      .array(z.object({ slug: z.string(), title: z.string(), price: z.number(), currency: z.string(), url: z.url() }))
      .optional(),
    test: z.literal(true).optional(),
  })
  .meta({ id: 'ForSale', description: 'What is sold, and where it is bought: the answer leads to its payment door.' })

const look = endpoint({
  ...common,
  ...page,
  method: 'get',
  summary: 'The page at which a saved payment link is bought',
  async answer({ params: { id }, flow, queries, languages }) {
    const sold = await found(flow, id)
    if (sold === undefined) return missingPage(languages, 'product')
    return pageOf({ flow, queries, languages }, sold)
  },
})

const tell = endpoint({
  ...common,
  method: 'get',
  summary: 'What a saved payment link sells, and how it is bought',
  query: z.object({ agent: z.string().max(8).optional() }),
  returns: ForSale,
  async answer({ params: { id }, flow, queries }) {
    const sold = await soldAt(flow, id)
    const variants = await siblingsOf(queries, sold)
    const { accountId, slug, title, description, price, currency, asset } = sold
    const asks = await asksOf(flow.ledger, accountId)
    const buy = { method: 'POST' as const, url: buyUrl(flow.origins.pay, slug) }
    return {
      slug,
      title,
      description,
      price: fiatNumber(price),
      currency,
      asset,
      in_stock: (await stockOf(flow, sold.number)).inStock,
      buy,
      ...(asks.fields.fields.length > 0 && { fields: shownFields(asks.fields) }),
      ...(takesCodes(asks) && { discount_codes: true as const }),
      ...(sold.pictures?.length && { pictures: [...sold.pictures] }),
      ...(variants.length > 1 && {
        variants: variants.map((each) => ({
          slug: each.slug,
          title: each.title,
          price: fiatNumber(each.price),
          currency: each.currency,
          url: buyUrl(flow.origins.pay, each.slug),
        })),
      }),
      ...marked({ test: isTest(sold) }),
    }
  },
})

const buying = {
  ...common,
  method: 'post',
  limits: { keyless: true },
  otherwise: { 303: { description: 'The payment request that was opened for this buyer' } },
  refusals: [...common.refusals, 'unavailable', 'out-of-stock'],
} as const

const buy = endpoint({
  ...buying,
  summary: 'Buy what a saved payment link sells: leads to the payment door of a fresh payment request',
  ...text,
  body: Answers,
  async answer({ params: { id }, body, flow, once }) {
    const sold = await soldAt(flow, id)
    const taken = judgeAnswers(await asksOf(flow.ledger, sold.accountId), body)
    return 'wrong' in taken ? refuse('invalid-request', saying(taken.wrong)) : bought(flow, once, sold, taken)
  },
})

const buyOnPage = endpoint({
  ...buying,
  ...page,
  summary: 'A person buys what a saved payment link sells; leads to the page of a fresh payment request',
  body: TypedAnswers,
  otherwise: {
    ...buying.otherwise,
    400: { description: 'The page again, with what is wrong' },
    409: { description: 'The page again, which says that it is sold out' },
  },
  async answer({ params: { id }, body: typed, flow, queries, once, languages }) {
    const sold = await soldAt(flow, id)
    if (!(await stockOf(flow, sold.number)).inStock) return pageOf({ flow, queries, languages }, sold, undefined, 409)
    const asks = await asksOf(flow.ledger, sold.accountId)
    const taken = judgeAnswers(asks, answersTyped(asks, typed))
    if ('wrong' in taken) return pageOf({ flow, queries, languages }, sold, { typed, wrong: taken.wrong })
    return bought(flow, once, sold, taken)
  },
})

const bought = async (
  flow: UseCaseContext,
  once: Once,
  sold: NumberedCheckout,
  { discount, description }: AcceptedAnswers,
): Promise<Reply> => {
  await mustSell(flow, sold.accountId)
  await mustBeInStock(flow, { productId: sold.number, quantity: 1 })
  if (!(await isPayable(flow, sold)))
    return refuse('unavailable', 'The seller cannot receive payments right now. Ask the seller, or come back later.')
  const { accountId, title, price: whole, currency, asset, storeId, number: checkoutId } = sold
  const amount = discount ? String(discountedPrice(BigInt(whole), discount.multiplier, currency)) : whole
  const record = {
    ...(description !== '' && { sealedDescription: await flow.vault.seal(accountId, description) }),
    ...(discount && { discountCode: discount.code }),
  }
  const { requestId } = await openRequest(flow, once, {
    accountId,
    ...inStore(storeId),
    amount,
    assetAmount: null,
    currency,
    asset,
    checkoutId,
    goods: [{ productId: checkoutId, quantity: 1 }],
    record,
    title,
    note: takenOff(whole, amount, currency),
    redirect: '',
    externalReference: '',
    expiry: EXPIRY,
    webhookUrl: null,
    test: isTest(sold),
  })
  return new Reply(303, '', { Location: `/id/${requestId}`, 'Cache-Control': 'no-store' })
}

/**
 * What a code has taken off, for the page of the payment. It does not say which code, because whoever has the link sees
 * it.
 */
const takenOff = (whole: string, amount: string, currency: string): string => {
  const off = BigInt(whole) - BigInt(amount)
  return off === 0n ? '' : `${price(whole, currency)}, less ${price(off, currency)} discount`
}

/** What is wrong, in words for a program: each fault with the name of its field. */
const saying = ({ code, fields }: AnswerFaults): string =>
  [
    ...(code === undefined ? [] : [`discount_code: ${code}`]),
    ...Object.entries(fields).map(([label, fault]) => `fields.${label}: ${fault}`),
  ].join(' ')

const isTest = ({ test }: Pick<Checkout, 'test'>): boolean => test === true

type NumberedCheckout = Checkout & { readonly number: string }

const soldAt = async (flow: UseCaseContext, named: string): Promise<NumberedCheckout> =>
  (await found(flow, named)) ?? refuse('checkout-not-found', 'There is nothing to buy here. Look at the link again.')

/** The payment link of that name; a deleted one is not found. */
const found = async ({ ledger }: UseCaseContext, named: string): Promise<NumberedCheckout | undefined> => {
  const number = numberNamed(named)
  const state = number === undefined ? undefined : await ledger.checkout.recent(number)
  return number === undefined || state?.status !== 'saved' || !isNamed(state, named) ? undefined : { ...state, number }
}

type RefusedAnswers = { readonly typed: z.output<typeof TypedAnswers>; readonly wrong: AnswerFaults }

/** The page of a payment link; after its form was refused, with everything that was typed. */
const pageOf = async (
  { flow, queries, languages }: { flow: UseCaseContext; queries: Queries; languages: string },
  sold: NumberedCheckout,
  refused?: RefusedAnswers,
  status = refused ? 400 : 200,
): Promise<Reply> => {
  const { face } = await faceOf(flow, queries, sold, languages)
  const lander = landerFor(await flow.ledger.landers.recent(sold.accountId), sold.number)?.image
  const pictures = [...new Set([...(lander ? [lander] : []), ...(sold.pictures ?? [])])]
  const variants = (await siblingsOf(queries, sold)).map((each) => ({
    label: optionWords(each.variant?.options ?? []) || each.title,
    price: face.locale.price(each.price, each.currency),
    href: `/buy/${each.slug}`,
    isThis: each.slug === sold.slug,
  }))
  const address = buyUrl(flow.origins.pay, sold.slug)
  const shown = {
    face,
    pictures,
    variants,
    address,
    origin: flow.origins.base,
    sold: await forSaleAt(flow, sold, face.locale, refused),
  }
  return buyPage(shown, status)
}

/** The forms that a product is sold in, as many as are shown; none for what is sold in one alone. */
const siblingsOf = async (queries: Queries, { accountId, storeId, variant, test }: Checkout): Promise<CheckoutRow[]> =>
  variant ? await queries.variantsOf(accountId, { storeId, test: test === true }, [variant.product]) : []

/** A payment link as its pages show it. */
export const forSaleAt = async (
  flow: UseCaseContext,
  sold: NumberedCheckout,
  locale: StoreLocale,
  refused?: RefusedAnswers,
): Promise<SaleView> => {
  const { accountId, title, description, asset, currency } = sold
  const symbol = asset === null ? undefined : symbolOf(asset)
  const asking = askingOf(await asksOf(flow.ledger, accountId), refused?.typed, refused?.wrong)
  const payable = await isPayable(flow, sold)
  const soldOut = !(await stockOf(flow, sold.number)).inStock
  const shown = { title, description, price: locale.price(sold.price, currency), symbol }
  return { ...shown, payable, soldOut, asking, test: isTest(sold) }
}

/** Whether it can be paid right now, by card or in a coin, so that nothing is opened that nobody could pay. */
const isPayable = async (flow: UseCaseContext, sold: Checkout): Promise<boolean> => {
  const { accountId, price: amount, currency, asset } = sold
  if (asset === null && (await takesCard(flow.ledger, accountId, { amount, currency, test: isTest(sold) }))) return true
  const acceptedAssets = await coinsOf(flow.ledger, sold)
  const wish = { accountId, amount, assetAmount: null, currency, acceptedAssets, test: isTest(sold) }
  try {
    return (await quote(flow, wish)).length > 0
  } catch (error) {
    if (isRefusal(error, 'unavailable')) return false
    throw error
  }
}

export const buyEndpoints = [look, tell, buy, buyOnPage]
