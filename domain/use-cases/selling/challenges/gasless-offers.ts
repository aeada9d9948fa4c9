import type { GaslessToken, Relayer } from '../../../gasless/relayer.ts'
import { type Asset, assetOf } from '../../../kernel/assets.ts'
import { gaslessFee, gaslessFeeMax } from '../../../kernel/fees.ts'
import { FIAT_DECIMALS, toDecimal, type Units } from '../../../kernel/money.ts'
import type { ChallengeEntry } from '../../../selling/challenge-terms.ts'
import { signedConfirmations } from '../../../selling/required-confirmations.ts'
import type { UseCaseContext } from '../../context.ts'

/** A seller who owes this much, in millionths of a US dollar, gets no more gas on account. */
const OWED_MAX_USD = 1_000_000n

export type GaslessOffer = {
  readonly token: GaslessToken
  readonly relayer: Relayer
  /** What the seller is billed for gas at most, in millionths of a US dollar. */
  readonly gasFeeMax: Units
  /** Blocks, the transfer's own included, before it counts. */
  readonly confirmations: number
}

type Coin = Pick<ChallengeEntry, 'asset' | 'network' | 'contract' | 'gasFeeMax'>

/**
 * Tells which of a sale's coins may be paid by a signature now (J-GAS-01): the seller has not opted out and is good for
 * the gas, the network has a relayer that can pay it, and the gas costs the seller no more than the sale brings, and no
 * more than its challenge said when it was opened. `usd` is the price in millionths of a US dollar.
 */
export const gaslessOffers = async (
  { ledger, relayers }: UseCaseContext,
  { accountId, usd, test }: { accountId: string; usd: Units; test: boolean },
): Promise<(coin: Coin) => GaslessOffer | undefined> => {
  if (test || relayers.size === 0) return () => undefined
  const [{ gasless, confirmations: set }, { owed }] = await Promise.all([
    ledger.settings.recent(accountId),
    ledger.creditAccount.recent(accountId),
  ])
  if (!gasless || owed >= OWED_MAX_USD) return () => undefined
  return (coin) => {
    const carrier = carrierOf(relayers, coin)
    const asset = assetOf(coin.asset)
    if (!carrier || !asset) return undefined
    const { relayer, token, cost } = carrier
    const gasFeeMax = coin.gasFeeMax ?? String(gaslessFeeMax(cost, BigInt(usd)))
    if (gaslessFee(cost) > BigInt(gasFeeMax)) return undefined
    return { token, relayer, gasFeeMax, confirmations: signedConfirmations(set, asset, BigInt(usd)) }
  }
}

/** Why a coin that could be paid by a signature is not offered so now; undefined when it is. */
export const whyNotGasless = async (
  { ledger, relayers }: Pick<UseCaseContext, 'ledger' | 'relayers'>,
  { accountId, usd }: { accountId: string; usd: Units },
  coin: Coin,
): Promise<string | undefined> => {
  const [{ gasless }, { owed }] = await Promise.all([
    ledger.settings.recent(accountId),
    ledger.creditAccount.recent(accountId),
  ])
  if (!gasless) return 'The seller has switched signed payments off.'
  if (owed >= OWED_MAX_USD) return 'The seller owes for gas, and gets no more of it on account.'
  const carrier = carrierOf(relayers, coin)
  if (!carrier) return 'The relayer of this network cannot pay for gas right now.'
  const [fee, most] = [gaslessFee(carrier.cost), gaslessFeeMax(carrier.cost, BigInt(usd))]
  if (fee <= most) return undefined
  const dollars = (units: bigint) => `${toDecimal(units, FIAT_DECIMALS)} USD`
  return `The price is too low: the gas of a signed payment costs ${dollars(fee)} now, and this sale bears ${dollars(most)}.`
}

/** What a challenge that is opened now says of the gas: the most that a payment of it by signature is billed. */
export const gasPromise = (
  { relayers }: Pick<UseCaseContext, 'relayers'>,
  { code, network, contract }: Pick<Asset, 'code' | 'network' | 'contract'>,
  usd: bigint,
): { gasFeeMax?: Units } => {
  const carrier = carrierOf(relayers, { asset: code, network, contract })
  return carrier ? { gasFeeMax: String(gaslessFeeMax(carrier.cost, usd)) } : {}
}

/**
 * The relayer that carries out signed payments of a coin, its token, and what one payment costs now; undefined while
 * there is none.
 */
const carrierOf = (
  relayers: UseCaseContext['relayers'],
  { asset, network, contract }: { asset: string; network: string; contract?: string | undefined },
) => {
  const relayer = relayers.get(network)
  const token = relayer?.tokens.get(asset)
  const cost = relayer?.cost()
  if (!relayer || !token || token.contract !== contract || cost === undefined) return undefined
  return { relayer, token, cost }
}
