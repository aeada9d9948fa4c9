import { addressClaimId, isContested, isHeldBy } from '../../../account/address-claim.ts'
import type { AuthorizationFault } from '../../../gasless/relayer.ts'
import { type Asset, coinOf } from '../../../kernel/assets.ts'
import { DEFAULT_STORE, inStore } from '../../../kernel/in-store.ts'
import { mulDivFloor, RATE_DECIMALS, type Units } from '../../../kernel/money.ts'
import { isRefusal, refuse } from '../../../kernel/refusal.ts'
import { type Authorization, authorizationId } from '../../../selling/authorization-terms.ts'
import type { RequestRef } from '../../../selling/challenge-events.ts'
import type { OpenSet } from '../../../selling/challenge-state.ts'
import { type ChallengeEntry, challengeParts } from '../../../selling/challenge-terms.ts'
import { leastOf } from '../../../selling/judge.ts'
import { holderOf, receiveAddressId } from '../../../selling/receive-address.ts'
import type { SpendCap } from '../../../selling/resource.ts'
import { connectedChain, mustAnswer, type UseCaseContext } from '../../context.ts'
import { keepPieces } from '../stock/lend-pieces.ts'
import { amountIn, factsOf, type Price, sourcedRateOf } from './challenge-entry.ts'
import { offersFor } from './offers.ts'
import { CHALLENGE_MINUTES } from './open-challenge.ts'
import { vatIn } from './open-request.ts'
import { ownPriceOf } from './own-price.ts'
import { requestedSet } from './requested-set.ts'

/**
 * The challenge that a signed payment pays: the one that its payer was offered, while that is free, else one of its
 * own.
 */

/** A sale: what is sold, by whom, and at what price. */
export type Sale = {
  readonly accountId: string
  /** absent: 1, the default store */
  readonly storeId?: number
  /** Null for what is sold elsewhere, and for what a request asks for. */
  readonly resId: string | null
  /** The request that asks for the payment, and is paid once. */
  readonly paymentRequest?: RequestRef
  /** Fiat price in millionths. */
  readonly amount: Units
  /** The price in coin, in smallest units, where that is what is asked. */
  readonly assetAmount?: Units
  readonly currency: string
  readonly acceptedAssets: readonly string[]
  readonly webhookUrl: string | null
  readonly cap: SpendCap | null
}

export type SignedWish = {
  readonly authorization: Authorization
  /** The challenge that the payer says it pays. */
  readonly challengeId: string | undefined
  /** True when the value has to be exactly what was asked, and not just enough. */
  readonly exactly: boolean
  /** The names that its payer and its caller gave it: see `takeNames`. */
  readonly names?: readonly string[]
}

/** The terms on which a signed payment is taken; `named` is the challenge that its payer was offered. */
export type Terms = {
  readonly fault?: undefined
  readonly asset: Asset
  readonly payTo: string
  readonly asked: Units
  readonly rate: string
  readonly rateSource?: string | undefined
  readonly usd: Units
  /** What the seller is billed for gas at most, where its challenge said so. */
  readonly gasFeeMax: Units | undefined
  readonly named: string | undefined
}

export type KeptChallenge = { readonly challengeId: string; readonly asset: Asset; readonly usd: Units }

/**
 * Finds the terms of a signed payment: those of its challenge, or today's price where that challenge is gone. Answers
 * the fault of the payment where it has one.
 */
export const termsFor = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
): Promise<Terms | { readonly fault: AuthorizationFault }> => {
  const { authorization, exactly } = wish
  const { price, offers } = await offersFor(flow, sale)
  const offer = offers.find(({ asset }) => asset.code === authorization.asset)
  if (!offer) return { fault: 'requirements' }
  const usd = String(mulDivFloor(price.amount, price.fiatRate, 10n ** BigInt(RATE_DECIMALS)))
  const { asset, addresses } = offer
  const named = await namedChallenge(flow, sale, wish)
  const isOwn =
    addresses.includes(authorization.to) || (named !== undefined && !(await isLost(flow, sale, authorization)))
  if (!isOwn) return { fault: 'recipient' }
  const value = BigInt(authorization.value)
  if (named && value >= BigInt(named.least) && (!exactly || value === BigInt(named.asked)))
    return {
      asset,
      payTo: authorization.to,
      asked: named.asked,
      rate: named.rate,
      rateSource: named.rateSource,
      usd: named.usd,
      gasFeeMax: named.gasFeeMax,
      // The amount shows which price was offered. A payer who guesses an amount must not take a stranger's challenge,
      // so only the id names one.
      named: wish.challengeId === undefined ? undefined : named.challengeId,
    }
  const fresh = await priceNow(flow, asset, price)
  if (value < fresh.asked) return { fault: 'value' }
  const { rate, rateSource } = fresh
  const asked = String(fresh.asked)
  return { asset, payTo: authorization.to, asked, rate, rateSource, usd, gasFeeMax: undefined, named: undefined }
}

