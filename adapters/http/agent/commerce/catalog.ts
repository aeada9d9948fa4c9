import { z } from 'zod'
import { pricesWithin } from '../../../../domain/commerce/price-range.ts'
import { minorDigits } from '../../../../domain/kernel/currencies.ts'
import type { Vault } from '../../../../domain/kernel/ports.ts'
import { refuse } from '../../../../domain/kernel/refusal.ts'
import { wordsOf } from '../../../../domain/kernel/search-words.ts'
import { mustAnswer, thoseAvailable, type UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ProductPlace, ProductSearch } from '../../../../projections/commerce/product-queries.ts'
import { type CloudCaller, endpoint } from '../../core/endpoint.ts'
import { CheckoutName } from '../common/checkout-shape.ts'
import { failure, PlatformHeaders, withoutNotFound } from './platform.ts'
import { CATEGORIES, FoundProduct, Product, productOf, productsOf } from './product-shape.ts'
import { Envelope, Ucp, ucpOf } from './ucp.ts'

/**
 * The catalog of one store: what it sells, searched and looked up (C-CAT-01 to C-CAT-03). Members of a request that
 * nobody knows are ignored, as UCP wants it.
 */

const QUERY_MAX = 200
/** UCP's own default. A caller who asks for more than the maximum gets a page of the maximum, as UCP allows. */
const PAGE_DEFAULT = 10
const PAGE_MAX = 50
const OFFSET_MAX = 100_000
/** Different ids that one lookup may have, and all ids that it may have with repeats. */
const LOOKUP_MAX = 50
const LOOKUP_SENT_MAX = 500
const CURSOR_MAX = 1_000
const CATEGORIES_MAX = 100
const CATEGORY_MAX = 200

const Amount = z.int().min(0)

const Search = z.object({
  query: z.string().max(QUERY_MAX).optional(),
  filters: z
    .object({
      categories: z.array(z.string().max(CATEGORY_MAX)).max(CATEGORIES_MAX).optional(),
      price: z.object({ min: Amount.optional(), max: Amount.optional() }).optional(),
    })
    .optional(),
  context: z.object({ currency: z.string().optional() }).optional(),
  pagination: z
    .object({
      cursor: z.string().max(CURSOR_MAX).optional(),
      limit: z.int().min(1).optional(),
      offset: z.int().min(0).max(OFFSET_MAX).optional(),
    })
    .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, 'has to have either cursor or offset')
    .optional(),
})

const Pagination = z.object({
  cursor: z.string().optional(),
  has_next_page: z.boolean(),
  total_count: z.int(),
  limit: z.int(),
  offset: z.int(),
  total: z.int(),
})

const Message = z.object({ type: z.enum(['info', 'warning']), code: z.string(), content: z.string() })
const messages = z.array(Message).optional()

const common = {
  method: 'post',
  auth: 'shop',
  ignores: 'body',
  callers: { crossOrigin: true },
  headers: PlatformHeaders,
  failure,
} as const

const search = endpoint({
  ...common,
  path: '/catalog/search',
  summary: 'What a store sells, newest first; all of it without a query',
  body: Search,
  returns: z.object({ ucp: Ucp, products: z.array(Product), pagination: Pagination, messages }),
  refusals: ['store-not-found', 'unavailable'],
  async answer({ body: { query = '', filters, context, pagination }, actor: shop, flow, queries }) {
    const limit = Math.min(pagination?.limit ?? PAGE_DEFAULT, PAGE_MAX)
    const { cursor, offset: skipped = 0 } = pagination ?? {}
    const after = cursor === undefined ? skipped : placeAt(flow.vault, shop, cursor)
    const currencies = await queries.currenciesSold(shop)
    const { prices, incomplete } = await rangesOf(flow, currencies, filters?.price, context?.currency)
    const kinds = kindsOf(filters?.categories)
    const found = { ...shop, words: wordsOf(query), kinds, prices, limit, after }
    const { rows, total, offset } = await queries.searchProducts(found)
    const [last] = rows.slice(-1)
    const next = last && offset + rows.length < total ? cursorAt(flow.vault, shop, last) : undefined
    return {
      ucp: ucpOf('search'),
      products: await productsOf(flow, rows),
      pagination: {
        ...(next !== undefined && { cursor: next }),
        has_next_page: next !== undefined,
        total_count: total,
        limit,
        offset,
        total,
      },
      ...(incomplete && { messages: [LEFT_OUT] }),
    }
  },
})

