import type { AcceptedAuthorization } from '../gasless/authorization.ts'
import { type Authorization, authorizationId } from '../gasless/authorization-terms.ts'
import { callerId } from '../gasless/caller.ts'
import type { AuthorizationFault, Checked, Relayer } from '../gasless/relayer.ts'
import { isRefusal, Refusal } from '../refusal.ts'
import { requiredConfirmations } from '../sell/required-confirmations.ts'
import { answered, type Flow } from './flow.ts'
import { gaslessOffers } from './gasless-offers.ts'
import {
  type KeptChallenge,
  keepChallenge,
  type Sale,
  type SignedWish,
  type Terms,
  termsFor,
} from './keep-challenge.ts'

/** Seconds before its end at which an authorization is not taken any more: it could not be mined in time. */
const VALID_SECONDS_MIN = 6
/** Seconds after its end for which what it reserves is kept back, while nobody may know yet what became of it. */
const RESERVED_SECONDS_AFTER = 3_600

export type Taken =
  | { readonly fault: AuthorizationFault }
  | { readonly fault?: undefined; readonly id: string; readonly authorization: AcceptedAuthorization }

/**
 * Takes a signed payment of a sale: whoever sends it again is answered by what was taken first (X-IDEM-04, N-42). It is durable, and what it
 * spends is reserved, before anything is sent to the chain. Refuses `unavailable` when the chain does not answer, and `rate-limited` to a
 * payer whose payments fail.
 */
export const takeAuthorization = async (flow: Flow, sale: Sale, wish: SignedWish): Promise<Taken> => {
  const { authorization } = wish
  const id = authorizationId(authorization)
  const before = await takenBefore(flow, sale, authorization, id)
  if (before) return before
  try {
    const taken = await takeNew(flow, sale, wish, id)
    return taken.fault ? ((await meanwhile(flow, sale, authorization, id)) ?? taken) : taken
  } catch (error) {
    const taken = error instanceof Refusal ? await meanwhile(flow, sale, authorization, id) : undefined
    if (taken) return taken
    throw error
  }
}

const takeNew = async (flow: Flow, sale: Sale, wish: SignedWish, id: string): Promise<Taken> => {
  const { authorization } = wish
  const terms = await termsOfTaking(flow, sale, wish)
  if (terms.fault) return terms
  const checked = await signedAndCovered(terms.relayer, authorization)
  if (checked.fault) return checked
  const reserved = await reserve(flow, sale, id, authorization, checked.balance)
  if (reserved) return { fault: reserved }
  const kept = await keepChallenge(flow, sale, id, terms).catch(async (error: unknown) => {
    // What another call has reserved for the same payment, and taken since, is not given back.
    if ((await flow.ledger.authorization.read(id)).status === 'none') await release(flow, sale, id, authorization)
    throw error
  })
  return accept(flow, sale, { id, authorization, byContract: checked.byContract, kept })
}

/** What can be said of a payment without asking its chain, and without looking at its signature: whether it is offered, and on what terms. */
export const termsOfTaking = async (
  flow: Flow,
  sale: Sale,
  wish: SignedWish,
): Promise<(Terms & { readonly relayer: Relayer }) | { readonly fault: AuthorizationFault }> => {
  const { authorization } = wish
  const relayer = flow.relayers.get(authorization.network)
  if (!relayer) return { fault: 'network' }
  const timing = outOfTime(authorization, flow.world.now())
  if (timing) return { fault: timing }
  const terms = await termsFor(flow, sale, wish)
  if (terms.fault) return terms
  const { accountId } = sale
  const offered = (await gaslessOffers(flow, { accountId, usd: terms.usd, test: false }))(authorization)
  return offered ? { ...terms, relayer } : { fault: 'requirements' }
}

/**
 * The same payment, as it was taken before. Its payer and nonce can be read on the chain by anybody, so whoever sends them has to send the
 * rest of it too, signed.
 */
export const takenBefore = async (
  { ledger, relayers }: Flow,
  sale: Sale,
  authorization: Authorization,
  id: string,
): Promise<Taken | undefined> => {
  const known = await ledger.authorization.read(id)
  if (known.status === 'none') return undefined
  const { signature } = authorization
  const isSigned =
    known.authorization.signature === signature ||
    relayers.get(authorization.network)?.signerOf(authorization) === authorization.from
  if (!isSigned || !isSameButSigned(known.authorization, authorization)) return { fault: 'nonce-used' }
  const { accountId, resId, paymentRequest } = sale
  return known.accountId === accountId && known.resId === resId && known.requestId === paymentRequest?.requestId
    ? { id, authorization: known }
    : { fault: 'duplicate' }
}