/**
 * Keeps the named challenge for the authorization; opens one for it and this sale alone when that is paid, expired or
 * kept for another.
 */
export const keepChallenge = async (
  flow: UseCaseContext,
  sale: Sale,
  id: string,
  terms: Terms,
): Promise<KeptChallenge> => {
  const { asset, usd } = terms
  if (terms.named !== undefined && (await keep(flow, sale, terms.named, asset.code, id)))
    return { challengeId: terms.named, asset, usd }
  const setId = ownSetId(flow, sale, id)
  const challengeId = `${setId}.${asset.code}`
  await openKept(flow, sale, setId, terms)
  if (!(await keep(flow, sale, challengeId, asset.code, id)))
    return refuse('busy', 'this payment is being looked at already')
  return { challengeId, asset, usd }
}

/**
 * Lets go of every challenge of this sale that was kept for an authorization, which was taken for the challenge `taken`
 * alone.
 */
export const releaseChallenges = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
  taken: string,
): Promise<void> => {
  const { ledger } = flow
  const { asset } = wish.authorization
  const id = authorizationId(wish.authorization)
  const named = await namedChallenge(flow, sale, wish)
  for (const challengeId of [named?.challengeId, `${ownSetId(flow, sale, id)}.${asset}`]) {
    const parts = challengeId !== undefined && challengeId !== taken && challengeParts(challengeId)
    const set = parts && (await ledger.challenge.recent(parts.setId))
    if (!parts || !set || set.status === 'none' || set.reserved[asset] !== id) continue
    await ledger.challenge.release(parts.setId, { challengeId: `${parts.setId}.${asset}`, asset, authorizationId: id })
  }
}

/**
 * The id of a sale's own set. It is made from the authorization, so that a repetition meets the set, and from the sale,
 * so that no other sale of the authorization does.
 */
const ownSetId = (
  { world }: UseCaseContext,
  { accountId, storeId = DEFAULT_STORE, resId, paymentRequest }: Sale,
  id: string,
) => world.idFrom('ch', 'authorization', id, accountId, String(storeId), resId ?? '', paymentRequest?.requestId ?? '')

/** Whether the address that the money would go to has become another account's since it was offered. */
const isLost = async (
  { ledger }: UseCaseContext,
  { accountId }: Sale,
  { network, to }: Authorization,
): Promise<boolean> => {
  const claim = await ledger.addressClaim.recent(addressClaimId({ network, address: to }))
  if (isContested(claim)) return !claim.contestants.includes(accountId)
  return claim.holder !== undefined && !isHeldBy(claim, accountId)
}

type NamedChallenge = Pick<ChallengeEntry, 'payTo' | 'rate' | 'rateSource' | 'gasFeeMax'> & {
  challengeId: string
  asked: Units
  least: Units
  usd: Units
}

/** The challenge that a payer was offered: by its id, else by the amount that no other open challenge asks for. */
const namedChallenge = async (
  { ledger, world }: UseCaseContext,
  sale: Sale,
  { authorization, challengeId }: SignedWish,
): Promise<NamedChallenge | undefined> => {
  const { network, asset, contract, to, value } = authorization
  const address = receiveAddressId({ network, coin: coinOf({ asset, network, contract }), to })
  const holder = async () =>
    holderOf(await ledger.receiveAddress.recent(address), BigInt(value), world.now().toISOString())
  const id = challengeId ?? (await holder())
  const parts = id === undefined ? undefined : challengeParts(id)
  const set = parts && (await ledger.challenge.recent(parts.setId))
  if (!id || !set || set.status === 'none' || parts.asset !== asset || !isOfSale(set, sale)) return undefined
  if (world.now().toISOString() > (await requestedSet(ledger, set)).expiresAt) return undefined
  const entry = set.entries.find((each) => each.asset === asset && each.payTo === to)
  if (!entry) return undefined
  const { amount: asked, rate, rateSource, gasFeeMax } = entry
  return {
    challengeId: id,
    payTo: to,
    asked,
    least: leastOf(entry),
    rate,
    ...(rateSource !== undefined && { rateSource }),
    usd: set.usd,
    ...(gasFeeMax && { gasFeeMax }),
  }
}

