import type { MandateTier } from '../../domain/commerce/mandate-rules.ts'
import { type AgreedTerms, agreedTerms, type WireSession } from './agreed-terms.ts'
import { closedJwtOf, mandatesOf } from './compact.ts'
import { checkConstraints } from './constraints.ts'
import { hasherOf, isSame } from './digest.ts'
import { type Fault, type FaultReason, MandateFault, outOfScope, rejectForgery } from './fault.ts'
import { checkOwner, type Issuer, type Issuers, issuerOf } from './issuer-key.ts'
import { placesOf } from './mandate.ts'
import type { OwnKeys } from './own-terms.ts'
import { type Presentation, presentedAlone, presentedInChain } from './presentation.ts'
import { thumbprintOf } from './public-key.ts'
import type { Json, JsonObject } from './strict-json.ts'

/**
 * Whether a mandate (AP2 0.2: SD-JWT with key binding, or a chain of them) agrees to a checkout as it is now. It is
 * optional here, and money is pushed by the buyer: a mandate is evidence, never power to spend (C-SES-07, C-SES-10 to
 * C-SES-12, J-AUTH-08).
 */

export type MandateCheck = MandateAudience & {
  readonly token: string
  readonly now: Date
  readonly session: WireSession
  /** The keys by which the seller's own signatures are recognised. */
  readonly merchantKeys: OwnKeys
  readonly issuers: Issuers
  /** Further names and addresses by which an open mandate may mean this seller; those of `aud` do already. */
  readonly seller?: readonly string[]
}

export type MandateVerdict =
  | {
      readonly ok: true
      readonly tier: MandateTier
      /** The issuer's name; undefined where nobody vouches for the key. */
      readonly issuer: string | undefined
      /**
       * Thumbprints by RFC 7638: of the key that `tier` is about, and of the key that signed last where that is
       * another.
       */
      readonly keyThumbprint: string
      readonly holderThumbprint: string | undefined
      readonly checkoutHash: string
      /** How it was presented: by its issuer, with a key binding, or as `open~~closed`. */
      readonly mode: 'direct' | 'bound' | 'chain'
      /** What a receipt for it refers to. */
      readonly reference: string
    }
  | { readonly ok: false; readonly fault: Fault; readonly reason: FaultReason }

/**
 * Checks a mandate in this order, so that one that is both forged and expired counts as forged: form, signature of the
 * issuer, disclosures and type, the proof of the presenter, times, audience and nonce, the terms, constraints. It calls
 * nobody, and follows no address that the token names.
 */
export const verifyMandate = async (check: MandateCheck): Promise<MandateVerdict> => {
  try {
    return await verified(check)
  } catch (error) {
    if (error instanceof MandateFault) return { ok: false, fault: error.fault, reason: error.reason }
    throw error
  }
}

/**
 * What the header of a mandate says, for the search for its key; a token that is malformed says nothing. None of it is
 * believed.
 */
export const headerOf = (token: string): { readonly kid: string | undefined } => {
  try {
    const kid = mandatesOf(token)[0]?.jwt.header.kid
    return { kid: typeof kid === 'string' ? kid : undefined }
  } catch (error) {
    if (error instanceof MandateFault) return { kid: undefined }
    throw error
  }
}

/** SHA-256 of the signed part of the mandate that agrees, so that it stays the same whatever is disclosed beside it. */
export const mandateReference = (token: string): string => hasherOf()(closedJwtOf(token))

const verified = async (check: MandateCheck): Promise<MandateVerdict> => {
  const { token, now, session, merchantKeys, issuers } = check
  const [first, ...next] = mandatesOf(token)
  if (!first) throw new MandateFault('signature', 'malformed')
  const issuer = await issuerOf(first.jwt, issuers)
  const presented = next.length > 0 ? await presentedInChain(first, next) : await presentedAlone(first)
  checkOwner(issuer, presented.open[0] ?? presented.closed)
  checkTimes(presented, now)
  checkAudience(presented, issuer.tier, check)
  const agreed = await agreedTerms(presented.closed, session, merchantKeys)
  const seller = [...(check.seller ?? []), ...(typeof check.aud === 'string' ? [check.aud] : check.aud)]
  for (const mandate of presented.open) checkConstraints(mandate, { terms: agreed.terms, seller })
  return await verdict(token, issuer, presented, agreed)
}

