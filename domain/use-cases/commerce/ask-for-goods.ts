import type { SessionTerms } from '../../commerce/session-events.ts'
import { millionthsOf } from '../../kernel/currencies.ts'
import { inStore } from '../../kernel/in-store.ts'
import { FIAT_DECIMALS, toDecimal } from '../../kernel/money.ts'
import { refuse } from '../../kernel/refusal.ts'
import type { OpenRequest } from '../../selling/payment-request.ts'
import type { UseCaseContext } from '../context.ts'
import type { Once } from '../once.ts'
import { EXPIRIES, type Expiry, openRequest } from '../selling/challenges/open-request.ts'
import { lendPieces } from '../selling/stock/lend-pieces.ts'
import type { Shop } from './items.ts'
import { priceCart } from './price-cart.ts'
import { goodsIn, wordsOf } from './session-request.ts'

/** A payment that is asked for some products, at the prices and with the VAT that a cart of them has. */
export type GoodsWish = {
  readonly shop: Shop
  readonly items: readonly { readonly id: string; readonly quantity: number }[]
  readonly expiry: Expiry
  readonly redirect: string
  readonly externalReference: string
  readonly test: boolean
  /** It is asked for at the counter of the store. */
  readonly till?: true
}

/**
 * Opens the request, or answers the first one. The pieces are lent before it, so that nobody is shown a price of what
 * is gone; whoever cancels it, or lets its time pass, gives them back. Refuses `item-not-found`, `out-of-stock`,
 * `invalid-request`, `unavailable` and `idempotency-conflict`.
 */
export const askForGoods = (
  flow: UseCaseContext,
  once: Once,
  wish: GoodsWish,
): Promise<OpenRequest & { requestId: string }> => {
  const { ledger, world } = flow
  const requestId = once.id('pr')
  const read = async () => ({ ...(await ledger.paymentRequest.read(requestId)), requestId })
  return once.make(read, async () => {
    const { items, shop, test, expiry, ...rest } = wish
    const cart = await priceCart(flow, { shop, items, ...NOBODY, currency: undefined, codes: [], rates: {} })
    if (cart.test !== test)
      refuse(
        'item-not-found',
        'Test items are sold by tests, and live ones by nothing else. Choose items of the other kind.',
      )
    const endsAt = new Date(world.now().getTime() + EXPIRIES[expiry] * 1_000).toISOString()
    const giveBack = await lendPieces(ledger, { holder: requestId, goods: goodsIn(cart), endsAt })
    try {
      return await openRequest(flow, once, {
        ...rest,
        accountId: shop.accountId,
        ...inStore(shop.storeId),
        ...priceOf(cart),
        ...wordsOf(cart),
        expiry,
        test,
        webhookUrl: null,
      })
    } catch (error) {
      await giveBack()
      throw error
    }
  })
}

/** The buyer of whom nothing is known. */
const NOBODY = { country: undefined, vatNumber: undefined } as const

type Cart = Omit<SessionTerms, 'person'>

const priceOf = ({ total, digits, currency, assets, tax, taxAmount }: Cart) => {
  const amount = millionthsOf(BigInt(total), digits)
  const vat = millionthsOf(BigInt(taxAmount), digits)
  return {
    amount: String(amount),
    ...(tax && amount > 0n && { vat: { amount: String(vat), of: String(amount) } }),
    assetAmount: null,
    currency,
    asset: null,
    ...(assets && { assets }),
    ...(tax && { record: { vat: toDecimal(vat, FIAT_DECIMALS), vatDetails: tax.details } }),
  }
}
