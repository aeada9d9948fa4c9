import { z } from 'zod'
import { STOCK_MAX } from '../../../../domain/storefront/stock-loans.ts'
import { changeStock, type StockChange } from '../../../../domain/use-cases/selling/stock/change-stock.ts'
import type { Actor } from '../../core/endpoint.ts'
import { endpoint } from '../../core/endpoint.ts'
import { CheckoutName } from '../common/checkout-shape.ts'
import { Stock } from '../common/stock-shape.ts'
import { checkoutNumber } from './own-checkouts.ts'
import { ownResourceId } from './own-resources.ts'

/** The stock of a product when goods come, are counted, come back, or are gone (N-97). */

/** Why the number changes. */
const STOCK_REASONS = ['received', 'counted', 'returned', 'lost'] as const

/** What is said of the pieces of a product: how many there are, or how many came or are gone. */
export const PieceChange = z
  .strictObject({
    set: Stock.optional(),
    add: z
      .int()
      .min(-STOCK_MAX)
      .max(STOCK_MAX)
      .refine((add) => add !== 0, 'has to be another number than 0')
      .optional(),
    reason: z.enum(STOCK_REASONS),
  })
  .refine(({ set, add }) => (set === undefined) !== (add === undefined), 'has to have either set or add')

const Level = z
  .object({
    stock: z.int().nullable(),
    lent: z.int(),
    available: z.int().nullable(),
    in_stock: z.boolean(),
  })
  .meta({
    id: 'StockLevel',
    description:
      'The pieces of a product. `stock`: those that are there. `lent`: those of them that wait for payments that may still come. `available`: those that can be sold now. Null where nobody counts them.',
  })

const common = {
  method: 'post',
  auth: 'key',
  reach: 'store',
  idempotent: true,
  body: PieceChange,
  returns: Level,
  waits: 'after',
} as const

const action = z.literal('stock')

const ofCheckout = endpoint({
  ...common,
  path: '/v1/checkouts',
  when: { checkout_id: true, action: 'stock' },
  summary: 'Say how many pieces of a saved payment link there are, or how many came or are gone',
  callers: { capability: 'checkouts.edit', sandbox: 'secret' },
  query: z.object({ checkout_id: CheckoutName, action }),
  refusals: ['checkout-not-found', 'state-forbids'],
  answer: async ({ query, body, actor, flow, once }) =>
    level(
      await changeStock(flow, await checkoutNumber(flow, actor, query.checkout_id), stockChangeOf(actor, body), once),
    ),
})

const ofResource = endpoint({
  ...common,
  path: '/v1/resources',
  when: { res_id: true, action: 'stock' },
  summary: 'Say how many pieces of a resource there are, or how many came or are gone',
  callers: { capability: 'resources.edit', sandbox: 'secret' },
  query: z.object({ res_id: z.string(), action }),
  refusals: ['resource-not-found', 'state-forbids'],
  answer: async ({ query, body, actor, flow, once }) =>
    level(await changeStock(flow, await ownResourceId(flow, actor, query.res_id), stockChangeOf(actor, body), once)),
})

/** What it is for the ledger. */
export const stockChangeOf = (
  { accountId, keyId }: Actor,
  { set = null, add, reason }: z.output<typeof PieceChange>,
): StockChange => {
  const said = { accountId, by: keyId, reason }
  return add === undefined ? { ...said, count: set } : { ...said, delta: add }
}

const level = ({ count, lent, available, inStock }: Awaited<ReturnType<typeof changeStock>>) => ({
  stock: count,
  lent,
  available,
  in_stock: inStock,
})

export const stockEndpoints = [ofCheckout, ofResource]
