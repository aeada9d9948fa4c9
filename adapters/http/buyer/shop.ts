import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Reply } from '../core/endpoint.ts'
import { brandOf } from '../pages/branding.ts'
import { buyerPage, type Frame } from '../pages/buyer-page.ts'
import type { SaleItem } from './doors.ts'
import type { Said } from './post-hash.ts'
import { soldPage, watchedPage } from './watch.ts'

/** One sale under its seller's name and colours. */
export type BrandedSale = {
  readonly flow: UseCaseContext
  readonly sold: SaleItem
  /** The path of this sale, without a query. */
  readonly path: string
  page(main: Omit<Frame, 'brand' | 'test' | 'toBalance'>): Reply
  /** The page of one of its challenges. */
  watched(challengeId: string, posted: { said: Said; hash: string } | undefined): Promise<Reply>
  /** The page that says that the sale was paid before, but not by whom. */
  soldPage(): Reply
}

export const shopOf = async (
  flow: UseCaseContext,
  queries: Queries,
  path: string,
  sold: SaleItem,
): Promise<BrandedSale> => {
  const { branding, payment } = await flow.ledger.settings.recent(sold.accountId)
  const brand = brandOf(branding)
  const redirect = sold.redirect || payment.redirect
  const { test, toBalance } = sold
  const page = (main: Omit<Frame, 'brand' | 'test' | 'toBalance'>) => buyerPage({ ...main, brand, test, toBalance })
  return {
    flow,
    sold,
    path,
    page,
    watched: async (challengeId, posted) =>
      page(await watchedPage({ flow, queries, path, brandName: brand.name, redirect }, sold, challengeId, posted)),
    soldPage: () => page(soldPage(sold, redirect)),
  }
}