const isOfSale = (set: OpenSet, { accountId, resId, paymentRequest }: Sale): boolean =>
  set.accountId === accountId &&
  !set.test &&
  (paymentRequest ? set.paymentRequest?.requestId === paymentRequest.requestId : set.resId === resId && resId !== null)

const priceNow = async (flow: UseCaseContext, asset: Asset, price: Price) => {
  const found = await sourcedRateOf(flow, { asset, token: undefined })
  const { rate, rateSource } = found ?? refuse('unavailable', `there is no price of ${asset.code}`)
  return { rate, rateSource, asked: amountIn(asset, price, rate) }
}

/** Keeps a challenge, and the pieces of what it pays for: no payment is sent without them. Refuses `out-of-stock`. */
const keep = async (
  { ledger }: UseCaseContext,
  sale: Sale,
  challengeId: string,
  asset: string,
  authorizationId: string,
): Promise<boolean> => {
  const { setId } = challengeParts(challengeId) ?? refuse('challenge-not-found')
  try {
    const { state } = await ledger.challenge.reserve(setId, { challengeId, asset, authorizationId })
    if (state.status !== 'open' || state.reserved[asset] !== authorizationId) return false
    await keepPieces(ledger, { ...sale, paymentId: challengeId, setId })
    return true
  } catch (error) {
    if (isRefusal(error, 'out-of-stock')) await ledger.challenge.release(setId, { challengeId, asset, authorizationId })
    if (isRefusal(error, 'already-paid', 'challenge-expired')) return false
    throw error
  }
}

/** Opens a set of one entry for a signed payment; a repetition meets the same set. */
const openKept = async (flow: UseCaseContext, sale: Sale, setId: string, terms: Terms): Promise<void> => {
  const { ledger, world, chains, headNow } = flow
  const { asset, payTo, asked, rate, rateSource, usd, gasFeeMax } = terms
  const chain = connectedChain(chains, asset.network)
  const head = await mustAnswer(asset.network, headNow(chain))
  const { accountId, storeId, resId, paymentRequest, amount, currency, webhookUrl } = sale
  const entry = {
    asset: asset.code,
    network: asset.network,
    chain: chain.caip2,
    payTo,
    amount: asked,
    rate,
    ...(rateSource !== undefined && { rateSource }),
    heightAtIssue: head.height,
    confirmations: 1,
    match: 'authorization' as const,
    ...(gasFeeMax !== undefined && { gasFeeMax }),
    ...factsOf(asset),
  }
  const expiresAt = new Date(world.now().getTime() + CHALLENGE_MINUTES * 60_000).toISOString()
  const sold = {
    accountId,
    ...inStore(storeId),
    resId,
    ...(paymentRequest && { paymentRequest }),
    amount,
    currency,
    usd,
    ...(await taxOf(flow, sale)),
    ...(await ownPriceOf(flow, { accountId, amount, currency, usd })),
    webhookUrl,
  }
  await ledger.challenge.open(setId, { ...sold, expiresAt, entries: [entry], test: false }).catch((error: unknown) => {
    if (!isRefusal(error, 'id-taken')) throw error
  })
}

/** The VAT in the price, where the sale is of a request that is taxed. */
const taxOf = async ({ ledger }: UseCaseContext, { paymentRequest, amount }: Sale): Promise<{ vat?: Units }> => {
  const request = paymentRequest && (await ledger.paymentRequest.recent(paymentRequest.requestId))
  const vat = request && request.status !== 'none' ? vatIn(request, BigInt(amount)) : undefined
  return vat === undefined ? {} : { vat }
}
