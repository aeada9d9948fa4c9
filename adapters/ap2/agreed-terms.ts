import { isSame } from './digest.ts'
import { canonicalJson } from './es256.ts'
import { outOfScope } from './fault.ts'
import type { Ap2Mandate } from './mandate.ts'
import { type OwnKeys, termsOf } from './own-terms.ts'
import { isObject, type Json, type JsonObject } from './strict-json.ts'

/** Checks that a mandate agrees to what the seller has signed and to what the session still says (C-SES-12). */

/** A checkout session as an answer has it on the wire. */
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
  // A checkout that the mandate holds whole needs no hash; a hash that is given has to be right.
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
 * The signed checkout: `checkout_jwt` itself (AP2), or the same made again from the whole `checkout` with its
 * `merchant_authorization` (UCP).
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

/** The canonical JSON of a value; undefined when it has none, such as for half a surrogate pair. */
const canonical = (value: unknown): string | undefined => {
  try {
    return canonicalJson(value)
  } catch {
    return undefined
  }
}
