import type { MandateTier } from '../../domain/commerce/mandate-rules.ts'
import { type AgreedTerms, agreedTerms, type WireSession } from './agreed-terms.ts'
import { checkAudience, type MandateAudience } from './audience.ts'
import { closedJwtOf, mandatesOf } from './compact.ts'
import { checkConstraints } from './constraints.ts'
import { hasherOf } from './digest.ts'
import { type Fault, type FaultReason, MandateFault } from './fault.ts'
import { checkOwner, type Issuer, type Issuers, issuerOf } from './issuer-key.ts'
import type { OwnKeys } from './own-terms.ts'
import { type Presentation, presentedAlone, presentedInChain } from './presentation.ts'
import { thumbprintOf } from './public-key.ts'
import { checkTimes } from './validity.ts'

/**
 * Whether a mandate (AP2 0.2: SD-JWT with key binding, or a chain of them) agrees to a checkout as it is now. It is
 * optional here, and money is pushed by the buyer: a mandate is evidence, never power to spend (C-SES-07, C-SES-10 to
 * C-SES-12, J-AUTH-08).
 */

export type MandateCheck = MandateAudience & {
  readonly token: string
  readonly now: Date
  readonly session: WireSession
  /** What the seller has signed is known by these. */
  readonly merchantKeys: OwnKeys
  readonly issuers: Issuers
  /** Further names and addresses by which an open mandate may mean this seller; those of `aud` do already. */
  readonly seller?: readonly string[]
}

export type MandateVerdict =
  | {
      readonly ok: true
      readonly tier: MandateTier
      /** Undefined where nobody vouches for the key. */
      readonly issuer: string | undefined
      /** RFC 7638, of the key that was trusted so far, and of the one that signed last where that is another. */
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
 * Checked in this order, so that what is both forged and expired is forged: form, signature of the issuer, disclosures
 * and type, the proof of who presents it, times, audience and nonce, the terms, constraints. Calls nobody, and follows
 * no address that the token names.
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
 * What the header of a mandate says, to look for keys by it; nothing of a token that is malformed. Nothing of it is
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
