import { assetOn, assets, unknownAssetText } from '../../../kernel/assets.ts'
import { FIAT_DECIMALS, mulDivRound, RATE_DECIMALS, toDecimal, toUnits } from '../../../kernel/money.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import { type OwnAsset, ownAssetNamed, ownAssets } from '../../account/own-assets.ts'
import { mustAnswer, type UseCaseContext } from '../../context.ts'
import { rateOf } from './challenge-entry.ts'

/**
 * What coins and currencies cost, exactly, for whoever asks (M-RAT-01 to M-RAT-03). Nothing is guessed: what has no
 * price has none.
 */

/** Decimals by code; null: it has no price right now. */
export type RateList = Readonly<Record<string, string | null>>

/** Codes that are asked for; no coins given means all that can be received here. */
type Wish = { accountId: string; coins: readonly string[] | undefined; currencies: readonly string[]; currency: string }

/**
 * What an amount of a coin is worth in a currency, to the nearest millionth. Refuses `unknown-asset`, `unavailable`,
 * and `invalid-request` for more places than the coin has, or a currency that nobody prices.
 */
export const fiatValue = async (
  flow: UseCaseContext,
  { accountId, amount, coin, currency }: { accountId: string; amount: string; coin: string; currency: string },
): Promise<string> => {
  const own = await ownAssetNamed(flow.ledger, accountId, coin)
  const { decimals } = own.asset
  const units = coinUnits(amount, decimals)
  const [rate, fiat] = await Promise.all([coinDollars(flow, own), currencyDollars(flow, currency)])
  const value = mulDivRound(units * rate, 10n ** BigInt(FIAT_DECIMALS), fiat * 10n ** BigInt(decimals))
  return toDecimal(value, FIAT_DECIMALS)
}

/**
 * The worth of one whole coin of each code, and of one of each currency, in a currency, to twelve places. When a single
 * one is asked for and has no price, refuses `unavailable`.
 */
export const exchangeRates = async (flow: UseCaseContext, wish: Wish): Promise<RateList> => {
  const { accountId, coins, currencies, currency } = wish
  const owned = coins ? await ownedBy(flow, accountId, coins) : await receivable(flow, accountId)
  const base = await currencyDollars(flow, currency)
  const asking: [code: string, usd: Promise<bigint>][] = [
    ...owned.map((own): [string, Promise<bigint>] => [own.asset.code, coinDollars(flow, own)]),
    ...currencies.map((code): [string, Promise<bigint>] => [code, currencyDollars(flow, code)]),
  ]
  const isAlone = coins !== undefined && asking.length === 1
  const rates = asking.map(async ([code, usd]) => {
    const rate = await (isAlone ? usd : unlessUnavailable(usd))
    return [code, rate === undefined ? null : inUnits(rate, base)] as const
  })
  return Object.fromEntries(await Promise.all(rates))
}

/** Refuses `invalid-request` for what is no currency here; whether it has a rate at the moment does not matter. */
export const knownCurrency = async (flow: UseCaseContext, currency: string): Promise<void> => {
  await unlessUnavailable(currencyDollars(flow, currency))
}

const inUnits = (usd: bigint, base: bigint): string =>
  toDecimal(mulDivRound(usd, 10n ** BigInt(RATE_DECIMALS), base), RATE_DECIMALS)

const ownedBy = async (
  flow: UseCaseContext,
  accountId: string,
  codes: readonly string[],
): Promise<readonly OwnAsset[]> => {
  const ownAsset = await ownAssets(flow.ledger, accountId, codes, 'read')
  return codes.map((code) => ownAsset(code) ?? refuse('unknown-asset', unknownAssetText(code)))
}

/** Every coin whose chain is connected, the seller's own tokens among them. */
const receivable = async ({ ledger, chains }: UseCaseContext, accountId: string): Promise<readonly OwnAsset[]> => {
  const tokens = Object.keys(await ledger.customTokens.read(accountId))
  const codes = [...assets.map(({ code }) => code), ...tokens]
  const ownAsset = await ownAssets(ledger, accountId, codes, 'read')
  return codes.flatMap((code) => {
    const own = ownAsset(code)
    const chain = own && chains.get(own.asset.network)
    return chain && (own.token || assetOn(own.asset, chain.caip2)) ? [own] : []
  })
}

/** US dollars for one whole coin, in 10⁻¹². */
const coinDollars = async (flow: UseCaseContext, own: OwnAsset): Promise<bigint> => {
  const rate =
    (await rateOf(flow, own)) ??
    refuse('unavailable', `There is no price of ${own.asset.code} right now. Try again in a moment.`)
  return toUnits(rate, RATE_DECIMALS)
}

const currencyDollars = async ({ rates }: UseCaseContext, currency: string): Promise<bigint> =>
  toUnits(await mustAnswer('the rate source', rates.usdPer(currency)), RATE_DECIMALS)

const coinUnits = (amount: string, decimals: number): bigint => {
  const places = amount.split('.')[1]?.replace(/0+$/, '').length ?? 0
  return places > decimals
    ? refuse(
        'invalid-request',
        `amount: has to be ${toDecimal(1n, decimals)} at least, the smallest amount of this coin`,
      )
    : toUnits(amount, decimals)
}

const unlessUnavailable = async <T>(asking: Promise<T>): Promise<T | undefined> => {
  try {
    return await asking
  } catch (error) {
    if (isRefusal(error, 'unavailable')) return undefined
    throw error
  }
}
