import { z } from 'zod'
import { wordsOf } from '../../../../domain/kernel/search-words.ts'
import { shopHost } from '../../../../domain/storefront/shop.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { MarketRow, ServiceRow } from '../../../../projections/storefront/listing-queries.ts'
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
  .meta({ id: 'Service', description: 'A priced resource; whoever opens its `url` may buy it.' })

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
  limits: { keyless: true },
  query: z.object({ q: z.string().max(QUERY_MAX).default(''), limit }),
  returns: z.object({ items: z.array(Item), count: z.int() }),
  async answer({ query: { q, limit }, flow, queries }) {
    const items = (await queries.market(wordsOf(q), limit)).map((row) => itemOf(flow, row))
    return { items, count: items.length }
  },
})

const services = endpoint({
  method: 'get',
  path: '/v1/services',
  summary: 'Priced resources of all sellers, newest first',
  auth: 'none',
  limits: { keyless: true },
  query: z.object({ limit }),
  returns: z.object({ items: z.array(Service), count: z.int() }),
  async answer({ query, flow, queries }) {
    const items = (await queries.services(query.limit)).map((row) => serviceOf(flow, row))
    return { items, count: items.length }
  },
})

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
  title: `Resource ${row.resId}`,
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
