import { z } from 'zod'
import { CHECKOUT_BOUNDS, PRODUCT_HANDLE } from '../../../../domain/selling/checkout.ts'
import type { CheckoutRow } from '../../../../projections/selling/checkouts.ts'
import { StoreId } from '../../core/stores.ts'
import { marked } from './accepts.ts'
import { CurrencyCode, FiatAmount, fiatNumber } from './amounts.ts'
import { Stock, type StockShown, stockFields } from './stock-shape.ts'

/** A saved payment link as it is written and read, on both surfaces (N-03). */

/** The number or the slug of a checkout. */
export const CheckoutName = z.string().min(1).max(80)

/** Characters of the address of a picture. */
const PICTURE_MAX = 300

/**
 * The address of a picture, of which only the path is kept: the picture is shown from our own origin, whatever that is
 * then.
 */
export const Picture = z
  .string()
  .max(PICTURE_MAX)
  .regex(
    /^(https?:\/\/[A-Za-z0-9.:[\]-]+)?\/assets\/media\/[0-9a-f]{32}\.(png|jpg|webp)$/,
    'has to be a picture that was uploaded',
  )
  .transform((url) => url.slice(url.indexOf('/assets/media/')))

const Variant = z
  .strictObject({
    product: z
      .string()
      .max(CHECKOUT_BOUNDS.handle)
      .regex(PRODUCT_HANDLE, 'has to be letters, digits and hyphens, such as green-tea'),
    position: z.int().min(1).max(CHECKOUT_BOUNDS.position),
    options: z
      .array(
        z.strictObject({
          name: z.string().trim().min(1).max(CHECKOUT_BOUNDS.optionName),
          value: z.string().trim().min(1).max(CHECKOUT_BOUNDS.optionValue),
        }),
      )
      .max(CHECKOUT_BOUNDS.options),
  })
  .meta({
    id: 'ProductVariant',
    description:
      'One form of a product that is sold in several: all forms have the same `product`, and the one at position 1 stands for it in the lists of its store.',
  })

const fields = {
  title: z.string().trim().min(1).max(CHECKOUT_BOUNDS.title),
  price: FiatAmount,
  currency: CurrencyCode.optional(),
  asset: z.string().min(1).max(32).nullable().optional(),
  description: z.string().max(CHECKOUT_BOUNDS.description).optional(),
  store_id: StoreId.optional(),
  listed: z.boolean().optional(),
  stock: Stock.optional(),
  pictures: z.array(Picture).max(CHECKOUT_BOUNDS.pictures).optional(),
  variant: Variant.nullable().optional(),
  vendor: z.string().trim().max(CHECKOUT_BOUNDS.vendor).optional(),
  tags: z.array(z.string().trim().min(1).max(CHECKOUT_BOUNDS.tag)).max(CHECKOUT_BOUNDS.tags).optional(),
  sku: z.string().trim().max(CHECKOUT_BOUNDS.sku).optional(),
}

/** A new checkout. A field that nobody knows is refused (N-07). */
export const NewCheckout = z.strictObject(fields)

/** Fields that are not given stay as they are. */
export const CheckoutEdit = NewCheckout.partial()

/** The refusals of a coin that a checkout names and nobody could pay. */
export const UNPAYABLE = ['unknown-asset', 'wallet-missing', 'rate-missing', 'unavailable'] as const

/** The version of a checkout that a change was made on. */
export const Version = z.int().min(1).max(1_000_000_000)

export const CheckoutRecord = z
  .object({
    id: z.int(),
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    price: z.number(),
    currency: z.string(),
    asset: z.string().nullable(),
    store_id: z.int(),
    listed: z.boolean().meta({ description: 'Whether it is in the public lists; its `url` sells in any case.' }),
    ...stockFields,
    pictures: z.array(z.string()).meta({ description: 'Paths of pictures on the origin of the API.' }),
    variant: Variant.nullable(),
    vendor: z.string(),
    tags: z.array(z.string()),
    sku: z.string(),
    version: z.int(),
    url: z.url(),
    test: z.literal(true).optional(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Checkout', description: 'A saved payment link: a product that whoever opens its `url` may buy.' })

export const checkoutRecord = (
  pay: string,
  row: Omit<CheckoutRow, 'test' | 'stock'> & { readonly test?: boolean },
  stock: StockShown,
): z.input<typeof CheckoutRecord> => ({
  id: Number(row.number),
  slug: row.slug,
  title: row.title,
  description: row.description,
  price: fiatNumber(row.price),
  currency: row.currency,
  asset: row.asset,
  store_id: row.storeId,
  listed: row.listed ?? true,
  ...stock,
  pictures: [...(row.pictures ?? [])],
  variant: row.variant
    ? { ...row.variant, options: row.variant.options.map(({ name, value }) => ({ name, value })) }
    : null,
  vendor: row.vendor ?? '',
  tags: [...(row.tags ?? [])],
  sku: row.sku ?? '',
  version: row.version,
  url: buyUrl(pay, row.slug),
  ...marked({ test: row.test === true }),
  created_at: row.createdAt,
  updated_at: row.changedAt,
})

/** The address at which a checkout is bought. */
export const buyUrl = (pay: string, slug: string): string => `${pay}/buy/${slug}`

/** The address of a checkout's landing page, if it has one. */
export const landerUrl = (pay: string, slug: string): string => `${pay}/l/${slug}`
