import type { Wallet } from '../../../account/wallet.ts'
import { assetOn } from '../../../kernel/assets.ts'
import { RATE_DECIMALS, toUnits } from '../../../kernel/money.ts'
import { onOwnAddresses } from '../../account/address-claims.ts'
import { type OwnAsset, ownAssets, walletOf } from '../../account/own-assets.ts'
import { mustAnswer, type UseCaseContext } from '../../context.ts'
import type { Price } from './challenge-entry.ts'

/** A price that is asked for, and the coins that it may be paid in. */
export type AskingPrice = {
  readonly accountId: string
  /** Fiat price in millionths. */
  readonly amount: string
  /** The price in coin, when that is what was agreed. */
  readonly assetAmount?: string | null
  readonly currency: string
  readonly acceptedAssets: readonly string[]
}

/**
 * The price at today's rate, and every accepted coin that can be received right now. Refuses `unavailable` when there
 * is no rate.
 */
export const offersFor = async (
  flow: UseCaseContext,
  { accountId, amount, assetAmount, currency, acceptedAssets }: AskingPrice,
): Promise<{ price: Price; offers: readonly Offer[] }> => {
  const { ledger, rates } = flow
  const wallets = await ledger.wallet.recent(accountId)
  const ownAsset = await ownAssets(ledger, accountId, acceptedAssets, 'recent')
  const fiatRate = toUnits(await mustAnswer('the rate source', rates.usdPer(currency)), RATE_DECIMALS)
  const price = { amount: BigInt(amount), fiatRate, ...(assetAmount && { assetAmount: BigInt(assetAmount) }) }
  const offers = acceptedAssets.flatMap((code) => receivable(flow, ownAsset(code), wallets[code]))
  return { price, offers: await onOwnAddresses(ledger, accountId, offers) }
}

type Offer = ReturnType<typeof receivable>[number]

/**
 * A coin that can be received right now: it is known, its chain is connected, and the seller has an address of it that
 * is not paused.
 */
const receivable = (flow: UseCaseContext, own: OwnAsset | undefined, kept: Wallet | undefined) => {
  const chain = own && flow.chains.get(own.asset.network)
  const wallet = own && walletOf(own, kept)
  const asset = own && chain && (own.token ? own.asset : assetOn(own.asset, chain.caip2))
  return asset && wallet?.active && wallet.addresses.length > 0
    ? [{ asset, token: own.token, chain, addresses: wallet.addresses }]
    : []
}
