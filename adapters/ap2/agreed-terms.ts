import { isSame } from './digest.ts'
import { canonicalJson } from './es256.ts'
import { outOfScope } from './fault.ts'
import type { Ap2Mandate } from './mandate.ts'
import { type OwnKeys, termsOf } from './own-terms.ts'
import { isObject, type Json, type JsonObject } from './strict-json.ts'

/** What a mandate agrees to is what the seller has signed, and what the session still says (C-SES-12). */

/** As the answer has it on the wire. */
export type WireSession = {
  readonly id: string
  readonly currency: string
  readonly lineItems: unknown
  readonly totals: unknown
}

export type AgreedTerms = { readonly terms: JsonObject; readonly checkoutHash: string }

export const agreedTerms = async (mandate: Ap2Mandate, session: WireSession, keys: OwnKeys): Promise<AgreedTerms> => {
  const { body, claims } = mandate
  const jwt = checkoutJwtOf(body)
  const checkoutHash = claims.hash(jwt)
  // A checkout that is held as it is needs no hash; one that is there has to be right.
  const isHashed = body.checkout_hash !== undefined || body.checkout_jwt !== undefined
  if (isHashed && !isSame(body.checkout_hash, checkoutHash)) outOfScope('checkout-hash')
  const terms = (await termsOf(jwt, keys)) ?? outOfScope('checkout-not-ours')
  if (terms.id !== session.id) outOfScope('other-session')
  if (terms.currency !== session.currency) outOfScope('currency-differs')
  if (!isAlike(terms.line_items, session.lineItems)) outOfScope('line-items-differ')
  if (!isAlike(terms.totals, session.totals)) outOfScope('totals-differ')
  return { terms, checkoutHash }
}

/**
 * Either `checkout_jwt` (AP2), or the whole `checkout` with its `merchant_authorization` (UCP), from which the same is
 * made again.
 */
const checkoutJwtOf = ({ checkout_jwt: jwt, checkout }: JsonObject): string => {
  if (typeof jwt === 'string' && checkout === undefined) return jwt
  if (!isObject(checkout) || jwt !== undefined) return outOfScope('checkout-missing')
  const { ap2, ...content } = checkout
  const authorization = isObject(ap2) ? ap2.merchant_authorization : undefined
  const [header, between, signature, ...more] = typeof authorization === 'string' ? authorization.split('.') : []
  if (!header || between !== '' || !signature || more.length > 0) return outOfScope('checkout-missing')
  const written = canonical(content) ?? outOfScope('checkout-not-ours')
  return `${header}.${Buffer.from(written).toString('base64url')}.${signature}`
}

const isAlike = (signed: Json | undefined, present: unknown): boolean => {
  const written = canonical(signed)
  return written !== undefined && written === canonical(present)
}

/** Undefined for what has no canonical form, such as half a surrogate pair. */
const canonical = (value: unknown): string | undefined => {
  try {
    return canonicalJson(value)
  } catch {
    return undefined
  }
}
