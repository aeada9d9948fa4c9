import { PLATFORM } from '../../../domain/kernel/platform.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import { siteTitleOf } from '../../storefront/site-view.ts'
import type { Reply } from '../core/endpoint.ts'
import { brandOf } from '../pages/buyer/branding.ts'
import { buyerPage, type Frame } from '../pages/buyer/buyer-page.ts'
import { type BuyerLocale, buyerLocale } from '../pages/buyer/messages/buyer-locale.ts'
import type { Receipt } from '../pages/buyer/receipt.ts'
import type { SaleItem } from './doors.ts'
import { mailableReceipt, type PageNews, soldPage, watchedPage } from './watch.ts'

/** One sale under its seller's name and colours. */
export type BrandedSale = {
  readonly flow: UseCaseContext
  readonly sold: SaleItem
  readonly locale: BuyerLocale
  /** The path of this sale, without a query. */
  readonly path: string
  page(main: MainPart): Reply
  /** The page of one of its challenges. */
  watched(challengeId: string, said: PageNews): Promise<Reply>
  /** The receipt of a challenge that may be sent by mail. Refuses `challenge-not-found` where there is none. */
  receipt(challengeId: string): Promise<Receipt>
  /** The page that says that the sale was paid before, but not by whom. */
  soldPage(): Reply
}

type MainPart = Omit<Frame, 'brand' | 'locale' | 'test' | 'toBalance'>

/** What the pages of whoever runs Daybook call their seller. */
const OURS = 'Daybook'

/** `languages`: what the browser says in `Accept-Language`. */
export const shopOf = async (
  flow: UseCaseContext,
  queries: Queries,
  { path, sold, languages }: { readonly path: string; readonly sold: SaleItem; readonly languages: string },
): Promise<BrandedSale> => {
  const { branding, payment } = await flow.ledger.settings.recent(sold.accountId)
  const locale = buyerLocale(languages)
  const nameless = sold.accountId === PLATFORM ? OURS : locale.words.frame.nameless
  const brand = brandOf(branding, siteTitleOf(await flow.ledger.site.recent(sold.accountId)), nameless)
  const redirect = sold.redirect || payment.redirect
  const { test, toBalance } = sold
  const page = (main: MainPart) => buyerPage({ ...main, brand, locale, test, toBalance })
  const parts = { flow, queries, path, sold, brand, redirect, locale }
  return {
    flow,
    sold,
    locale,
    path,
    page,
    watched: async (challengeId, said) => page(await watchedPage(parts, challengeId, said)),
    receipt: (challengeId) => mailableReceipt(parts, challengeId),
    soldPage: () => page(soldPage(parts)),
  }
}