const verdict = async (
  token: string,
  { tier, name, key }: Issuer,
  { open, proof, holder }: Presentation,
  { checkoutHash }: AgreedTerms,
): Promise<MandateVerdict> => ({
  ok: true,
  tier,
  issuer: name,
  keyThumbprint: await thumbprintOf(key),
  holderThumbprint: holder && (await thumbprintOf(holder)),
  checkoutHash,
  mode: open.length > 0 ? 'chain' : proof ? 'bound' : 'direct',
  reference: mandateReference(token),
})

/** The seller and the session for which a mandate has to be presented (C-SES-12). */

type MandateAudience = {
  /** The names of this seller; any of them will do. */
  readonly aud: string | readonly string[]
  /** The nonce of the session. */
  readonly nonce: string
  /** Whether a mandate that a platform presents itself needs audience and nonce too. */
  readonly strictNonce: boolean
}

/** Names in one `aud`. */
const AUDIENCES_MAX = 16

/**
 * Checks audience and nonce. A platform that knows nothing of the nonce sends none: the checkout inside, which the
 * seller has signed, names the session and its terms already. What the platform does send has to be right.
 */
const checkAudience = ({ closed, proof }: Presentation, tier: MandateTier, expected: MandateAudience): void => {
  const places = proof ? [proof] : placesOf(closed)
  const stated = (name: 'aud' | 'nonce') => places.map((place) => place[name]).filter((value) => value !== undefined)
  const mayBeMissing = proof === undefined && tier === 'platform' && !expected.strictNonce
  const [audiences, nonces] = [stated('aud'), stated('nonce')]
  if (audiences.length === 0 && !mayBeMissing) outOfScope('audience')
  if (!audiences.every((aud) => isOurs(aud, proof === undefined, expected.aud))) outOfScope('audience')
  if (nonces.length === 0 && !mayBeMissing) outOfScope('nonce')
  if (!nonces.every((nonce) => isSame(nonce, expected.nonce))) outOfScope('nonce')
}

/** Whether an `aud` means this seller. The proof of a key is for one audience alone (RFC 9901 section 4.3). */
const isOurs = (aud: Json | undefined, mayBeList: boolean, ours: MandateAudience['aud']): boolean => {
  const names = new Set(typeof ours === 'string' ? [ours] : ours)
  if (typeof aud === 'string') return names.has(aud)
  if (!mayBeList || !Array.isArray(aud) || aud.length > AUDIENCES_MAX) return false
  return aud.some((name) => typeof name === 'string' && names.has(name))
}

/** Whether a mandate holds at a time. */

/** Seconds by which clocks may differ. */
const SKEW_S = 60
/** Seconds for which a mandate holds that says no end. */
const UNENDING_AGE_MAX_S = 900

type Times = {
  readonly issued: number | undefined
  readonly from: number | undefined
  readonly until: number | undefined
}

/** Refuses times that are no numbers first, then times to come, and then a mandate that has expired. */
const checkTimes = ({ closed, open, proof }: Presentation, now: Date): void => {
  const nowS = now.getTime() / 1_000
  const mandates = [...open, closed].flatMap(placesOf)
  const all = [...new Set(proof ? [...mandates, proof] : mandates)].map(timesOf)
  for (const { issued, from } of all)
    if (Math.max(issued ?? -Infinity, from ?? -Infinity) > nowS + SKEW_S) rejectForgery('not-yet-valid')
  // The presenter says when, so that a mandate cannot be kept for later.
  const presented = proof ? timesOf(proof).issued : latest(placesOf(closed).map((place) => timesOf(place).issued))
  if (proof && presented === undefined) rejectForgery('time-missing')
  const ends = all.flatMap(({ until }) => until ?? [])
  if (ends.length === 0 && presented === undefined) rejectForgery('time-missing')
  const end = ends.length > 0 ? Math.min(...ends) : (presented ?? 0) + UNENDING_AGE_MAX_S
  if (nowS >= end + SKEW_S) throw new MandateFault('expired', 'expired')
}

const timesOf = ({ iat, nbf, exp }: JsonObject): Times => ({
  issued: seconds(iat),
  from: seconds(nbf),
  until: seconds(exp),
})

const seconds = (value: Json | undefined): number | undefined => {
  if (value === undefined) return undefined
  return typeof value === 'number' && Number.isFinite(value) ? value : rejectForgery('time-malformed')
}

const latest = (times: readonly (number | undefined)[]): number | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined)
