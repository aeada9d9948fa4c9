import { refuse } from '../../../kernel/refusal.ts'
import type { Goods } from '../../../selling/payment-request.ts'
import { stock } from '../../../storefront/stock.ts'
import type { StockReason } from '../../../storefront/stock-events.ts'
import { heldBy, isInStock, lentAt, type StockState } from '../../../storefront/stock-loans.ts'
import type { UseCaseContext } from '../../context.ts'
import type { Once } from '../../once.ts'

/** How many pieces there are of a product, as its seller says and sees it (N-97). */

/** The number itself, or what is added to it (taken away, when negative). */
export type StockChange = {
  readonly accountId: string
  /** The key that said so. */
  readonly by: string
  readonly reason: StockReason
} & ({ readonly count: number | null } | { readonly delta: number })

export type StockLevel = {
  /** Pieces that are there; null where nobody counts them. */
  readonly count: number | null
  /** Those of them that are lent to payments that may still come. */
  readonly lent: number
  /** Those that can be sold now; null where nobody counts them. */
  readonly available: number | null
  readonly inStock: boolean
}

/** The prefix of the ids of calls. */
const CALL = 'stock'

/**
 * Changes the number of pieces; a repetition of the same request changes nothing again (X-IDEM-01). Refuses
 * `state-forbids` for fewer than are lent, and `idempotency-conflict`.
 */
export const changeStock = async (
  flow: UseCaseContext,
  productId: string,
  change: StockChange,
  once?: Once,
): Promise<StockLevel> => {
  const call = once?.call(CALL)
  const known = async () => {
    const state = await flow.ledger.stock.read(productId)
    const before = call && state.calls.find(({ id }) => id === call.id)
    return before ? { ...level(before), request: before.request } : ({ status: 'none' } as const)
  }
  const changed = async () => {
    const { state } = await flow.ledger.stock.change(productId, { ...change, ...(call && { call }) })
    return levelOf(flow, state)
  }
  return once ? once.make<StockLevel>(known, changed) : changed()
}

/** Refuses as `changeStock` does, before anything else of the same request is done. */
export const mustBePossible = async (flow: UseCaseContext, productId: string, change: StockChange): Promise<void> => {
  stock.decide.change(await flow.ledger.stock.read(productId), change, flow.world.now().toISOString())
}

/** Whether its pieces were ever counted, even if nobody counts them any more. */
export const wasCounted = async ({ ledger }: UseCaseContext, productId: string): Promise<boolean> =>
  (await ledger.stock.read(productId)).accountId !== ''

/** The stock of a product as this process knows it. */
export const stockOf = async (flow: UseCaseContext, productId: string): Promise<StockLevel> =>
  levelOf(flow, await flow.ledger.stock.recent(productId))

/**
 * Refuses `out-of-stock` for more pieces than can be sold now, in the words of who asks for `title`. It lends none, so
 * that the pieces may be gone when they are paid for.
 */
export const mustBeInStock = async (
  flow: UseCaseContext,
  { productId, quantity }: Goods,
  title?: string,
): Promise<void> => {
  const state = await flow.ledger.stock.recent(productId)
  if (isInStock(state, flow.world.now().toISOString(), quantity)) return
  refuse('out-of-stock', title && missingText(quantity, title))
}

const missingText = (quantity: number, title: string): string => {
  const named = JSON.stringify(title)
  return quantity === 1 ? `There is no piece left of ${named}.` : `There are not ${quantity} pieces left of ${named}.`
}

/** Whether a sale can be paid: its pieces are lent to it, or as many can be lent now. */
export const arePiecesThere = async (
  { ledger, world }: UseCaseContext,
  goods: readonly Goods[],
  holder: string,
): Promise<boolean> => {
  const now = world.now().toISOString()
  for (const { productId, quantity } of goods) {
    const state = await ledger.stock.recent(productId)
    if (!heldBy(state, holder, now) && !isInStock(state, now, quantity)) return false
  }
  return true
}

const levelOf = ({ world }: Pick<UseCaseContext, 'world'>, state: StockState): StockLevel => {
  const now = world.now().toISOString()
  return level({ count: state.count, lent: state.count === null ? 0 : lentAt(state, now) })
}

const level = ({ count, lent }: { readonly count: number | null; readonly lent: number }): StockLevel => {
  const available = count === null ? null : Math.max(0, count - lent)
  return { count, lent, available, inStock: available !== 0 }
}
