import type { AcceptedAuthorization } from '../../gasless/authorization.ts'
import type { AuthorizationCheck, AuthorizationFault, PayerCode } from '../../gasless/relayer.ts'
import { gaslessFee } from '../../kernel/fees.ts'
import { DEFAULT_STORE } from '../../kernel/in-store.ts'
import { networkOf } from '../../kernel/networks.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { LimitReached, secondsUntil } from '../../kernel/refusals/limits.ts'
import { type Authorization, authorizationId } from '../../selling/authorization-terms.ts'
import { challengeParts } from '../../selling/challenge-terms.ts'
import { mustAnswer, type UseCaseContext } from '../context.ts'
import { type GaslessOffer, gaslessOffers } from '../selling/challenges/gasless-offers.ts'
import {
  type KeptChallenge,
  keepChallenge,
  type Sale,
  type SignedWish,
  type Terms,
  termsFor,
} from '../selling/challenges/keep-challenge.ts'
import { takeNames } from './named-payment.ts'
import { riskOf, spentBudget } from './relay-budgets.ts'
import { releaseLost, reservePayment } from './reserve-payment.ts'

/**
 * Seconds, and blocks, before its end at which an authorization is not taken any more: it could not be mined in time.
 */
const VALID_SECONDS_MIN = 6
const VALID_BLOCKS_MIN = 3
/**
 * Seconds from now within which an authorization has to end: a longer one could be held back until it costs the relayer
 * most. The 402 asks for less (`maxTimeoutSeconds`).
 */
const VALID_SECONDS_MAX = 3_600

export type AuthorizationResult =
  | { readonly fault: AuthorizationFault }
  | { readonly fault?: undefined; readonly id: string; readonly authorization: AcceptedAuthorization }

/**
 * Takes a signed payment of a sale; a repeat is answered with what was taken first (X-IDEM-04, N-42). It is taken for
 * one sale; at any other sale it is a `duplicate`. It is durable, and what it spends is reserved, before anything is
 * sent to the chain. Refuses `unavailable` when the chain does not answer, and `rate-limited` to a payer whose payments
 * fail.
 */
export const takeAuthorization = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
): Promise<AuthorizationResult> => {
  const id = authorizationId(wish.authorization)
  const known = await flow.ledger.authorization.read(id)
  if (known.status !== 'none') {
    const before = await answerOf(flow, sale, wish.authorization, known)
    // A call that died may have kept something for it here, before another sale took it.
    if (before.fault === 'duplicate') await releaseLost(flow, sale, wish, known)
    return before
  }
  try {
    const taken = await takeNew(flow, sale, wish, id)
    return taken.fault ? ((await meanwhile(flow, sale, wish, id)) ?? taken) : taken
  } catch (error) {
    const taken = error instanceof Refusal ? await meanwhile(flow, sale, wish, id) : undefined
    if (taken) return taken
    throw error
  }
}

const takeNew = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
  id: string,
): Promise<AuthorizationResult> => {
  const { authorization } = wish
  const terms = await termsOfTaking(flow, sale, wish)
  if (terms.fault) return terms
  const checked = await signedAndCovered(terms, authorization)
  if (checked.fault) return checked
  await bears(flow, sale, authorization, checked.contract)
  const reserved = await reservePayment(flow, sale, authorization, checked.balance)
  if (reserved.fault) return reserved
  // From here on only a fault of ours keeps the payment from being taken: a name that it has is not lost to a mistake
  // in it.
  const before = await takeNames(flow, sale, authorization, wish.names ?? []).catch(async (error: unknown) => {
    await reserved.release()
    throw error
  })
  if (before) {
    await reserved.release()
    return before
  }
  const kept = await keepChallenge(flow, sale, id, terms).catch(async (error: unknown) => {
    if ((await flow.ledger.authorization.read(id)).status === 'none') await reserved.release()
    throw error
  })
  return accept(flow, sale, wish, { id, code: checked.contract, offered: terms.offered, kept })
}

/** Refuses `rate-limited` while a budget of the relayer does not bear another payment like this one. */
const bears = async (
  { ledger, world, relayLimits }: UseCaseContext,
  { accountId }: Sale,
  authorization: Authorization,
  code: PayerCode | undefined,
): Promise<void> => {
  const risk = await riskOf(ledger, { accountId, authorization, ...(code && { code: keptCode(code) }) })
  const now = world.now().toISOString()
  const spent = await spentBudget(ledger, relayLimits, risk, now)
  if (!spent) return
  const words = `Too many payments of this ${spent.scope} have failed. Pay otherwise, or later.`
  throw new LimitReached('relay-budget', secondsUntil(spent.until, now), words)
}

/** The terms, with the offer to a payer who pays by a signature. */
export type SignedTerms = Terms & { readonly offered: GaslessOffer }

/**
 * What can be said of a payment without asking its chain, and without looking at its signature: whether it is offered,
 * and on what terms.
 */
export const termsOfTaking = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
): Promise<SignedTerms | { readonly fault: AuthorizationFault }> => {
  const { authorization } = wish
  if (!flow.relayers.has(authorization.network)) return { fault: 'network' }
  const timing = outOfTime(authorization, flow.world.now())
  if (timing) return { fault: timing }
  const terms = await termsFor(flow, sale, wish)
  if (terms.fault) return terms
  const { accountId } = sale
  const { usd, gasFeeMax } = terms
  const { asset, network, contract } = authorization
  const offerOf = await gaslessOffers(flow, { accountId, usd, test: false })
  const offered = offerOf({ asset, network, contract, ...(gasFeeMax !== undefined && { gasFeeMax }) })
  return offered ? { ...terms, offered } : { fault: 'requirements' }
}

