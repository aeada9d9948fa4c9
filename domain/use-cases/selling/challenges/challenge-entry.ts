import type { CustomToken } from '../../../account/custom-tokens.ts'
import type { Asset } from '../../../kernel/assets.ts'
import { FIAT_DECIMALS, mulDivCeil, RATE_DECIMALS, toUnits } from '../../../kernel/money.ts'
import type { Chain } from '../../../kernel/ports.ts'
import type { ChallengeEntry } from '../../../selling/challenge-terms.ts'
import { stepOf, unitOf } from '../../../selling/free-amount.ts'
import type { OwnAsset } from '../../account/own-assets.ts'
import { type Buyer, placeFor } from '../../account/receive-place.ts'
import { mustAnswer, type UseCaseContext } from '../../context.ts'
import { gasPromise } from './gasless-offers.ts'

/** What one coin's challenge is made of. */
export type EntryWish = Buyer & {
  asset: Asset
  /** The custom token, which says where its price comes from; undefined for a coin of the catalogue. */
  token: CustomToken | undefined
  chain: Chain
  /** The seller's own addresses, the main one first. */
  addresses: readonly string[]
  price: Price
  /** The price in millionths of a US dollar. */
  usd: bigint
  confirmations: number
  /** What may be missing of a payment, in hundredths of a percent. */
  underpaymentBasisPoints: number
}

/**
 * `amount`: millionths of a currency. `fiatRate`: US dollars for one of it, in 10⁻¹². `assetAmount`: the price in the
 * coin's smallest unit, where that was agreed instead.
 */
export type Price = { amount: bigint; fiatRate: bigint; assetAmount?: bigint }

/**
 * One coin's challenge: where to pay, and how much. Undefined when nobody says what the coin costs. Refuses
 * `no-free-amount` when no payment of it could be told from somebody else's, and `rate-limited` as `placeFor` says.
 */
export const entryFor = async (flow: UseCaseContext, wish: EntryWish): Promise<ChallengeEntry | undefined> => {
  const { asset, chain, confirmations, addresses } = wish
  const { network } = asset
  const [rate, head] = await Promise.all([sourcedRateOf(flow, wish), mustAnswer(network, flow.headNow(chain))])
  if (rate === undefined) return undefined
  const price = amountIn(asset, wish.price, rate.rate)
  const place = await placeFor(flow, wish, { asset, addresses, price: String(price), ...unitOf(asset, rate.rate) })
  const coin = { asset: asset.code, network, chain: chain.caip2, ...rate, heightAtIssue: head.height }
  return {
    ...coin,
    confirmations,
    ...place,
    ...lenient(place.amount, wish.underpaymentBasisPoints),
    ...gasPromise(flow, asset, wish.usd),
    ...factsOf(asset),
  }
}

/**
 * US dollars for one whole coin, never guessed: undefined for a custom token without a price (N-32), and refuses
 * `unavailable` while the market gives none for a coin of the catalogue (N-23).
 */
export const rateOf = async (flow: UseCaseContext, own: OwnAsset): Promise<string | undefined> =>
  (await sourcedRateOf(flow, own))?.rate

/** The same, and who says so. */
export const sourcedRateOf = async (
  { rates, prices }: UseCaseContext,
  { asset, token }: OwnAsset,
): Promise<SourcedRate | undefined> => {
  if (token) return tokenRate(prices, token)
  const rate = await mustAnswer('the rate source', rates.usdPer(asset.code))
  const rateSource = rates.sourceOf?.(asset.code)
  return { rate, ...(rateSource !== undefined && { rateSource }) }
}

type SourcedRate = Pick<ChallengeEntry, 'rate' | 'rateSource'>

const tokenRate = async (
  prices: UseCaseContext['prices'],
  { rate, rateUrl }: CustomToken,
): Promise<SourcedRate | undefined> => {
  const found = rateUrl === null ? undefined : await prices.usdFrom(rateUrl)
  if (rateUrl !== null && found !== undefined) return { rate: found, rateSource: placeOf(rateUrl) }
  return rate === null ? undefined : { rate, rateSource: 'seller' }
}

/** The feed and its id, or the host of a URL: its path and query are the seller's own, and may hold a key. */
const placeOf = (source: string): string => /^https?:\/\/([^/?#@]*@)?([^/?#]+)/i.exec(source)?.[2] ?? source

/** The least that counts as paid, rounded up: never less than the seller agreed to. */
export const lenient = (amount: string, basisPoints: number): { least?: string } =>
  basisPoints === 0 ? {} : { least: String(mulDivCeil(BigInt(amount), BigInt(10_000 - basisPoints), 10_000n)) }

/**
 * What a price comes to in the coin's smallest unit at a rate in US dollars: as it was agreed, or rounded up, once, to
 * the last place that a payer is asked to type.
 */
export const amountIn = (asset: Asset, { amount, fiatRate, assetAmount }: Price, rate: string): bigint => {
  if (assetAmount !== undefined) return assetAmount
  const step = stepOf(asset)
  const coinRate = toUnits(rate, RATE_DECIMALS)
  const scale = 10n ** BigInt(asset.decimals)
  return mulDivCeil(amount * scale, fiatRate, 10n ** BigInt(FIAT_DECIMALS) * coinRate * step) * step
}

/** What an entry keeps of its coin, so that its payment can be read without the catalogue. */
export const factsOf = ({ decimals, displayDecimals, name, contract }: Asset) => ({
  decimals,
  displayDecimals,
  name,
  ...(contract !== undefined && { contract }),
})
