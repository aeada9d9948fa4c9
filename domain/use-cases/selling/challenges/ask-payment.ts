import type { Asset } from '../../../kernel/assets.ts'
import { inStore } from '../../../kernel/in-store.ts'
import { coinUnits, FIAT_DECIMALS, RATE_DECIMALS, toDecimal, toUnits } from '../../../kernel/money.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import type { OpenRequest } from '../../../selling/payment-request.ts'
import { type OwnAsset, ownAssetNamed } from '../../account/own-assets.ts'
import { mustBePayable, payableCoins } from '../../account/payable-coins.ts'
import type { UseCaseContext } from '../../context.ts'
import type { Once } from '../../once.ts'
import { amountIn, rateOf } from './challenge-entry.ts'
import { type Expiry, openRequest, type RequestWish, worthOf } from './open-request.ts'

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
  /** A test, which no money pays; it needs no wallet. */
  readonly test: boolean
  /** It is asked for at the counter of the store. */
  readonly till?: true
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
  const own = ask.test ? await testCoinOf(flow, accountId, asset) : await payableCoin(flow, accountId, asset)
  const price =
    assetAmount === null
      ? { amount: amount === null ? null : String(amount), assetAmount }
      : { amount: null, ...priceIn(own?.asset, assetAmount) }
  return {
    ...rest,
    accountId,
    ...inStore(storeId),
    currency,
    asset,
    webhookUrl: null,
    ...price,
    record: await otherSide(flow, own, { accountId, asset, currency, ...price }),
  }
}

/**
 * The price in the other unit, at the rate of this moment: in money where coin is asked for, and in the coin where
 * money is. It stands on the record until a payer has chosen, and whose price is then exact. Nothing while there is
 * no rate.
 */
export const otherSide = async (
  flow: UseCaseContext,
  own: OwnAsset | undefined,
  price: Pick<RequestWish, 'accountId' | 'asset' | 'currency' | 'amount' | 'assetAmount'>,
): Promise<NonNullable<RequestWish['record']>> => {
  const { amount, assetAmount, currency } = price
  try {
    if (assetAmount !== null)
      return { amountFiat: toDecimal(await worthOf(flow, { ...price, assetAmount }), FIAT_DECIMALS) }
    const rate = own && amount !== null ? await rateOf(flow, own) : undefined
    if (!own || amount === null || rate === undefined) return {}
    const fiatRate = toUnits(await flow.rates.usdPer(currency), RATE_DECIMALS)
    return { amount: toDecimal(amountIn(own.asset, { amount: BigInt(amount), fiatRate }, rate), own.asset.decimals) }
  } catch (error) {
    if (isRefusal(error, 'unavailable')) return {}
    throw error
  }
}

/**
 * The coin that is asked for, or undefined for any. The seller has to be payable in it or, when no coin is named, in
 * any coin at all. Refuses `unknown-asset`, `wallet-missing`, `rate-missing`.
 */
export const payableCoin = async (
  flow: UseCaseContext,
  accountId: string,
  code: string | null,
): Promise<OwnAsset | undefined> => {
  if (code === null) {
    await payableCoins(flow, accountId)
    return undefined
  }
  await mustBePayable(flow, accountId, [code])
  return ownAssetNamed(flow.ledger, accountId, code)
}

/** The coin that a test asks for. Nobody is paid in it, so that it needs no wallet. Refuses `unknown-asset`. */
const testCoinOf = async (
  { ledger }: UseCaseContext,
  accountId: string,
  code: string | null,
): Promise<OwnAsset | undefined> => (code === null ? undefined : ownAssetNamed(ledger, accountId, code))

const priceIn = (coin: Asset | undefined, decimal: string): Pick<RequestWish, 'assetAmount' | 'decimals'> => {
  if (!coin) return refuse('invalid-request', 'asset: has to name the coin that the amount is in')
  if ((decimal.split('.')[1] ?? '').length > coin.displayDecimals)
    return refuse(
      'invalid-request',
      `asset_amount: has to have at most ${coin.displayDecimals} places after the point, as ${coin.code} does.`,
    )
  return { assetAmount: String(coinUnits(decimal, coin, 'amount')), decimals: coin.decimals }
}
