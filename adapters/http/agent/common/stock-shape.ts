import { z } from 'zod'
import { STOCK_MAX } from '../../../../domain/storefront/stock-loans.ts'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { type StockLevel, stockOf } from '../../../../domain/use-cases/selling/stock/change-stock.ts'

/** The stock of a product, as its seller writes and reads it (N-97). */

/** How many pieces there are; null: they are not counted, so that there are always some. */
export const Stock = z.int().min(0).max(STOCK_MAX).nullable()

export const stockFields = {
  stock: Stock.meta({
    description: 'Pieces that are there, those that wait for a payment included; null: they are not counted.',
  }),
  in_stock: z.boolean().meta({ description: 'Whether a piece of it can be bought now.' }),
}

export type StockShown = { readonly stock: number | null; readonly in_stock: boolean }

export const stockShown = ({ count, inStock }: StockLevel): StockShown => ({ stock: count, in_stock: inStock })

/** A row says whether pieces are counted at all; the ledger, how many are there now. */
export const stockOfRow = async (
  flow: UseCaseContext,
  { stock }: { readonly stock: number | null },
  productId: string,
): Promise<StockShown> => (stock === null ? firstStock() : stockShown(await stockOf(flow, productId)))

/** The stock of a product as it was made. */
export const firstStock = (stock: number | null = null): StockShown => ({ stock, in_stock: stock !== 0 })
