import { z } from 'zod'
import type { CheckoutRow } from '../../../../projections/selling/checkouts.ts'
import { StoreId } from '../../core/stores.ts'
import { marked } from './accepts.ts'
import { CurrencyCode, FiatAmount, fiatNumber } from './amounts.ts'
import { Stock, type StockShown, stockFields } from './stock-shape.ts'

/** A saved payment link as it is written and read, on both surfaces (N-03). */

const TITLE_MAX = 200
const DESCRIPTION_MAX = 2_000

/** The number or the slug of a checkout. */
export const CheckoutName = z.string().min(1).max(80)

const fields = {
  title: z.string().trim().min(1).max(TITLE_MAX),
  price: FiatAmount,
  currency: CurrencyCode.optional(),
  asset: z.string().min(1).max(32).nullable().optional(),
  description: z.string().max(DESCRIPTION_MAX).optional(),
  store_id: StoreId.optional(),
  listed: z.boolean().optional(),
  stock: Stock.optional(),
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
