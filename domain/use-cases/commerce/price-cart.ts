import type { SessionLine, SessionTax, SessionTerms } from '../../commerce/session-events.ts'
import { type CartDiscount, type CartSums, refuseTooDear, sumCart } from '../../commerce/totals.ts'
import { linePrice, type UnitPrice } from '../../commerce/unit-price.ts'
import { millionthsOf, minorDigits } from '../../kernel/currencies.ts'
import { refuse } from '../../kernel/refusal.ts'
import { discountOf } from '../../storefront/discounts.ts'
import { mustAnswer, type UseCaseContext } from '../context.ts'
import { percentOf, type VatResult, vatFor } from '../money/vat.ts'
import { mustBeInStock } from '../selling/stock/change-stock.ts'
import { goodsTogether } from '../selling/stock/goods.ts'
import { type Item, itemOf, type Shop } from './items.ts'

export type CartWish = {
  readonly shop: Shop
  readonly items: readonly { readonly id: string; readonly quantity: number }[]
  /**
   * The currency that was asked for. When undefined, it is the one that all items share, else the merchant's own
   * (C-SES-03).
   */
  readonly currency: string | undefined
  readonly codes: readonly string[]
  /** The buyer's country (ISO 3166), where it is known. */
  readonly country: string | undefined
  readonly vatNumber: string | undefined
  /** Rates that were frozen before. */
  readonly rates: SessionTerms['rates']
}

export type PricedCart = Omit<SessionTerms, 'person'> & { readonly test: boolean }

/**
 * What a cart costs, all of it in one currency (C-SES-09): prices at rates that stay for the session, codes that count,
 * VAT by the seller's rules. Refuses `item-not-found`, `invalid-request`, and `unavailable` while there is no rate.
 */
export const priceCart = async (flow: UseCaseContext, wish: CartWish): Promise<PricedCart> => {
  const { shop, codes } = wish
  const items = await Promise.all(wish.items.map(({ id }) => itemOf(flow.ledger, shop, id)))
  const test = isTest(items)
  await mustBeThere(flow, wish, items)
  const currency = await currencyOf(flow, wish, items)
  const digits =
    minorDigits(currency) ??
    refuse('invalid-request', `currency: ${currency} has no smallest unit; take another currency`)
  const rates = await ratesFor(flow, wish, currency, items)
  const lines = items.map((item, index) => {
    const quantity = wish.items[index]?.quantity ?? 1
    return { id: `li_${index + 1}`, quantity, ...priceIn(item, quantity, { currency, digits, rates }) }
  })
  const { discounts, unknown } = await discountsFor(flow, shop, codes)
  const net = sumCart({ lines, discounts, tax: undefined })
  refuseTooDear(net, digits)
  const tax = await taxOf(flow, wish, { currency, amount: millionthsOf(net.total, digits) })
  const sums = tax ? sumCart({ lines, discounts, tax: { ...tax, rate: BigInt(tax.rate) } }) : net
  refuseTooDear(sums, digits)
  return {
    currency,
    digits,
    rates,
    tax,
    unknownCodes: unknown,
    test,
    assets: commonAssets(items),
    lines: items.map((item, index) => lineOf(item, lines[index], sums.lines[index])),
    codes: sums.applied.map((each) => ({ ...each, amount: String(each.amount), allocations: texts(each.allocations) })),
    subtotal: String(sums.subtotal),
    discount: String(sums.discount),
    taxAmount: String(sums.tax),
    total: String(sums.total),
  }
}

const lineOf = (
  { price, currency: priceCurrency, kind, itemId, checkoutId, title }: Item,
  cart: ({ id: string; quantity: number } & UnitPrice) | undefined,
  sums: CartSums['lines'][number] | undefined,
): SessionLine => {
  if (!cart || !sums) throw new Error('a line of the cart has no sums')
  const { id, quantity, unit, exact } = cart
  return {
    id,
    kind,
    itemId,
    ...(checkoutId !== undefined && { checkoutId }),
    title,
    price,
    priceCurrency,
    unit: String(unit),
    exact,
    quantity,
    subtotal: String(sums.subtotal),
    discount: String(sums.discount),
    tax: String(sums.tax),
    total: String(sums.total),
  }
}

const texts = (allocations: CartSums['applied'][number]['allocations']) =>
  allocations.map(({ path, amount }) => ({ path, amount: String(amount) }))

/** Refuses `out-of-stock` for more of a product than there is now; nothing is lent to a cart that is only looked at. */
const mustBeThere = async (
  flow: UseCaseContext,
  { items: wished }: CartWish,
  items: readonly Item[],
): Promise<void> => {
  const products = items.map(({ checkoutId, itemId }, index) => ({
    productId: checkoutId ?? itemId,
    quantity: wished[index]?.quantity ?? 1,
  }))
  const titles = new Map(items.map(({ checkoutId, itemId, title }) => [checkoutId ?? itemId, title]))
  for (const each of goodsTogether(products)) await mustBeInStock(flow, each, titles.get(each.productId))
}

