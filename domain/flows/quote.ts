import { RATE_DECIMALS, toUnits } from '../money.ts'
import { Refusal } from '../refusal.ts'
import type { ChallengeEntry } from '../sell/challenge-terms.ts'
import { coinPrice, type Price, rateOf } from './challenge-entry.ts'
import { answered, type Flow } from './flow.ts'
import { receivable } from './open-challenge.ts'
import { type OwnAsset, ownAssets } from './own-assets.ts'
import { testEntries } from './test-entries.ts'

export type QuoteWish = {
  accountId: string
  /** Fiat price in millionths. */
  amount: string
  /** The price in coin, when that is what was agreed. */
  assetAmount: string | null
  currency: string
  acceptedAssets: readonly string[]
  test: boolean
}

/** What a challenge would ask for, but for where and by when. */
export type Quoted = Pick<ChallengeEntry, 'asset' | 'network' | 'amount' | 'decimals' | 'name' | 'contract'>

/**
 * What a price comes to in each coin that can be received right now, at today's rates. It opens nothing and holds nothing, so that looking
 * costs nothing; a coin whose rate is not known at the moment is left out.
 */
export const quote = async (flow: Flow, wish: QuoteWish): Promise<readonly Quoted[]> => {
  const { accountId, amount, assetAmount, currency, acceptedAssets, test } = wish
  const wallets = await flow.ledger.wallet.recent(accountId)
  const ownAsset = await ownAssets(flow.ledger, accountId, acceptedAssets, 'recent')
  const fiatRate = toUnits(await answered('the rate source', flow.rates.usdPer(currency)), RATE_DECIMALS)
  const price = { amount: BigInt(amount), fiatRate, ...(assetAmount !== null && { assetAmount: BigInt(assetAmount) }) }
  const offers = acceptedAssets.flatMap((code) => receivable(flow, ownAsset(code), wallets[code]))
  const quoted = test
    ? await testEntries(flow, offers, { price, confirmations: 1, underpaymentBasisPoints: 0 })
    : await Promise.all(offers.map((own) => inCoin(flow, own, price)))
  return quoted.filter((each) => each !== undefined)
}

const inCoin = async (flow: Flow, own: OwnAsset, price: Price): Promise<Quoted | undefined> => {
  const { code, network, decimals, displayDecimals, name, contract } = own.asset
  const rate = await rateOf(flow, own).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'unavailable') return undefined
    throw error
  })
  if (rate === undefined) return undefined
  const step = 10n ** BigInt(decimals - displayDecimals)
  const amount = price.assetAmount ?? coinPrice(price, toUnits(rate, RATE_DECIMALS), decimals, step)
  return { asset: code, network, amount: String(amount), decimals, name, ...(contract !== undefined && { contract }) }
}