const lookup = endpoint({
  ...common,
  path: '/catalog/lookup',
  summary: 'Those of some products that a store sells',
  body: z.object({ ids: z.array(CheckoutName).min(1).max(LOOKUP_SENT_MAX) }),
  returns: z.object({ ucp: Ucp, products: z.array(FoundProduct), messages }),
  refusals: ['store-not-found', 'batch-too-large'],
  async answer({ body, actor: shop, flow, queries }) {
    const ids = [...new Set(body.ids)]
    if (ids.length > LOOKUP_MAX)
      return refuse(
        'batch-too-large',
        `At most ${LOOKUP_MAX} different ids are looked up at once. Send the others in another call.`,
      )
    const rows = await queries.productsNamed(shop, ids)
    const sold = await productsOf(flow, rows)
    const found = new Map(sold.map((each) => [each.id, each]))
    const products = ids.flatMap((id) => found.get(id) ?? [])
    const missing = ids.filter((id) => !found.has(id))
    return {
      ucp: ucpOf('lookup'),
      products: products.map(({ variants, ...product }) => ({
        ...product,
        variants: variants.map((variant) => ({ ...variant, inputs: [{ id: product.id, match: 'exact' as const }] })),
      })),
      ...(missing.length > 0 && {
        messages: missing.map((id) => ({ type: 'info' as const, code: 'not_found', content: id })),
      }),
    }
  },
})

const product = endpoint({
  ...common,
  path: '/catalog/product',
  summary: 'One product that a store sells',
  body: z.object({ id: CheckoutName }),
  returns: z.union([Product.extend({ product: Product, ucp: Ucp }), Envelope]),
  refusals: ['store-not-found', 'not-found'],
  answer: ({ body: { id }, headers, actor: shop, flow, queries }) =>
    withoutNotFound(headers, async () => {
      const [row] = await queries.productsNamed(shop, [id])
      const found =
        (row && (await productOf(flow, row))) ??
        refuse('not-found', 'This store sells no product of this id. Look for it in POST /catalog/search.')
      return { ...found, product: found, ucp: ucpOf('lookup') }
    }),
})

const LEFT_OUT = {
  type: 'warning' as const,
  code: 'rates_unavailable',
  content: 'What is priced in some currencies is left out, because it cannot be converted right now.',
}

/** The kinds of product that the categories name; all kinds when no category is named. */
const kindsOf = (categories: readonly string[] = []) =>
  categories.length === 0 ? CATEGORIES : CATEGORIES.filter((kind) => categories.includes(kind))

export const catalogEndpoints = [search, lookup, product]

/**
 * The cursor says where the next page of a catalog begins, as text that only we can write and that is good in one store
 * alone (C-CAT-01, N-29).
 */

type CursorSealer = Pick<Vault, 'fingerprint'>

/** Characters of the seal: hexadecimal digits, 88 bits. */
const SEAL_LENGTH = 22

const cursorAt = (vault: CursorSealer, shop: CloudCaller, { createdAt, id }: ProductPlace): string => {
  const place = Buffer.from(JSON.stringify([createdAt, id])).toString('base64url')
  return `${place}.${sealOf(vault, shop, place)}`
}

/** Refuses `invalid-request` for what is no cursor of this store. */
const placeAt = (vault: CursorSealer, shop: CloudCaller, cursor: string): ProductPlace => {
  const [place = '', seal, ...rest] = cursor.split('.')
  if (seal !== sealOf(vault, shop, place) || rest.length > 0)
    return refuse('invalid-request', 'pagination.cursor: send the cursor of the page before as it came')
  const [createdAt, id] = JSON.parse(Buffer.from(place, 'base64url').toString()) as [string, string]
  return { createdAt, id }
}

const sealOf = (vault: CursorSealer, { accountId, storeId }: CloudCaller, place: string): string =>
  vault.fingerprint('catalog-cursor', JSON.stringify([accountId, storeId, place])).slice(0, SEAL_LENGTH)

type PriceFilter = { readonly min?: number | undefined; readonly max?: number | undefined }

type Ranges = { readonly prices: ProductSearch['prices']; readonly incomplete: boolean }

/**
 * The prices of each currency that a filter lets through (C-CAT-01). The filter's amounts are in the caller's currency,
 * to which prices are converted, or in each price's own where the caller names none. `incomplete`: a rate is not known
 * right now, and the products that need it are left out.
 */
const rangesOf = async (
  flow: UseCaseContext,
  currencies: readonly string[],
  filter: PriceFilter | undefined,
  target: string | undefined,
): Promise<Ranges> => {
  const known = currencies.filter((currency) => minorDigits(currency) !== undefined)
  if (filter?.min === undefined && filter?.max === undefined)
    return { prices: known.map((currency) => ({ currency, least: 0n, below: undefined })), incomplete: false }
  const bounds = { min: bigintOf(filter.min), max: bigintOf(filter.max) }
  const ranges = known.map(async (currency) => {
    const to = target ?? currency
    const digits = minorDigits(to) ?? refuse('invalid-request', 'context.currency: has to be a currency of ISO 4217')
    const same = to === currency
    const [fromRate, toRate] = same ? ['1', '1'] : await Promise.all([usdPer(flow, currency), usdPer(flow, to)])
    return { currency, ...pricesWithin(bounds, { from: fromRate, to: toRate, digits, same }) }
  })
  const { there, incomplete } = await thoseAvailable(ranges)
  return { prices: there, incomplete }
}

const usdPer = ({ rates }: UseCaseContext, currency: string): Promise<string> =>
  mustAnswer('the rate source', rates.usdPer(currency))

const bigintOf = (amount: number | undefined): bigint | undefined => (amount === undefined ? undefined : BigInt(amount))
