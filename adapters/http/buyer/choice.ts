import { FIAT_DECIMALS, toUnits } from '../../../domain/kernel/money.ts'
import { takesCard } from '../../../domain/use-cases/card/processor.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import { type CoinQuote, quote } from '../../../domain/use-cases/selling/challenges/quote.ts'
import { arePiecesThere } from '../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Reply } from '../core/endpoint.ts'
import { chooseAmount, chooseCoin, soldOutPage } from '../pages/buyer/choose.ts'
import { expiredPage } from '../pages/buyer/outcomes.ts'
import { coinOf } from '../pages/plain-words.ts'
import { headingOf, type SaleItem } from './doors.ts'
import type { BrandedSale } from './shop.ts'

/**
 * The page that a visitor sees first: the coins that the sale can be paid in, or that it cannot be paid any more.
 * Looking opens nothing.
 */
export const choicePage = async (shop: BrandedSale, typed: string | undefined, visit: string): Promise<Reply> => {
  const { sold, page, locale } = shop
  const { words } = locale
  if (sold.status === 'paid') return sold.paidBy === undefined ? shop.soldPage() : shop.watched(sold.paidBy, {})
  if (sold.status === 'expired')
    return page({ title: words.expired.title, main: expiredPage(sold.expiresAt ?? '', undefined, locale) })
  const wanted = needsAmount(sold) ? chosenAmount(typed) : undefined
  const asked = headingOf(sold, locale, wanted)
  const title = asked.price === undefined ? words.choose.untold : words.choose.title(asked.price)
  if (!(await arePiecesThere(shop.flow, sold.goods, sold.id))) return page({ title, main: soldOutPage(asked, locale) })
  if (needsAmount(sold) && wanted === undefined)
    return page({ title, main: chooseAmount(asked, sold.currency, typed, locale) })
  const choices = (await quoteOf(shop.flow, sold, wanted)).map((quoted) => ({
    coin: coinOf(quoted),
    units: BigInt(quoted.amount),
    href: `?${new URLSearchParams({ asset: quoted.asset, ...(wanted !== undefined && typed && { amount: typed }), visit })}`,
  }))
  const further = wanted !== undefined && typed ? { amount: typed } : {}
  const card = (await offersCard(shop.flow, sold, wanted))
    ? `?${new URLSearchParams({ pay: 'card', ...further, visit })}`
    : undefined
  const links = { card, back: wanted === undefined ? undefined : shop.path }
  return page({ title, main: chooseCoin(asked, choices, links, locale) })
}

/** Every coin that can be chosen right now; `wanted` is what the payer said, in millionths. */
export const quoteOf = (
  flow: UseCaseContext,
  sold: SaleItem,
  wanted: bigint | undefined,
): Promise<readonly CoinQuote[]> => {
  const { accountId, assetAmount, currency, assets: acceptedAssets, test } = sold
  const amount = sold.amount ?? String(wanted ?? 0)
  return quote(flow, { accountId, amount, assetAmount, currency, acceptedAssets, test })
}

/** Whether the payer says how much (N-40). */
export const needsAmount = ({ amount, assetAmount }: SaleItem): boolean => amount === null && assetAmount === null

/**
 * What a person typed, in millionths; undefined when it is no amount. A comma stands for the point, as many people
 * write it.
 */
export const chosenAmount = (typed: string | undefined): bigint | undefined => {
  const text = typed?.trim().replace(',', '.') ?? ''
  if (!/^\d{1,9}(\.\d{1,2})?$/.test(text)) return undefined
  const units = toUnits(text, FIAT_DECIMALS)
  return units > 0n ? units : undefined
}

/** Whether a visitor is offered to pay by card. */
export const offersCard = async (
  flow: UseCaseContext,
  sold: SaleItem,
  wanted: bigint | undefined,
): Promise<boolean> => {
  const amount = sold.amount ?? (wanted === undefined ? undefined : String(wanted))
  if (!sold.card || sold.status !== 'open' || amount === undefined || sold.assetAmount !== null) return false
  return takesCard(flow.ledger, sold.accountId, { ...sold, amount })
}
