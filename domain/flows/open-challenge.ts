import { type Asset, assetOf, networkOf } from '../assets.ts'
import type { Ledger } from '../ledger.ts'
import { FIAT_DECIMALS, mulDivCeil, mulDivFloor, RATE_DECIMALS, toUnits } from '../money.ts'
import type { Chain } from '../ports.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { ChallengeEntry } from '../sell/challenge.ts'
import { holderOf, isFull } from '../sell/receive-address.ts'
import { answered, type Flow } from './flow.ts'

/** How long a challenge stays valid (N-10). */
export const CHALLENGE_MINUTES = 60
/** How long its amounts stay reserved afterwards, so that a late payment is not taken for somebody else's. */
const COOLDOWN_HOURS = 24

export type OpenedChallenge = {
  setId: string
  entries: readonly ChallengeEntry[]
  expiresAt: string
}

/**
 * Mints a set of challenges for a resource: one for each accepted asset that has an active wallet and a connected chain, its price locked
 * at today's rate and its amount unlike every other open one on that address. Refuses `resource-not-found`.
 */
export const openChallenge = async (flow: Flow, resId: string): Promise<OpenedChallenge> => {
  const { ledger, world, rates } = flow
  const resource = await ledger.resource.recent(resId)
  if (resource.status !== 'active') return refuse('resource-not-found')
  const { accountId, amount, currency, acceptedAssets, webhookUrl, test } = resource
  const wallets = await ledger.wallet.recent(accountId)
  const fiatRate = toUnits(await answered('the rate source', rates.usdPer(currency)), RATE_DECIMALS)
  const price = { amount: BigInt(amount), fiatRate }
  const usd = mulDivFloor(price.amount, fiatRate, 10n ** BigInt(RATE_DECIMALS))
  const now = world.now().getTime()
  const expiresAt = new Date(now + CHALLENGE_MINUTES * 60_000).toISOString()
  const heldUntil = new Date(now + CHALLENGE_MINUTES * 60_000 + COOLDOWN_HOURS * 3_600_000).toISOString()
  const setId = world.id('ch')
  const offers = acceptedAssets.flatMap((code) => offer(flow, code, wallets[code]))
  const minted = await Promise.all(
    offers.map(({ asset, chain, payTo }) => entryFor(flow, { asset, chain, payTo, price, setId, heldUntil })),
  )
  const entries = minted.filter((entry) => entry !== undefined)
  const terms = { accountId, resId, amount, currency, usd: String(usd), webhookUrl, test }
  await ledger.challenge.open(setId, { ...terms, entries, expiresAt })
  return { setId, entries, expiresAt }
}

const offer = (flow: Flow, code: string, coin: { addresses: readonly string[]; active: boolean } | undefined) => {
  const asset = assetOf(code)
  const chain = asset && flow.chains.get(asset.network)
  const payTo = coin?.active ? coin.addresses[0] : undefined
  return asset && chain && payTo ? [{ asset, chain, payTo }] : []
}

const entryFor = async (
  { ledger, rates, world, headNow }: Flow,
  o: { asset: Asset; chain: Chain; payTo: string; price: FiatPrice; setId: string; heldUntil: string },
): Promise<ChallengeEntry | undefined> => {
  const { asset, chain, payTo } = o
  const [rate, head] = await Promise.all([
    answered('the rate source', rates.usdPer(asset.code)),
    answered(asset.network, headNow(chain)),
  ])
  const step = 10n ** BigInt(asset.decimals - asset.displayDecimals)
  const price = coinPrice(o.price, toUnits(rate, RATE_DECIMALS), asset.decimals, step)
  const address = `${asset.network}:${asset.code}:${payTo}`
  const challengeId = `${o.setId}.${asset.code}`
  const wish = { challengeId, price: String(price), step: String(step), heldUntil: o.heldUntil }
  const reserved = await reservedAmount(ledger, address, wish, world.now().toISOString())
  if (reserved === undefined) {
    // Paid without its hash, this amount would be taken for the payment of whoever holds it.
    const held = holderOf(await ledger.receiveAddress.recent(address), price, world.now().toISOString())
    if (held !== undefined) return undefined
  }
  return {
    asset: asset.code,
    network: asset.network,
    chain: chain.caip2,
    payTo,
    amount: reserved ?? String(price),
    rate,
    heightAtIssue: head.height,
    confirmations: networkOf(asset.network)?.confirmations ?? 1,
    match: reserved === undefined ? 'hash' : 'amount',
  }
}

type Wish = { challengeId: string; price: string; step: string; heldUntil: string }

/** An amount of one's own on the address; undefined when all are taken. */
const reservedAmount = async (
  ledger: Ledger,
  address: string,
  wish: Wish,
  now: string,
): Promise<string | undefined> => {
  if (isFull(await ledger.receiveAddress.recent(address), wish, now)) return undefined
  try {
    const { events } = await ledger.receiveAddress.reserve(address, wish)
    return events.flatMap((e) => (e.type === 'AmountReserved' ? [e.data.amount] : []))[0]
  } catch (error) {
    if (error instanceof Refusal && error.code === 'no-free-amount') return undefined
    throw error
  }
}

/** Millionths of a currency, and the dollars that one of it costs. */
type FiatPrice = { amount: bigint; fiatRate: bigint }

/** The price in the coin's smallest unit, rounded up, once, to the last place that a payer is asked to type. */
const coinPrice = ({ amount, fiatRate }: FiatPrice, coinRate: bigint, decimals: number, step: bigint): bigint =>
  mulDivCeil(amount * 10n ** BigInt(decimals), fiatRate, 10n ** BigInt(FIAT_DECIMALS) * coinRate * step) * step
