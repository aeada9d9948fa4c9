import { z } from 'zod'
import type { Once } from '../../../../domain/use-cases/once.ts'
import { fiatUnits } from '../../agent/common/amounts.ts'
import type { CheckoutRecord } from '../../agent/common/checkout-shape.ts'
import type { Downloads } from '../../agent/common/downloads.ts'
import type { StockShown } from '../../agent/common/stock-shape.ts'
import { createCheckout, listCheckouts } from '../../agent/selling/own-checkouts.ts'
import { endpoint, type Reply } from '../../core/endpoint.ts'
import { newLinkPage } from '../../pages/dashboard/products/forms.ts'
import { type LinkLine, linksPage } from '../../pages/dashboard/products/list.ts'
import { KINDS, linkAt } from '../../pages/dashboard/products/paths.ts'
import { seeOther } from '../../pages/people-page.ts'
import { faultsOf } from '../form-faults.ts'
import { csrf, type MemberRequest, ofMembers } from '../of-dashboard.ts'
import { storesOf } from '../payments/list.ts'
import { linkFile } from './file.ts'
import { FILE_ROWS, LinkQuery, listing, ROWS, understood } from './narrowing.ts'
import { NEW_PRODUCT_FIELDS, newFormFields, newProduct, productForm } from './product-form.ts'

/** The products of an account, which the API calls saved payment links: their list, and the making of one. */

const { path } = KINDS.products
const common = { ...ofMembers, path, reach: 'store' } as const

const list = endpoint({
  ...common,
  method: 'get',
  callers: { capability: 'checkouts.view' },
  summary: 'The products of the account, newest first, narrowed by the filters in the address',
  query: LinkQuery.extend({ before: listing.before, done: listing.done }),
  async answer({ query: { before, done, ...given }, ...request }) {
    const { wish, errors } = understood(given)
    const context = { ...request, actor: request.actor.actor }
    const rows = wish ? await listCheckouts(context, { ...wish, before: before || undefined, limit: ROWS + 1 }) : []
    return linksPage({
      member: request.actor,
      kind: 'products',
      filters: given,
      errors,
      rows: rows.slice(0, ROWS).map(productLine),
      isFirst: !before,
      older: rows.length > ROWS ? String(rows[ROWS - 1]?.id) : undefined,
      stores: await storesOf(request),
      done,
    })
  },
})

const COLUMNS = [
  'id',
  'slug',
  'title',
  'description',
  'price',
  'currency',
  'asset',
  'store_id',
  'listed',
  'stock',
  'in_stock',
  'vendor',
  'tags',
  'sku',
  'variant',
  'pictures',
  'url',
  'created_at',
  'updated_at',
] as const

const csv = (downloads: Downloads) =>
  endpoint({
    auth: 'member',
    path: `${path}.csv`,
    method: 'get',
    reach: 'store',
    callers: { capability: 'checkouts.view' },
    summary: 'The products that the list shows, as CSV',
    ignores: 'query',
    query: LinkQuery,
    returns: z.string(),
    produces: 'text/csv',
    refusals: ['busy'],
    answer: ({ query, ...request }) =>
      linkFile(downloads, request.actor.accountId, 'products', COLUMNS, async (before) => {
        const { wish } = understood(query)
        const context = { ...request, actor: request.actor.actor }
        return wish ? await listCheckouts(context, { ...wish, before, limit: FILE_ROWS }) : []
      }),
  })

const make = endpoint({
  ...common,
  method: 'get',
  when: { new: '1' },
  callers: { capability: 'checkouts.edit' },
  summary: 'The form in which a product is made; of a further variant, with what it has in common with the others',
  query: z.object({ new: listing.new, like: z.string().max(80).optional() }),
  answer: async ({ query: { like }, ...request }) =>
    newLinkPage({ member: request.actor, kind: 'products', form: await productForm(request, { like }) }),
})

const create = endpoint({
  ...common,
  method: 'post',
  when: { act: 'create' },
  callers: { capability: 'checkouts.edit' },
  summary: 'Makes a product',
  body: z.object({ csrf, ...newFormFields }),
  answer: ({ body: { csrf: _, ...typed }, once, ...request }) => made(request, once, typed),
})

export const productListEndpoints = (downloads: Downloads) => [list, csv(downloads), make, create]

const made = async (request: MemberRequest, once: Once, typed: Parameters<typeof newProduct>[0]): Promise<Reply> => {
  try {
    const { slug } = await createCheckout({ ...request, actor: request.actor.actor, once }, newProduct(typed))
    return seeOther(`${linkAt('products', slug)}?done=made`)
  } catch (error) {
    const faults = faultsOf(error, NEW_PRODUCT_FIELDS, 'title')
    const form = await productForm(request, { values: typed, faults })
    return newLinkPage({ member: request.actor, kind: 'products', form })
  }
}

/** A product as a line of the list. */
export const productLine = (record: z.input<typeof CheckoutRecord>): LinkLine => ({
  id: record.slug,
  title: record.title,
  price: unitsOf(record.price, record.currency),
  state: record.listed ? 'listed' : 'unlisted',
  createdAt: record.created_at,
  storeId: record.store_id,
  pieces: piecesShown(record),
})

/** The pieces that a list shows; none can be sold where all of them are lent, too. */
export const piecesShown = ({ stock, in_stock: isIn }: StockShown): number | undefined =>
  isIn ? (stock ?? undefined) : 0

/** An amount of the API in millionths. */
export const unitsOf = (amount: number, currency: string) => ({ units: fiatUnits(amount), currency })
