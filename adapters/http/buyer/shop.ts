import type { Flow } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { Reply } from '../core/endpoint.ts'
import { brandOf } from '../pages/branding.ts'
import { buyerPage, type Frame } from '../pages/buyer-page.ts'
import type { Sold } from './doors.ts'
import type { Said } from './post-hash.ts'
import { soldPage, watchedPage } from './watch.ts'

/** One sale under its seller's name and colours. */
export type Shop = {
  readonly flow: Flow
  readonly sold: Sold
  /** The path of this sale, without a query. */
  readonly path: string
  page(main: Omit<Frame, 'brand' | 'test' | 'toBalance'>): Reply
  /** The page of one of its challenges. */
  watched(challengeId: string, posted: { said: Said; hash: string } | undefined): Promise<Reply>
  /** That it was paid before, without whose payment it was. */
  soldPage(): Reply
}

export const shopOf = async (flow: Flow, queries: Queries, path: string, sold: Sold): Promise<Shop> => {
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
