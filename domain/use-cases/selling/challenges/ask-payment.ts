import type { Asset } from '../../../kernel/assets.ts'
import { inStore } from '../../../kernel/in-store.ts'
import { toUnits } from '../../../kernel/money.ts'
import { refuse } from '../../../kernel/refusal.ts'
import type { OpenRequest } from '../../../selling/payment-request.ts'
import { ownAssetNamed } from '../../account/own-assets.ts'
import { mustBePayable, payableCoins } from '../../account/payable-coins.ts'
import type { UseCaseContext } from '../../context.ts'
import type { Once } from '../../once.ts'
import { type Expiry, openRequest, type RequestWish } from './open-request.ts'

/** One payment that is asked for by a link, whichever surface it came by (J-PRQ-01, M-TXN-01). */
export type PaymentLinkTerms = {
  readonly accountId: string
  readonly storeId: number
  /** Fiat price in millionths; null when the payer chooses or the price is in coin. */
  readonly amount: bigint | null
  /** The currency of the price; the seller's own when undefined. */
  readonly currency: string | undefined
  /** The only coin that it may be paid in. */
  readonly asset: string | null
  /** Price in that coin, as a decimal. */
  readonly assetAmount: string | null
  readonly title: string
  readonly note: string
  readonly expiry: Expiry
  readonly redirect: string
  readonly externalReference: string
}

/** The default of the documents' closed list (N-40). */
export const EXPIRY_DEFAULT = '24h'

/**
 * Opens the request, or answers the first one. Refuses `invalid-request`, `unknown-asset`, `wallet-missing`,
 * `idempotency-conflict`, and as the rates do for a currency that nobody prices.
 */
export const askPayment = (
  flow: UseCaseContext,
  once: Once,
  ask: PaymentLinkTerms,
): Promise<OpenRequest & { requestId: string }> => {
  const requestId = once.id('pr')
  const read = async () => ({ ...(await flow.ledger.paymentRequest.read(requestId)), requestId })
  // A repetition is told what the first one was, whatever the seller has changed since.
  return once.make(read, async () => openRequest(flow, once, await wishOf(flow, ask)))
}

const wishOf = async (flow: UseCaseContext, ask: PaymentLinkTerms): Promise<RequestWish> => {
  const { accountId, storeId, amount, asset, assetAmount, ...rest } = ask
  if (ask.externalReference.startsWith('res_'))
    return refuse(
      'invalid-request',
      'An external_reference that starts with res_ is that of a resource: choose another.',
    )
  const currency = ask.currency ?? (await flow.ledger.settings.read(accountId)).currency
  await flow.rates.usdPer(currency)
  const coin = await coinOf(flow, accountId, asset)
  return {
    ...rest,
    accountId,
    ...inStore(storeId),
    currency,
    asset,
    webhookUrl: null,
    test: false,
    ...(assetAmount === null
      ? { amount: amount === null ? null : String(amount), assetAmount }
      : { amount: null, ...priceIn(coin, assetAmount) }),
  }
}

/**
 * The coin that is asked for. The seller has to be payable in it or, when no coin is named, in any coin at all. Refuses
 * `unknown-asset`, `wallet-missing`, `rate-missing`.
 */
const coinOf = async (flow: UseCaseContext, accountId: string, code: string | null): Promise<Asset | undefined> => {
  if (code === null) {
    await payableCoins(flow, accountId)
    return undefined
  }
  await mustBePayable(flow, accountId, [code])
  return (await ownAssetNamed(flow.ledger, accountId, code)).asset
}

const priceIn = (coin: Asset | undefined, decimal: string): Pick<RequestWish, 'assetAmount' | 'decimals'> => {
  if (!coin) return refuse('invalid-request', 'An amount in coin needs its coin: say which, as asset.')
  if ((decimal.split('.')[1] ?? '').length > coin.displayDecimals)
    return refuse(
      'invalid-request',
      `An amount of ${coin.code} has at most ${coin.displayDecimals} places after the point.`,
    )
  return { assetAmount: String(toUnits(decimal, coin.decimals)), decimals: coin.decimals }
}
