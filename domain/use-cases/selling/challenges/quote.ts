import { isRefusal } from '../../../kernel/refusal.ts'
import type { ChallengeEntry } from '../../../selling/challenge-terms.ts'
import type { OwnAsset } from '../../account/own-assets.ts'
import type { UseCaseContext } from '../../context.ts'
import { amountIn, type Price, rateOf } from './challenge-entry.ts'
import { type AskingPrice, offersFor } from './offers.ts'
import { testEntries, testOffers } from './test-entries.ts'

export type QuoteWish = AskingPrice & { readonly test: boolean }

/** What a challenge would ask for, without its address and its end. */
export type CoinQuote = Pick<ChallengeEntry, 'asset' | 'network' | 'amount' | 'decimals' | 'name' | 'contract'>

/**
 * What a price comes to in each coin that can be received right now, at today's rates. It opens nothing and holds
 * nothing, so that looking costs nothing; a coin whose rate is not known at the moment is left out.
 */
export const quote = async (flow: UseCaseContext, wish: QuoteWish): Promise<readonly CoinQuote[]> => {
  const { price, offers } = await offersFor(flow, wish)
  const quoted = wish.test
    ? (
        await testEntries(flow, await testOffers(flow, wish, offers), {
          price,
          confirmations: 1,
          underpaymentBasisPoints: 0,
        })
      ).there
    : await Promise.all(offers.map((own) => inCoin(flow, own, price)))
  return quoted.filter((each) => each !== undefined)
}

const inCoin = async (flow: UseCaseContext, own: OwnAsset, price: Price): Promise<CoinQuote | undefined> => {
  const { code, network, decimals, name, contract } = own.asset
  const rate = await rateOf(flow, own).catch((error: unknown) => {
    if (isRefusal(error, 'unavailable')) return undefined
    throw error
  })
  if (rate === undefined) return undefined
  const amount = amountIn(own.asset, price, rate)
  return { asset: code, network, amount: String(amount), decimals, name, ...(contract !== undefined && { contract }) }
}
