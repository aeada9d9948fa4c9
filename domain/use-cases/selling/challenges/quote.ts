import { isRefusal } from '../../../kernel/refusal.ts'
import type { ChallengeEntry } from '../../../selling/challenge-terms.ts'
import type { OwnAsset } from '../../account/own-assets.ts'
import type { Flow } from '../../context.ts'
import { amountIn, type Price, rateOf } from './challenge-entry.ts'
import { type Asked, offersFor } from './offers.ts'
import { testEntries } from './test-entries.ts'

export type QuoteWish = Asked & { readonly test: boolean }

/** What a challenge would ask for, but for where and by when. */
export type Quoted = Pick<ChallengeEntry, 'asset' | 'network' | 'amount' | 'decimals' | 'name' | 'contract'>

/**
 * What a price comes to in each coin that can be received right now, at today's rates. It opens nothing and holds
 * nothing, so that looking costs nothing; a coin whose rate is not known at the moment is left out.
 */
export const quote = async (flow: Flow, wish: QuoteWish): Promise<readonly Quoted[]> => {
  const { price, offers } = await offersFor(flow, wish)
  const quoted = wish.test
    ? (await testEntries(flow, offers, { price, confirmations: 1, underpaymentBasisPoints: 0 })).there
    : await Promise.all(offers.map((own) => inCoin(flow, own, price)))
  return quoted.filter((each) => each !== undefined)
}

const inCoin = async (flow: Flow, own: OwnAsset, price: Price): Promise<Quoted | undefined> => {
  const { code, network, decimals, name, contract } = own.asset
  const rate = await rateOf(flow, own).catch((error: unknown) => {
    if (isRefusal(error, 'unavailable')) return undefined
    throw error
  })
  if (rate === undefined) return undefined
  const amount = amountIn(own.asset, price, rate)
  return { asset: code, network, amount: String(amount), decimals, name, ...(contract !== undefined && { contract }) }
}
