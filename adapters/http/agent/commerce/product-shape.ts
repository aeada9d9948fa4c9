import { z } from 'zod'
import { unitPrice } from '../../../../domain/commerce/unit-price.ts'
import { minorDigits } from '../../../../domain/kernel/currencies.ts'
import { numberNamed } from '../../../../domain/selling/checkout.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import type { ProductKind, ProductRow } from '../../../../projections/commerce/product-queries.ts'
import { buyUrl } from '../common/checkout-shape.ts'
import { stockOfRow } from '../common/stock-shape.ts'

/**
 * A product as the catalog shows it: one thing that is sold, with one variant under the same id, which is what a cart
 * names (C-CAT-01, N-03).
 */

/** What a search can be narrowed to: sellers have no categories of their own. */
export const CATEGORIES: readonly ProductKind[] = ['checkout', 'resource']

const Price = z.object({ amount: z.int(), currency: z.string() })
const Description = z.object({ plain: z.string() })

const Variant = z.object({
  id: z.string(),
  title: z.string(),
  description: Description,
  price: Price,
  availability: z.object({ available: z.boolean(), status: z.enum(['in_stock', 'out_of_stock']) }),
})

export const Product = z
  .object({
    id: z.string(),
    title: z.string(),
    description: Description,
    url: z.url(),
    categories: z.array(z.object({ value: z.enum(['checkout', 'resource']), taxonomy: z.literal('merchant') })),
    price_range: z.object({ min: Price, max: Price }),
    variants: z.array(Variant),
  })
  .meta({ id: 'Product', description: 'Prices are whole smallest units of their currency.' })

/** A product as a lookup shows it: with the id that was asked for. */
export const FoundProduct = Product.extend({
  variants: z.array(Variant.extend({ inputs: z.array(z.object({ id: z.string(), match: z.literal('exact') })) })),
})

/**
 * A product of the catalog; undefined when its price is in no currency of ISO 4217, as there is no smallest unit to
 * count in.
 */
export const productOf = async (
  flow: UseCaseContext,
  row: ProductRow,
): Promise<z.output<typeof Product> | undefined> => {
  const digits = minorDigits(row.currency)
  if (digits === undefined) return undefined
  const { id, kind, title, currency } = row
  const { unit } = unitPrice({ price: BigInt(row.price), from: '1', to: '1', digits, same: true })
  const price = { amount: Number(unit), currency }
  const { in_stock: available } = await stockOfRow(flow, row, kind === 'checkout' ? (numberNamed(id) ?? id) : id)
  const availability = { available, status: available ? ('in_stock' as const) : ('out_of_stock' as const) }
  // A description has to say something.
  const description = { plain: row.description || title }
  return {
    id,
    title,
    description,
    url: urlOf(flow.origins.pay, row),
    categories: [{ value: kind, taxonomy: 'merchant' }],
    price_range: { min: price, max: price },
    variants: [{ id, title, description, price, availability }],
  }
}

/** Those of some products that can be shown. */
export const productsOf = async (
  flow: UseCaseContext,
  rows: readonly ProductRow[],
): Promise<z.output<typeof Product>[]> =>
  (await Promise.all(rows.map((row) => productOf(flow, row)))).filter((each) => each !== undefined)

const urlOf = (pay: string, { id, checkoutId }: ProductRow): string =>
  checkoutId === null ? buyUrl(pay, id) : resourceUrl(pay, checkoutId)

/** The address at which a resource is bought, as often as somebody likes. */
export const resourceUrl = (pay: string, checkoutId: string): string => `${pay}/checkout/${checkoutId}`
