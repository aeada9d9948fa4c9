import { z } from 'zod'
import { StoreId } from '../../core/stores.ts'
import { CurrencyCode, FiatAmount } from './amounts.ts'
import { Stock, stockFields } from './stock-shape.ts'
import { WebhookUrl } from './webhooks.ts'

/** A priced resource as it is written and read (J-RES-01). */

const WINDOW_HOURS_MAX = 24 * 366
const TEST_CONFIRMATIONS_MAX = 200
const ASSETS_MAX = 100
const TITLE_MAX = 200

export const Cap = z
  .object({ amount: FiatAmount, window_hours: z.int().min(1).max(WINDOW_HOURS_MAX) })
  .meta({ id: 'SpendCap' })

export const Created = z
  .object({
    res_id: z.string(),
    amount: z.number(),
    currency: z.string(),
    accepted_assets: z.array(z.string()),
    max_per_caller: Cap.nullable(),
    checkout_url: z.url(),
    title: z.string().optional(),
    listed: z.literal(true).optional(),
    ...stockFields,
    test: z.literal(true).optional(),
  })
  .meta({ id: 'Resource', description: 'Something priced once and sold many times.' })

export const Listed = Created.extend({
  title: z.string(),
  listed: z.boolean().meta({ description: 'Whether it is in the public lists; its `checkout_url` sells in any case.' }),
  settled: z.boolean(),
}).meta({ id: 'ListedResource' })

/** What people read of a resource; an empty text is none. */
const Title = z.string().trim().max(TITLE_MAX)

/** What is said of a new resource. */
export const NewResource = z.object({
  amount: FiatAmount,
  currency: CurrencyCode.default('USD'),
  accepted_assets: z.array(z.string().max(32)).min(1).max(ASSETS_MAX).optional(),
  webhook_url: WebhookUrl.optional(),
  max_per_caller: Cap.nullable().default(null),
  store_id: StoreId.optional(),
  test: z.boolean().default(false),
  test_confirmations: z.int().min(1).max(TEST_CONFIRMATIONS_MAX).default(1),
  title: Title.default(''),
  listed: z.boolean().default(false),
  stock: Stock.optional(),
})

/** What changes of a resource; what is not given stays as it is. */
export const ResourceChange = z
  .object({
    max_per_caller: Cap.nullable().optional(),
    title: Title.optional(),
    listed: z.boolean().optional(),
    stock: Stock.optional(),
  })
  .refine(
    (body) => Object.values(body).some((value) => value !== undefined),
    'max_per_caller, title, listed or stock is needed',
  )
