import type { Goods } from '../../../selling/payment-request.ts'
import type { Ledger } from '../../../write-side/ledger.ts'

/** What a payment is for, as far as its pieces are concerned. */
export type PiecesSale = {
  /** The resource that is sold, or null when a request asks for the payment. */
  readonly resId: string | null
  readonly paymentRequest?: { readonly requestId: string }
}

/** The products that a payment pays for. Nobody asks here whether their pieces are counted. */
export const goodsOf = async (ledger: Ledger, { resId, paymentRequest }: PiecesSale): Promise<readonly Goods[]> => {
  if (!paymentRequest) return resId === null ? [] : [{ productId: resId, quantity: 1 }]
  const { requestId } = paymentRequest
  const recent = await ledger.paymentRequest.recent(requestId)
  // Another process may have made it without this one knowing yet.
  const request = recent.status === 'none' ? await ledger.paymentRequest.read(requestId) : recent
  return request.status === 'none' ? [] : (request.goods ?? [])
}

/**
 * Those of some products whose pieces are counted. Most are not, and cost no look into the log: this process may learn
 * a moment later that a seller has begun to count, and then its sale came before.
 */
export const countedOf = async (ledger: Ledger, goods: readonly Goods[]): Promise<readonly Goods[]> => {
  const states = await Promise.all(goods.map(({ productId }) => ledger.stock.recent(productId)))
  return goods.filter((_, index) => states[index]?.count !== null)
}

/**
 * The name under which pieces are held: the request, which is paid once, whichever way; else the challenge or the card
 * payment, because a resource is sold to each.
 */
export const holderOf = ({ paymentRequest }: PiecesSale, paymentId: string): string =>
  paymentRequest?.requestId ?? paymentId

/** What a transaction was for. */
export const saleOf = ({ resId, requestId }: { resId: string | null; requestId?: string }): PiecesSale => ({
  resId,
  ...(requestId !== undefined && { paymentRequest: { requestId } }),
})

/** The products of a cart, each once. */
export const goodsTogether = (all: readonly Goods[]): readonly Goods[] => {
  const sums = new Map<string, number>()
  for (const { productId, quantity } of all) sums.set(productId, (sums.get(productId) ?? 0) + quantity)
  return [...sums].map(([productId, quantity]) => ({ productId, quantity }))
}
