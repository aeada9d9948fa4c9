import { z } from 'zod'
import type { Flow } from '../../../domain/flows/flow.ts'
import { refuse } from '../../../domain/refusal.ts'
import { SHOP_HANDLE, shopOrigin } from '../../../domain/sell/shop.ts'
import type { CheckoutRow } from '../../../projections/checkouts.ts'
import type { Queries } from '../../../projections/index.ts'
import { fiatNumber } from '../agent/amounts.ts'
import { buyUrl } from '../agent/checkout-shape.ts'
import { endpoint } from '../endpoint.ts'
import { price } from '../pages/plain-words.ts'
import type { Goods } from '../pages/store/goods.ts'
import { homePage } from '../pages/store/home.ts'
import { missingPage } from '../pages/store/missing.ts'
import { shownAs } from './face.ts'

/**
 * The public page of a store: what it sells, with the seller's site and branding. A machine is told the same as JSON. Nothing in the answers
 * names the seller's account.
 */

/** Products on one page. */
const PAGE_PRODUCTS = 24
/** More pages than an account may have checkouts for. */
const PAGES_MAX = 100

const common = {
  path: '/shop/:handle',
  method: 'get',
  auth: 'none',
  params: z.object({ handle: z.string().max(40) }),
  showsLater: true,
  refusals: ['store-not-found'],
} as const

const PageNumber = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number)
  .pipe(z.int().max(PAGES_MAX))

const Listed = z.object({
  id: z.int(),
  slug: z.string(),
  title: z.string(),
  description: z.string(),
  price: z.number(),
  currency: z.string(),
  url: z.url(),
})

const Storefront = z
  .object({
    handle: z.string(),
    title: z.string(),
    description: z.string(),
    url: z.url(),
    products: z.array(Listed),
    page: z.int(),
    next: z.url().nullable(),
    commerce: z.object({ ucp: z.url(), catalog: z.url() }).nullable(),
  })
  .meta({
    id: 'Storefront',
    description: 'What a store sells, a page at a time, and where its commerce protocol is spoken.',
  })

const look = endpoint({
  ...common,
  page: true,
  returns: z.string(),
  produces: 'text/html',
  summary: 'The public page of a store',
  query: z.object({ page: PageNumber.catch(1).default(1) }),
  async answer({ params: { handle }, query: { page }, flow, queries }) {
    const shop = await shopAt(queries, handle)
    if (shop === undefined) return missingPage('store')
    const [{ face, home }, { rows, hasMore }] = await Promise.all([
      shownAs(flow, queries, shop.accountId, shop.storeId),
      soldThere(queries, shop, page),
    ])
    const goods = rows.map(goodsOf)
    const { pay: origin } = flow.origins
    return homePage({
      ...{ ...home, face, goods, page, hasMore, origin },
      address: addressOf(flow, shop.handle),
    })
  },
})

const tell = endpoint({
  ...common,
  summary: 'What a store sells, for machines',
  query: z.object({ page: PageNumber.default(1), agent: z.string().max(8).optional() }),
  returns: Storefront,
  async answer({ params: { handle }, query: { page }, flow, queries }) {
    const shop = (await shopAt(queries, handle)) ?? refuse('store-not-found', 'There is no store here.')
    const [{ face }, { rows, hasMore }] = await Promise.all([
      shownAs(flow, queries, shop.accountId, shop.storeId),
      soldThere(queries, shop, page),
    ])
    const url = addressOf(flow, shop.handle)
    const commerce = shopOrigin(flow.origins.shop, shop.handle)
    return {
      ...{ handle: shop.handle, title: face.title, description: face.tagline, url, page },
      products: rows.map((row) => listed(flow, row)),
      next: hasMore ? `${url}?page=${page + 1}` : null,
      commerce: commerce ? { ucp: `${commerce}/.well-known/ucp`, catalog: `${commerce}/catalog/search` } : null,
    }
  },
})

type Shop = { readonly accountId: string; readonly storeId: number; readonly handle: string }

const shopAt = async (queries: Queries, handle: string): Promise<Shop | undefined> =>
  SHOP_HANDLE.test(handle) ? queries.shop(handle) : undefined

/** One more than a page holds is asked for, so that nothing has to be counted. */
const soldThere = async (queries: Queries, { accountId, storeId }: Shop, page: number) => {
  const rows = await queries.checkouts(accountId, [storeId], PAGE_PRODUCTS + 1, (page - 1) * PAGE_PRODUCTS)
  return { rows: rows.slice(0, PAGE_PRODUCTS), hasMore: rows.length > PAGE_PRODUCTS && page < PAGES_MAX }
}

const goodsOf = (row: CheckoutRow): Goods => ({
  ...{ title: row.title, description: row.description, price: price(row.price, row.currency) },
  ...{ picture: undefined, href: `/buy/${row.slug}` },
})

const listed = ({ origins }: Flow, row: CheckoutRow): z.input<typeof Listed> => ({
  ...{ id: Number(row.number), slug: row.slug, title: row.title, description: row.description },
  ...{ price: fiatNumber(row.price), currency: row.currency, url: buyUrl(origins.pay, row.slug) },
})

const addressOf = ({ origins }: Flow, handle: string): string => `${origins.pay}/shop/${handle}`

export const storeEndpoints = [look, tell]