/** Whether the cart holds test items; test items and live ones are never in one cart. */
const isTest = (items: readonly Item[]): boolean => {
  const tests = items.filter(({ test }) => test).length
  if (tests > 0 && tests < items.length)
    refuse('invalid-request', 'line_items: test items and live ones are not sold together; make a session of each')
  return tests > 0
}

const currencyOf = async (
  flow: UseCaseContext,
  { currency, shop }: CartWish,
  items: readonly Item[],
): Promise<string> => {
  if (currency !== undefined) return currency
  const [first, ...others] = new Set(items.map((item) => item.currency))
  if (first !== undefined && others.length === 0) return first
  return (await flow.ledger.settings.recent(shop.accountId)).currency
}

/**
 * The rates of every currency that is converted, and of the one it is converted to; none for a cart of one currency.
 */
const ratesFor = async (
  { rates }: UseCaseContext,
  { rates: frozen }: CartWish,
  currency: string,
  items: readonly Item[],
): Promise<SessionTerms['rates']> => {
  const others = [...new Set(items.map((item) => item.currency))].filter((code) => code !== currency)
  // A payment in a currency without a rate could not be asked for, so its rate has to exist even when nothing is
  // converted.
  const needed = others.length > 0 ? [currency, ...others] : []
  if (needed.length === 0) await mustAnswer('the rate source', rates.usdPer(currency))
  const found = needed.map(
    async (code) => [code, frozen[code] ?? (await mustAnswer('the rate source', rates.usdPer(code)))] as const,
  )
  return Object.fromEntries(await Promise.all(found))
}

const priceIn = (
  { price, currency: own }: Item,
  quantity: number,
  { currency, digits, rates }: { currency: string; digits: number; rates: SessionTerms['rates'] },
): ReturnType<typeof linePrice> => {
  const [from, to] = [rates[own] ?? '1', rates[currency] ?? '1']
  return linePrice({ price: BigInt(price), from, to, digits, same: own === currency }, quantity)
}

/** The discounts of the codes, each once however it is written, and the codes that are none of the seller's. */
const discountsFor = async (
  { ledger }: UseCaseContext,
  { accountId }: Shop,
  codes: readonly string[],
): Promise<{ discounts: readonly CartDiscount[]; unknown: readonly string[] }> => {
  if (codes.length === 0) return { discounts: [], unknown: [] }
  const known = await ledger.discounts.recent(accountId)
  const found = new Map<string, CartDiscount>()
  const unknown: string[] = []
  for (const typed of codes) {
    const discount = discountOf(known, typed)
    if (discount) found.set(discount.code, { ...discount, title: discount.code })
    else unknown.push(typed)
  }
  return { discounts: [...found.values()], unknown }
}

/** Coins that every item is sold for. Refuses a cart that no coin could pay. */
const commonAssets = (items: readonly Item[]): readonly string[] | null => {
  const lists = items.flatMap(({ assets }) => (assets === null ? [] : [assets]))
  const [first, ...others] = lists
  if (!first) return null
  const common = first.filter((code) => others.every((list) => list.includes(code)))
  return common.length > 0
    ? common
    : refuse('invalid-request', 'line_items: no coin pays for all of these together; make several sessions')
}

/** The VAT of the cart; null for a seller without VAT. */
const taxOf = async (
  flow: UseCaseContext,
  { shop, country, vatNumber }: CartWish,
  { currency, amount }: { currency: string; amount: bigint },
): Promise<SessionTax | null> => {
  const { accountId } = shop
  const result = await vatFor(flow, { accountId, amount, currency, country, number: vatNumber, day: undefined })
  if (result.details === '') return null
  const { vat } = await flow.ledger.settings.recent(accountId)
  const rests = { rate: String(result.rate), inclusive: vat.inclusive, label: labelOf(result) }
  if (vatNumber === undefined) return { ...rests, details: result.details }
  const sealedDetails = await flow.vault.seal(accountId, result.details)
  return { ...rests, details: nameless(result.details), sealedDetails }
}

/** The VAT details without the parts that only the seller may read. */
const nameless = (details: string): string => {
  const { consultation: _, ...rest } = JSON.parse(details) as { consultation?: string }
  return JSON.stringify({ ...rest, number: null })
}

const labelOf = ({ rate, country, reverseCharge }: VatResult): string =>
  `VAT ${percentOf(rate)}% ${country}${reverseCharge ? ' (reverse charge)' : ''}`
