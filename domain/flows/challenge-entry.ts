import type { CustomToken } from '../account/custom-tokens.ts'
import { type Asset, coinOf } from '../assets.ts'
import { FIAT_DECIMALS, mulDivCeil, RATE_DECIMALS, toUnits } from '../money.ts'
import type { Chain } from '../ports.ts'
import { isRefusal } from '../refusal.ts'
import type { ChallengeEntry } from '../sell/challenge-terms.ts'
import { amountOf, holderOf, isFullUntil, isIdle, receiveAddressId } from '../sell/receive-address.ts'
import { answered, type Flow } from './flow.ts'
import type { OwnAsset } from './own-assets.ts'

/** What one coin's challenge is made of. */
export type EntryWish = {
  asset: Asset
  /** Of a custom token: where its price comes from. */
  token: CustomToken | undefined
  chain: Chain
  /** The seller's own, the main one first. */
  addresses: readonly string[]
  price: Price
  setId: string
  accountId: string
  /** When the challenge ends, and until when its amount is nobody else's. */
  endsAt: string
  heldUntil: string
  anonymous: boolean
  confirmations: number
  /** What may be missing of a payment, in hundredths of a percent. */
  underpaymentBasisPoints: number
}

/** Millionths of a currency, the dollars that one of it costs, and the price in coin where that was agreed instead. */
export type Price = { amount: bigint; fiatRate: bigint; assetAmount?: bigint }

/** A last place that is worth this much in US dollars is no longer given away to tell amounts apart. */
const COARSE_STEP_USD = toUnits('0.01', RATE_DECIMALS)
/** Addresses of a list that are tried before the main one is shared; more would cost a caller too many looks. */
const ADDRESSES_TRIED_MAX = 16

/** One coin's challenge: where to pay, and how much. Undefined when no payment of it could be told from somebody else's. */
export const entryFor = async (flow: Flow, wish: EntryWish): Promise<ChallengeEntry | undefined> => {
  const { asset, chain } = wish
  const { network, decimals } = asset
  const [rate, head] = await Promise.all([rateOf(flow, wish), answered(network, flow.headNow(chain))])
  if (rate === undefined) return undefined
  const step = stepOf(asset)
  const price = amountIn(asset, wish.price, rate)
  const coarse = toUnits(rate, RATE_DECIMALS) * step >= COARSE_STEP_USD * 10n ** BigInt(decimals)
  const place = (await lentAddress(flow, wish, price)) ?? (await sharedAddress(flow, wish, { price, step, coarse }))
  if (!place) return undefined
  const { confirmations } = wish
  const coin = { asset: asset.code, network, chain: chain.caip2, rate, heightAtIssue: head.height }
  return { ...coin, confirmations, ...place, ...lenient(place.amount, wish.underpaymentBasisPoints), ...factsOf(asset) }
}

/**
 * US dollars for one whole coin, never guessed: undefined for a custom token without a price (N-32), and refuses `unavailable` while the market
 * gives none for a coin of the catalogue (N-23).
 */
export const rateOf = async ({ rates, prices }: Flow, { asset, token }: OwnAsset): Promise<string | undefined> =>
  token ? tokenRate(prices, token) : answered('the rate source', rates.usdPer(asset.code))

const tokenRate = async (prices: Flow['prices'], { rate, rateUrl }: CustomToken): Promise<string | undefined> =>
  (rateUrl === null ? undefined : await prices.usdFrom(rateUrl)) ?? rate ?? undefined

/** The least that counts as paid, rounded up: never less than the seller agreed to. */
export const lenient = (amount: string, basisPoints: number): { least?: string } =>
  basisPoints === 0 ? {} : { least: String(mulDivCeil(BigInt(amount), BigInt(10_000 - basisPoints), 10_000n)) }

type Place = Pick<ChallengeEntry, 'payTo' | 'amount' | 'match'>

/**
 * An address of the list, but not the main one, that is free of any other payment: what comes to it is this buyer's, whatever the amount.
 * Callers without a name get none, because a flood of them would take all.
 */
const lentAddress = async (
  { ledger, world }: Flow,
  { asset, addresses, setId, accountId, endsAt, heldUntil, anonymous }: EntryWish,
  price: bigint,
): Promise<Place | undefined> => {
  if (anonymous) return undefined
  for (const payTo of turned(addresses.slice(1), setId).slice(0, ADDRESSES_TRIED_MAX)) {
    const stream = streamOf(asset, payTo)
    if (!isIdle(await ledger.receiveAddress.recent(stream), world.now().toISOString())) continue
    const challengeId = `${setId}.${asset.code}`
    const lent = await unlessTaken(ledger.receiveAddress.lend(stream, { challengeId, accountId, endsAt, heldUntil }))
    if (lent) return { payTo, amount: String(price), match: 'address' }
  }
  return undefined
}

/** The main address, with an amount that no other open challenge asks for; when none is left, with the price and by hash alone. */
const sharedAddress = async (
  { ledger, world }: Flow,
  { asset, addresses: [payTo = ''], setId, accountId, endsAt, heldUntil, anonymous }: EntryWish,
  { price, step, coarse }: { price: bigint; step: bigint; coarse: boolean },
): Promise<Place | undefined> => {
  const stream = streamOf(asset, payTo)
  const wish = { price: String(price), step: String(step), coarse, anonymous }
  const now = world.now().toISOString()
  const challengeId = `${setId}.${asset.code}`
  const state = await ledger.receiveAddress.recent(stream)
  const reserved = isFullUntil(state, wish, now)
    ? undefined
    : await unlessTaken(ledger.receiveAddress.reserve(stream, { challengeId, accountId, endsAt, heldUntil, ...wish }))
  const amount = reserved && amountOf(reserved.state, challengeId)
  if (amount !== undefined) return { payTo, amount, match: 'amount' }
  // Paid without its hash, this amount would be taken for the payment of whoever holds it.
  const held = holderOf(await ledger.receiveAddress.recent(stream), price, now)
  return held === undefined ? { payTo, amount: String(price), match: 'hash' } : undefined
}

const streamOf = (asset: Asset, to: string) =>
  receiveAddressId({ network: asset.network, coin: coinOf({ ...asset, asset: asset.code }), to })

/** From a place in the list that the set's id chooses, so that buyers who come at once do not all ask for the same address. */
const turned = (addresses: readonly string[], setId: string): readonly string[] => {
  let sum = 0
  for (const character of setId) sum = (sum * 31 + character.charCodeAt(0)) % 1_000_003
  const start = addresses.length > 0 ? sum % addresses.length : 0
  return [...addresses.slice(start), ...addresses.slice(0, start)]
}

const unlessTaken = async <T>(reserving: Promise<T>): Promise<T | undefined> => {
  try {
    return await reserving
  } catch (error) {
    if (isRefusal(error, 'no-free-amount')) return undefined
    throw error
  }
}

/**
 * What a price comes to in the coin's smallest unit at a rate in US dollars: as it was agreed, or rounded up, once, to the last place that a
 * payer is asked to type.
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
  ...{ decimals, displayDecimals, name },
  ...(contract !== undefined && { contract }),
})

/** The last place that a payer types, in smallest units. */
const stepOf = ({ decimals, displayDecimals }: Asset): bigint => 10n ** BigInt(decimals - displayDecimals)