/**
 * The same payment, when this process knows that it was taken before: its authorization when that was for this sale,
 * else a fault. Undefined when it was not taken. A payment that another process has just taken may be missing; taking
 * it will tell.
 */
export const takenBefore = async (
  flow: UseCaseContext,
  sale: Sale,
  authorization: Authorization,
): Promise<AuthorizationResult | undefined> => {
  const known = await flow.ledger.authorization.recent(authorizationId(authorization))
  return known.status === 'none' ? undefined : answerOf(flow, sale, authorization, known)
}

/**
 * The answer to a payment that was taken before. Anybody can read its payer and nonce on the chain, so a caller has to
 * send the rest of it too, signed. A payment that was taken for another sale is a success there, and never here.
 */
const answerOf = async (
  flow: UseCaseContext,
  sale: Sale,
  authorization: Authorization,
  known: AcceptedAuthorization,
): Promise<AuthorizationResult> => {
  const { signature, network, from } = authorization
  const isSigned =
    known.authorization.signature === signature || flow.relayers.get(network)?.signerOf(authorization) === from
  if (!isSigned || !isSameButSigned(known.authorization, authorization)) return { fault: 'nonce-used' }
  return (await isFor(flow, known, sale))
    ? { id: authorizationId(authorization), authorization: known }
    : { fault: 'duplicate' }
}

const isSameButSigned = (one: Authorization, other: Authorization): boolean =>
  one.contract === other.contract &&
  one.to === other.to &&
  one.value === other.value &&
  one.validAfter === other.validAfter &&
  one.validBefore === other.validBefore

/**
 * Whether a payment was taken for this very sale. What is sold elsewhere is known by its store alone, and redeemed
 * once.
 */
const isFor = async (
  { ledger }: UseCaseContext,
  { accountId, resId, requestId, challengeId }: AcceptedAuthorization,
  sale: Sale,
): Promise<boolean> => {
  if (accountId !== sale.accountId || resId !== sale.resId || requestId !== sale.paymentRequest?.requestId) return false
  if (resId !== null || requestId !== undefined) return true
  const set = await ledger.challenge.recent(challengeParts(challengeId)?.setId ?? challengeId)
  return set.status === 'none' || (set.storeId ?? DEFAULT_STORE) === (sale.storeId ?? DEFAULT_STORE)
}

/**
 * The answer when another call has taken the same payment while this call looked. That payment may have been carried
 * out: then its nonce looks used, or its challenge paid, and this call gives back what it has reserved for nothing.
 */
const meanwhile = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
  id: string,
): Promise<AuthorizationResult | undefined> => {
  const known = await flow.ledger.authorization.read(id)
  if (known.status === 'none') return undefined
  await releaseLost(flow, sale, wish, known)
  return answerOf(flow, sale, wish.authorization, known)
}

const accept = async (
  flow: UseCaseContext,
  sale: Sale,
  wish: SignedWish,
  by: { id: string; code: PayerCode | undefined; offered: GaslessOffer; kept: KeptChallenge },
): Promise<AuthorizationResult> => {
  const { ledger } = flow
  const { authorization } = wish
  const { accountId, resId, paymentRequest, amount, currency } = sale
  const { id, code, kept } = by
  const { challengeId } = kept
  const { gasFeeMax, confirmations } = by.offered
  const asked = paymentRequest && { requestId: paymentRequest.requestId }
  const taken = {
    accountId,
    resId,
    ...asked,
    challengeId,
    authorization,
    byContract: code !== undefined,
    ...(code && { code: keptCode(code) }),
    gasFeeMax,
    confirmations,
    amount,
    currency,
  }
  const { state, events } = await ledger.authorization.accept(id, taken)
  if (state.status === 'none') throw new Error(`${id} was accepted and is not there`)
  if (events.length > 0) return { id, authorization: state }
  // Another call was first, perhaps for another sale.
  await releaseLost(flow, sale, wish, state)
  return answerOf(flow, sale, authorization, state)
}

const keptCode = ({ hash, gas }: PayerCode) => ({ hash, gas: String(gas) })

/**
 * The fault of an authorization that is not valid yet, or ends too soon or too late. It is valid in blocks between its
 * two times, neither included; the newest block may be a little behind the clock.
 */
const outOfTime = ({ network, validAfter, validBefore }: Authorization, now: Date): AuthorizationFault | undefined => {
  const seconds = BigInt(Math.floor(now.getTime() / 1_000))
  if (BigInt(validAfter) >= seconds) return 'valid-after'
  const blocks = Math.ceil(VALID_BLOCKS_MIN * (networkOf(network)?.blockSeconds ?? 0))
  const [first, last] = [Math.max(VALID_SECONDS_MIN, blocks), VALID_SECONDS_MAX]
  const isHeld = BigInt(validBefore) >= seconds + BigInt(first) && BigInt(validBefore) <= seconds + BigInt(last)
  return isHeld ? undefined : 'valid-before'
}

/**
 * A payer without code has signed with its own key. One with code checks for itself, in the call that is tried, which
 * must not take more gas than may be billed.
 */
export const signedAndCovered = async (
  { offered: { relayer, gasFeeMax } }: SignedTerms,
  authorization: Authorization,
): Promise<AuthorizationCheck> => {
  const isOwnKey = relayer.signerOf(authorization) === authorization.from
  const checked = await mustAnswer(authorization.network, relayer.check(authorization))
  if (checked.fault) return checked
  if (!checked.contract) return isOwnKey ? checked : { fault: 'signature' }
  const cost = relayer.cost(checked.contract.gas)
  return cost !== undefined && gaslessFee(cost) <= BigInt(gasFeeMax) ? checked : { fault: 'gas' }
}
