import { z } from 'zod'
import { wordsOf } from '../../../../domain/kernel/search-words.ts'
import { shopHost } from '../../../../domain/storefront/shop.ts'
import { isPayable } from '../../../../domain/use-cases/account/payable-coins.ts'
import { cardModeOf } from '../../../../domain/use-cases/card/processor.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ListPage, MarketRow, ServiceRow } from '../../../../projections/storefront/listing-queries.ts'
import { endpoint } from '../../core/endpoint.ts'
import { resourceUrl } from '../commerce/product-shape.ts'
import { fiatNumber } from '../common/amounts.ts'
import { buyUrl, landerUrl } from '../common/checkout-shape.ts'
import { count } from '../common/paging.ts'

/**
 * What anybody may find of all that is sold here (J-CAT-01, J-CAT-02, N-30). Nothing in it names a seller's account.
 */

const LIMIT_DEFAULT = 20
const LIMIT_MAX = 100
const QUERY_MAX = 100

const limit = count(LIMIT_MAX).pipe(z.int().min(1)).default(LIMIT_DEFAULT)

const Service = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    merchant: z.string(),
    domain: z.string(),
    url: z.url(),
  })
  .meta({ id: 'Service', description: 'A resource that its seller lists; whoever opens its `url` may buy it.' })

const Item = z
  .object({
    id: z.int(),
    title: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    merchant: z.string(),
    domain: z.string(),
    slug: z.string(),
    url: z.url(),
    lander: z.url(),
  })
  .meta({ id: 'MarketItem', description: 'A saved payment link with a lander; whoever opens its `url` may buy it.' })

const market = endpoint({
  method: 'get',
  path: '/v1/market',
  summary: 'What all sellers show on landers, newest first; `q` searches title, description and merchant',
  auth: 'none',
  callers: { crossOrigin: true },
  limits: { keyless: true },
  query: z.object({ q: z.string().max(QUERY_MAX).default(''), limit }),
  returns: z.object({ items: z.array(Item), count: z.int() }),
  async answer({ query: { q, limit }, flow, queries }) {
    const pages = (page: ListPage) => queries.market(wordsOf(q), page)
    const rows = await payableOf(pages, limit, ({ accountId, asset }) => isBuyable(flow, accountId, asset))
    const items = rows.map((row) => itemOf(flow, row))
    return { items, count: items.length }
  },
})

const services = endpoint({
  method: 'get',
  path: '/v1/services',
  summary: 'Resources that their sellers list, newest first',
  auth: 'none',
  callers: { crossOrigin: true },
  limits: { keyless: true },
  query: z.object({ limit }),
  returns: z.object({ items: z.array(Service), count: z.int() }),
  async answer({ query, flow, queries }) {
    const isSold = ({ accountId, acceptedAssets }: ServiceRow) => isPayable(flow, accountId, acceptedAssets)
    const items = (await payableOf(queries.services, query.limit, isSold)).map((row) => serviceOf(flow, row))
    return { items, count: items.length }
  },
})

/** Pages that are looked through for things that can be paid; as a rule the first one has enough of them. */
const PAGES_MAX = 5

/** The first rows that can be paid: what nobody could buy is in no public list. */
const payableOf = async <R>(
  page: (at: ListPage) => Promise<R[]>,
  limit: number,
  isPayableRow: (row: R) => Promise<boolean>,
): Promise<R[]> => {
  const found: R[] = []
  for (let n = 0; n < PAGES_MAX && found.length < limit; n++) {
    const rows = await page({ limit, offset: n * limit })
    const payable = await Promise.all(rows.map(isPayableRow))
    found.push(...rows.filter((_, index) => payable[index]))
    if (rows.length < limit) break
  }
  return found.slice(0, limit)
}

/** Whether a saved payment link can be paid: in its coin, or in any of the seller's, or by card. */
const isBuyable = async (flow: UseCaseContext, accountId: string, asset: string | null): Promise<boolean> =>
  (await isPayable(flow, accountId, asset === null ? undefined : [asset])) ||
  (asset === null && (await cardModeOf(flow.ledger, accountId)) === 'live')

const itemOf = ({ origins }: UseCaseContext, row: MarketRow): z.input<typeof Item> => ({
  id: Number(row.number),
  title: row.title,
  description: row.description,
  price: fiatNumber(row.price),
  currency: row.currency,
  merchant: row.merchant,
  domain: domainOf(origins, row.handle),
  slug: row.slug,
  url: buyUrl(origins.pay, row.slug),
  lander: landerUrl(origins.pay, row.slug),
})

const serviceOf = ({ origins }: UseCaseContext, row: ServiceRow): z.input<typeof Service> => ({
  id: row.resId,
  title: row.title,
  description: '',
  price: fiatNumber(row.price),
  currency: row.currency,
  merchant: row.merchant,
  domain: domainOf(origins, row.handle),
  url: resourceUrl(origins.pay, row.checkoutId),
})

/** The host of a shop, or the one that all shops share where they have none of their own. */
const domainOf = ({ shop }: UseCaseContext['origins'], handle: string): string =>
  shopHost(shop, handle) ?? new URL(shop).host

export const listingEndpoints = [market, services]
