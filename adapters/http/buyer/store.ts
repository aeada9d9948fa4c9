import { z } from 'zod'
import { refuse } from '../../../domain/kernel/refusal.ts'
import { productTitle } from '../../../domain/selling/checkout.ts'
import { type Landers, landerFor } from '../../../domain/storefront/landers.ts'
import { SHOP_HANDLE, shopHandle, shopOrigin, shopPage } from '../../../domain/storefront/shop.ts'
import type { UseCaseContext } from '../../../domain/use-cases/context.ts'
import type { Queries } from '../../../projections/index.ts'
import type { CheckoutRow } from '../../../projections/selling/checkouts.ts'
import type { Section } from '../../storefront/sections.ts'
import { fiatNumber } from '../agent/common/amounts.ts'
import { buyUrl } from '../agent/common/checkout-shape.ts'
import { stockOfRow } from '../agent/common/stock-shape.ts'
import { endpoint, Reply } from '../core/endpoint.ts'
import type { Goods } from '../pages/store/goods.ts'
import { type HomePart, homePage } from '../pages/store/home.ts'
import type { StoreLocale } from '../pages/store/messages/store-locale.ts'
import { missingPage } from '../pages/store/missing.ts'
import { faceOf } from './face.ts'

/**
 * The public page of a store: what it sells, with the seller's site and branding. A machine is told the same as JSON.
 * Nothing in the answers names the seller's account.
 */

/** Products on one page, where the layout says nothing else. */
const PAGE_PRODUCTS = 24
/** More pages than an account may have checkouts for. */
const PAGES_MAX = 1_000

const common = {
  path: '/shop/:handle',
  ignores: 'query',
  method: 'get',
  auth: 'none',
  params: z.object({ handle: z.string().max(40) }),
  waits: 'before',
  refusals: ['store-not-found'],
} as const

const PageNumber = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
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
  pictures: z.array(z.string()),
  lander: z.url().nullable(),
  in_stock: z.boolean(),
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
  async answer({ params: { handle }, query: { page }, flow, queries, languages }) {
    const shop = await shopAt(queries, handle)
    if (shop === undefined) return missingPage(languages, 'store')
    const { face, site } = await faceOf(flow, queries, shop, languages)
    const products = site.sections.find((section) => section.type === 'products')
    const { rows, hasMore } = await soldThere(queries, shop, page, products?.limit)
    const newest = page === 1 ? rows[0] : undefined
    const shown = goodsWith(flow, await flow.ledger.landers.recent(shop.accountId), face.locale)
    const { hero, about } = site.values
    return homePage({
      face,
      page,
      hasMore,
      goods: await Promise.all(rows.map(shown)),
      hero,
      about,
      parts: await partsOf(site.sections, async (number) => {
        const row = await oneOf(queries, shop, number, newest)
        return row && shown(row)
      }),
      address: addressOf(flow, shop.handle),
      origin: flow.origins.base,
    })
  },
})

const tell = endpoint({
  ...common,
  summary: 'What a store sells, for machines',
  query: z.object({ page: PageNumber.default(1), agent: z.string().max(8).optional() }),
  returns: Storefront,
  async answer({ params: { handle }, query: { page }, flow, queries, languages }) {
    const shop =
      (await shopAt(queries, handle)) ?? refuse('store-not-found', 'There is no store here. Look at the link again.')
    const [{ face }, { rows, hasMore }, landers] = await Promise.all([
      faceOf(flow, queries, shop, languages),
      soldThere(queries, shop, page),
      flow.ledger.landers.recent(shop.accountId),
    ])
    const url = addressOf(flow, shop.handle)
    const commerce = shopOrigin(flow.origins.shop, shop.handle)
    return {
      handle: shop.handle,
      title: face.title,
      description: face.tagline,
      url,
      page,
      products: await Promise.all(rows.map((row) => listed(flow, row, landers))),
      next: hasMore ? `${url}?page=${page + 1}` : null,
      commerce: commerce ? { ucp: `${commerce}/.well-known/ucp`, catalog: `${commerce}/catalog/search` } : null,
    }
  },
})

