import { type Asset, coinOf } from '../../../kernel/assets.ts'
import { FIAT_DECIMALS, mulDivFloor, RATE_DECIMALS, toDecimal, toUnits } from '../../../kernel/money.ts'
import { Refusal } from '../../../kernel/refusal.ts'
import { type OwnAsset, ownAssets, walletOf } from '../../account/own-assets.ts'
import { mustAnswer, type UseCaseContext } from '../../context.ts'
import { rateOf } from './challenge-entry.ts'

/** Addresses that one call asks chains about; a coin whose addresses do not all fit is told without an amount. */
export const BALANCE_ADDRESSES_MAX = 200

/** The balance of a coin over all its addresses. */
type OwnBalance = {
  /** The balance in whole coins; null where a chain is not connected, does not answer in time or cannot tell. */
  readonly amount: string | null
  /** The worth of the balance now, in `currency`; null without a rate. */
  readonly fiat: string | null
  readonly currency: string
  readonly addresses: number
}

export type OwnBalances = {
  readonly balances: { readonly [code: string]: OwnBalance }
  /** The total worth of the coins that have one here; null when there are coins and none of them has. */
  readonly total_fiat: string | null
  readonly currency: string
}

/**
 * What a seller's own addresses hold on their chains, for every coin that it can be paid in now (M-SET-06, N-63). It is
 * what stands on the chain: money of whatever origin, also what the ledger knows nothing of.
 */
export const ownBalances = async (flow: UseCaseContext, accountId: string): Promise<OwnBalances> => {
  const { ledger, rates } = flow
  const [holdings, { currency }] = await Promise.all([holdingsOf(flow, accountId), ledger.settings.read(accountId)])
  const fiatRate = unlessRefused(mustAnswer('the rate source', rates.usdPer(currency)))
  const found = await Promise.all(
    holdings.map(async (holding) => {
      const [units, rate, perFiat] = await Promise.all([
        sumOf(flow, holding),
        unlessRefused(rateOf(flow, holding.own)),
        fiatRate,
      ])
      const { asset } = holding.own
      const fiat = units === undefined || !rate || !perFiat ? undefined : worthOf(asset, units, rate, perFiat)
      return { code: asset.code, addresses: holding.addresses.length, units, decimals: asset.decimals, fiat }
    }),
  )
  const worths = found.flatMap(({ fiat }) => (fiat === undefined ? [] : [fiat]))
  const total = worths.reduce((sum, fiat) => sum + fiat, 0n)
  return {
    balances: Object.fromEntries(
      found.map(({ code, addresses, units, decimals, fiat }) => [
        code,
        { amount: shown(units, decimals), fiat: shown(fiat, FIAT_DECIMALS), currency, addresses },
      ]),
    ),
    total_fiat: shown(worths.length > 0 || found.length === 0 ? total : undefined, FIAT_DECIMALS),
    currency,
  }
}

type Holding = { readonly own: OwnAsset; readonly addresses: readonly string[]; readonly isAsked: boolean }

/**
 * The coins that are not paused. Those with the fewest addresses are asked for first, so that a long list costs only
 * itself.
 */
const holdingsOf = async ({ ledger }: UseCaseContext, accountId: string): Promise<readonly Holding[]> => {
  const wallets = await ledger.wallet.read(accountId)
  const codes = Object.keys(wallets)
  const ownAsset = await ownAssets(ledger, accountId, codes, 'read')
  const active = codes.flatMap((code) => {
    const own = ownAsset(code)
    const wallet = own && walletOf(own, wallets[code])
    return own && wallet?.active && wallet.addresses.length > 0 ? [{ own, addresses: wallet.addresses }] : []
  })
  let left = BALANCE_ADDRESSES_MAX
  return active
    .toSorted((a, b) => a.addresses.length - b.addresses.length)
    .map((holding) => {
      left -= holding.addresses.length
      return { ...holding, isAsked: left >= 0 }
    })
}

/** The sum of a coin over all its addresses, or undefined: a sum of only some of them would pass for the whole. */
const sumOf = async (
  flow: UseCaseContext,
  { own: { asset }, addresses, isAsked }: Holding,
): Promise<bigint | undefined> => {
  const chain = flow.chains.get(asset.network)
  if (!chain || !isAsked) return undefined
  const coin = coinOf({ ...asset, asset: asset.code })
  const all = await Promise.all(addresses.map((address) => flow.balanceNow(chain, address, coin)))
  return all.reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each), 0n)
}

/** The worth of a balance in millionths of the currency, rounded down. */
const worthOf = ({ decimals }: Asset, units: bigint, rate: string, fiatRate: string): bigint => {
  const [coin, fiat] = [toUnits(rate, RATE_DECIMALS), toUnits(fiatRate, RATE_DECIMALS)]
  return mulDivFloor(units * 10n ** BigInt(FIAT_DECIMALS), coin, fiat * 10n ** BigInt(decimals))
}

/** Undefined where a price is refused: the balance is then told without its worth. */
const unlessRefused = async (asking: Promise<string | undefined>): Promise<string | undefined> => {
  try {
    return await asking
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

const shown = (units: bigint | undefined, decimals: number): string | null =>
  units === undefined ? null : toDecimal(units, decimals)