const isSameButSigned = (one: Authorization, other: Authorization): boolean =>
  one.contract === other.contract &&
  one.to === other.to &&
  one.value === other.value &&
  one.validAfter === other.validAfter &&
  one.validBefore === other.validBefore

/**
 * While this call looked, another call with the same payment may have taken it, and it may have been carried out: then it looks used, or its
 * challenge paid, and what this call has reserved again is reserved for nothing.
 */
const meanwhile = async (
  flow: Flow,
  sale: Sale,
  authorization: Authorization,
  id: string,
): Promise<Taken | undefined> => {
  const taken = await takenBefore(flow, sale, authorization, id)
  if (taken && !taken.fault && taken.authorization.status !== 'accepted') await release(flow, sale, id, authorization)
  return taken
}

const accept = async (
  flow: Flow,
  sale: Sale,
  { id, kept, ...signed }: { id: string; authorization: Authorization; byContract: boolean; kept: KeptChallenge },
): Promise<Taken> => {
  const { ledger } = flow
  const { accountId, resId, paymentRequest, amount, currency } = sale
  const { challengeId, asset, usd } = kept
  const { confirmations: set } = await ledger.settings.recent(accountId)
  // A relayer's own transaction on a network with one block producer counts at once, unless the seller wants otherwise.
  const confirmations = requiredConfirmations(set, { ...asset, confirmations: set.default ?? 1 }, BigInt(usd))
  const asked = paymentRequest && { requestId: paymentRequest.requestId }
  const taken = { accountId, resId, ...asked, challengeId, ...signed, confirmations, amount, currency }
  const { state } = await ledger.authorization.accept(id, taken)
  if (state.status === 'none') throw new Error(`${id} was accepted and is not there`)
  if (state.status !== 'accepted') await release(flow, sale, id, signed.authorization)
  return { id, authorization: state }
}

/** It holds in blocks between its two times, neither included; the newest block may be a little behind the clock. */
const outOfTime = ({ validAfter, validBefore }: Authorization, now: Date): AuthorizationFault | undefined => {
  const seconds = BigInt(Math.floor(now.getTime() / 1_000))
  if (BigInt(validAfter) >= seconds) return 'valid-after'
  return BigInt(validBefore) < seconds + BigInt(VALID_SECONDS_MIN) ? 'valid-before' : undefined
}

/** A payer without code has signed with its own key; one with code checks for itself, in the call that is tried. */
const signedAndCovered = async (relayer: Relayer, authorization: Authorization): Promise<Checked> => {
  const isOwnKey = relayer.signerOf(authorization) === authorization.from
  const checked = await answered(authorization.network, relayer.check(authorization))
  if (checked.fault || checked.byContract || isOwnKey) return checked
  return { fault: 'signature' }
}

/** Keeps back what it spends, of a cap and of the balance. */
const reserve = async (
  flow: Flow,
  { accountId, resId, amount, cap }: Sale,
  id: string,
  { from, value, validBefore, network, asset }: Authorization,
  balance: bigint,
): Promise<AuthorizationFault | undefined> => {
  const { ledger } = flow
  const until = new Date(Number(BigInt(validBefore) + BigInt(RESERVED_SECONDS_AFTER)) * 1_000)
  const reservation = { authorizationId: id, until: clamped(until, flow.world.now()) }
  const payer = `${network}:${asset}:${from}`
  try {
    await ledger.payer.reserve(payer, { ...reservation, value, balance: String(balance) })
    if (resId !== null && cap)
      await ledger.caller.reserve(callerId(resId, from), { ...reservation, accountId, amount, cap })
    return undefined
  } catch (error) {
    if (isRefusal(error, 'insufficient-funds')) return 'funds'
    await ledger.payer.release(payer, { authorizationId: id, failed: false })
    if (isRefusal(error, 'caller-limit-reached')) return 'max-per-caller'
    throw error
  }
}

const release = async (
  { ledger }: Flow,
  { accountId, resId }: Sale,
  id: string,
  { network, asset, from }: Authorization,
) => {
  await ledger.payer.release(`${network}:${asset}:${from}`, { authorizationId: id, failed: false })
  if (resId !== null) await ledger.caller.release(callerId(resId, from), { accountId, authorizationId: id })
}

/** Some sign for ever; a reservation does not outlive a week. */
const RESERVED_MAX_MS = 7 * 86_400_000

const clamped = (until: Date, now: Date): string => {
  const latest = now.getTime() + RESERVED_MAX_MS
  return new Date(Number.isFinite(until.getTime()) ? Math.min(until.getTime(), latest) : latest).toISOString()
}
