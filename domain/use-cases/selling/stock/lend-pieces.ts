import { isRefusal } from '../../../kernel/refusal.ts'
import type { Goods } from '../../../selling/payment-request.ts'
import type { Ledger } from '../../../write-side/ledger.ts'
import { countedOf, goodsOf, holderOf, type PiecesSale } from './goods.ts'

/** How the pieces of a sale are lent, kept and claimed: all of its products, or none (N-98). */

/**
 * Minutes for which a piece stays lent after the sale may not be paid any more: a payment that was made in the last
 * moment is seen once its block is read.
 */
const GRACE_MINUTES = 10

export type PiecesWish = {
  readonly holder: string
  readonly goods: readonly Goods[]
  /** When the sale may not be paid any more (ISO 8601). */
  readonly endsAt: string
  /** A keyed hash of the network of a caller who is not known. */
  readonly network?: string | undefined
}

/**
 * Lends pieces of each product, or of none. Answers how to give back what this very call has lent, when the sale does
 * not come to be. Refuses `out-of-stock`, and `rate-limited` to a network that holds as many as it may.
 */
export const lendPieces = async (
  ledger: Ledger,
  { holder, goods, endsAt, network }: PiecesWish,
): Promise<() => Promise<void>> => {
  const until = new Date(Date.parse(endsAt) + GRACE_MINUTES * 60_000).toISOString()
  const wish = { holder, until, ...(network !== undefined && { network }) }
  const lent: string[] = []
  const giveBack = async () => {
    for (const productId of lent) await ledger.stock.giveBack(productId, { holder, until })
  }
  try {
    for (const { productId, quantity } of await countedOf(ledger, goods)) {
      const { events } = await ledger.stock.lend(productId, { ...wish, quantity })
      if (events.some(({ type, data }) => type === 'PiecesLent' && data.before === undefined)) lent.push(productId)
    }
    return giveBack
  } catch (error) {
    await giveBack()
    throw error
  }
}

/** A payment that is on its way, the set of challenges that it is for, and what it pays for. */
type PiecesPayment = PiecesSale & {
  /** The challenge or card payment. */
  readonly paymentId: string
  /** The set to which pieces of a resource were lent. */
  readonly setId?: string
}

/**
 * Keeps the pieces of a sale for a payment that is being made: nobody is asked for money without them. Refuses
 * `out-of-stock`. `payment` names one that has come, and that its seller takes now.
 */
export const keepPieces = async (ledger: Ledger, sale: PiecesPayment, payment?: string): Promise<void> => {
  const held: string[] = []
  const taken = payment === undefined ? {} : { payment }
  try {
    for (const { productId, quantity } of await countedOf(ledger, await goodsOf(ledger, sale))) {
      const { events } = await ledger.stock.keep(productId, { ...holding(sale), quantity, ...taken })
      if (events.length > 0) held.push(productId)
    }
  } catch (error) {
    await releaseAll(ledger, sale, held)
    throw error
  }
}

/** Keeps them for a payment that was seen, when they are there. */
export const keepIfThere = async (ledger: Ledger, sale: PiecesPayment): Promise<void> => {
  await keepPieces(ledger, sale).catch((error: unknown) => {
    if (!isRefusal(error, 'out-of-stock')) throw error
  })
}

/**
 * Keeps them for a payment that has come, which cannot be refused. False when there are not as many: the answer stays
 * the same for this payment, whoever asks again, until its seller takes it.
 */
export const claimPieces = async (ledger: Ledger, sale: PiecesPayment, payment: string): Promise<boolean> => {
  const held: string[] = []
  for (const { productId, quantity } of await countedOf(ledger, await goodsOf(ledger, sale))) {
    const { state, events } = await ledger.stock.claim(productId, { ...holding(sale), quantity, payment })
    if (state.refused.includes(payment)) {
      await releaseAll(ledger, sale, held)
      return false
    }
    if (events.length > 0) held.push(productId)
  }
  return true
}

/** Releases the pieces of a payment that came to nothing: they are lent as before, as long as that lasts. */
export const releasePieces = async (ledger: Ledger, sale: PiecesPayment): Promise<void> => {
  const goods = await countedOf(ledger, await goodsOf(ledger, sale))
  await releaseAll(
    ledger,
    sale,
    goods.map(({ productId }) => productId),
  )
}

const releaseAll = async (ledger: Ledger, sale: PiecesPayment, products: readonly string[]): Promise<void> => {
  const { holder, from: to } = holding(sale)
  for (const productId of products) await ledger.stock.release(productId, { holder, ...(to !== undefined && { to }) })
}

/** A request holds its pieces itself; of a set of challenges each that is paid is a sale of its own. */
const holding = (sale: PiecesPayment): { holder: string; from?: string } => {
  const holder = holderOf(sale, sale.paymentId)
  return sale.paymentRequest || sale.setId === undefined ? { holder } : { holder, from: sale.setId }
}