/** Lists name a store by its host: whoever opens the host sees the store. */
const atHost = endpoint({
  method: 'get',
  path: '/',
  auth: 'shop',
  ignores: 'query',
  summary: 'The host of a store leads to its public page',
  returns: z.string(),
  otherwise: { 302: { description: 'The public page of the store that the host names' } },
  refusals: ['store-not-found', 'unavailable'],
  answer: async ({ actor: { accountId, storeId }, flow }) =>
    new Reply(302, '', { Location: addressOf(flow, shopHandle(accountId, storeId)), 'Cache-Control': 'no-store' }),
})

type Shop = { readonly accountId: string; readonly storeId: number; readonly handle: string }

/** The shop of a handle; undefined where there is none, and while its account is suspended. */
const shopAt = async (queries: Queries, handle: string): Promise<Shop | undefined> => {
  const found = SHOP_HANDLE.test(handle) ? await queries.shop(handle) : undefined
  return found?.suspended ? undefined : found
}

/** One more than a page holds is asked for, so that nothing has to be counted. */
const soldThere = async (
  queries: Queries,
  { accountId, storeId }: Shop,
  page: number,
  size = PAGE_PRODUCTS,
): Promise<{ rows: CheckoutRow[]; hasMore: boolean }> => {
  const scope = { stores: [storeId], test: false, listed: true, firsts: true } as const
  const rows = await queries.checkouts(accountId, scope, size + 1, (page - 1) * size)
  return { rows: rows.slice(0, size), hasMore: rows.length > size && page < PAGES_MAX }
}

/**
 * The checkout that a seller puts before the others: the one that is named, if this store sells it; the newest where
 * none is named.
 */
const oneOf = async (
  queries: Queries,
  { accountId, storeId }: Shop,
  number: number | null,
  newest: CheckoutRow | undefined,
): Promise<CheckoutRow | undefined> =>
  number === null ? newest : queries.checkout(accountId, { stores: [storeId], test: false }, String(number))

/** The parts of a store's page. A section that a page shows only once stands where it comes first. */
const partsOf = (
  sections: readonly Section[],
  goodsAt: (number: number | null) => Promise<Goods | undefined>,
): Promise<HomePart[]> =>
  Promise.all(
    sections
      .filter(({ type }, at) => MANY.has(type) || sections.findIndex((each) => each.type === type) === at)
      .map(
        async (section): Promise<HomePart> =>
          section.type === 'featured' ? { type: 'featured', goods: await goodsAt(section.checkoutId) } : section,
      ),
  )

const MANY: ReadonlySet<string> = new Set(['featured', 'text', 'image'] satisfies readonly Section['type'][])

/** A product that has a lander is shown with the lander's picture, and leads there. */
const goodsWith =
  (flow: UseCaseContext, landers: Landers, locale: StoreLocale) =>
  async (row: CheckoutRow): Promise<Goods> => {
    const lander = landerFor(landers, row.number)
    const { in_stock } = await stockOfRow(flow, row, row.number)
    return {
      title: productTitle(row),
      description: row.description,
      price: locale.price(row.price, row.currency),
      picture: lander?.image ?? row.pictures?.[0],
      href: `/${lander ? 'l' : 'buy'}/${row.slug}`,
      ...(!in_stock && { soldOut: locale.words.soldOut }),
    }
  }

const listed = async (flow: UseCaseContext, row: CheckoutRow, landers: Landers): Promise<z.input<typeof Listed>> => ({
  id: Number(row.number),
  slug: row.slug,
  title: row.title,
  description: row.description,
  price: fiatNumber(row.price),
  currency: row.currency,
  url: buyUrl(flow.origins.pay, row.slug),
  pictures: [...(row.pictures ?? [])],
  lander: landerFor(landers, row.number) ? `${flow.origins.pay}/l/${row.slug}` : null,
  in_stock: (await stockOfRow(flow, row, row.number)).in_stock,
})

const addressOf = ({ origins }: UseCaseContext, handle: string): string => shopPage(origins.pay, handle)

export const storeEndpoints = [look, tell, atHost]
