import { TEST_COIN } from '../../../kernel/assets.ts'
import type { Chain } from '../../../kernel/ports.ts'
import type { ChallengeEntry } from '../../../selling/challenge-terms.ts'
import { type OwnAsset, ownAssets } from '../../account/own-assets.ts'
import { type PartialList, thoseAvailable, type UseCaseContext } from '../../context.ts'
import { amountIn, factsOf, lenient, type Price, rateOf } from './challenge-entry.ts'
import type { AskingPrice } from './offers.ts'

type TestOffer = OwnAsset & { chain: Pick<Chain, 'caip2'>; addresses: readonly string[] }

/** The offer of play money: its coin, chain and address stand for no real ones. */
const PLAY: TestOffer = { asset: TEST_COIN, token: undefined, chain: { caip2: 'test' }, addresses: ['test'] }

/**
 * The offers of a test: those of the seller's wallets. A price in a coin without a wallet is asked for in that coin, at
 * an address that stands for no real one; play money would not be worth the same.
 */
export const testOffers = async (
  { ledger }: UseCaseContext,
  { accountId, acceptedAssets, assetAmount }: Pick<AskingPrice, 'accountId' | 'acceptedAssets' | 'assetAmount'>,
  offers: readonly TestOffer[],
): Promise<readonly TestOffer[]> => {
  const [code] = acceptedAssets
  if (offers.length > 0 || !assetAmount || code === undefined) return offers
  const own = (await ownAssets(ledger, accountId, [code], 'recent'))(code)
  return own ? [{ ...own, chain: PLAY.chain, addresses: PLAY.addresses }] : offers
}

/**
 * The entries of a test resource: those of its wallets that have a price, or one of play money without any. No
 * chain is asked and no amount is reserved, because nothing but a simulation pays them.
 */
export const testEntries = async (
  flow: UseCaseContext,
  offers: readonly TestOffer[],
  terms: TestTerms,
): Promise<PartialList<ChallengeEntry>> => {
  const own = await entriesOf(flow, offers, terms)
  return own.there.length > 0 ? own : entriesOf(flow, [PLAY], terms)
}

type TestTerms = { price: Price; confirmations: number; underpaymentBasisPoints: number }

const entriesOf = (
  flow: UseCaseContext,
  offers: readonly TestOffer[],
  terms: TestTerms,
): Promise<PartialList<ChallengeEntry>> =>
  thoseAvailable<ChallengeEntry>(
    offers.map(async ({ asset, token, chain, addresses: [payTo = ''] }) => {
      const { code, network } = asset
      const rate = asset === TEST_COIN ? '1' : await rateOf(flow, { asset, token })
      if (rate === undefined) return undefined
      const amount = String(amountIn(asset, terms.price, rate))
      return {
        asset: code,
        network,
        chain: chain.caip2,
        payTo,
        amount,
        rate,
        heightAtIssue: 0,
        confirmations: terms.confirmations,
        match: 'amount' as const,
        ...lenient(amount, terms.underpaymentBasisPoints),
        ...factsOf(asset),
      }
    }),
  )
