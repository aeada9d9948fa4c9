import type { SdJwt } from './compact.ts'
import { type Claims, claimsOf } from './disclosures.ts'
import { rejectForgery } from './fault.ts'
import { type EcJwk, ecKeyOf } from './public-key.ts'
import { isObject, type Json, type JsonObject } from './strict-json.ts'

/** One mandate whose signature was checked: what it says, and whose key it asks for next. */
export type Ap2Mandate = {
  readonly claims: Claims
  /** What is agreed to: the claims themselves, or the one thing that was disclosed inside their `delegate_payload`. */
  readonly body: JsonObject
  /** The key that the presenter has to prove, `cnf.jwk`. */
  readonly confirmation: EcJwk | undefined
  readonly signed: SdJwt
}

export const CLOSED = 'mandate.checkout.1'
export const OPEN = 'mandate.checkout.open.1'

/**
 * Claims that decide whether a mandate holds: the presenter must not be the one who chooses whether to show them (RFC
 * 9901 section 9.7).
 */
const MUST_BE_OPEN: ReadonlySet<string> = new Set([
  'iss',
  'iat',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'status',
  'aud',
  'nonce',
  'sd_hash',
  'issuer_jwt_hash',
  'delegate_payload',
])

/** Reads a mandate, once its signature was checked. `vct` is the one type that is taken here. */
export const mandateOf = (signed: SdJwt, vct: string): Ap2Mandate => {
  const claims = claimsOf(signed.jwt.payload, signed.disclosures)
  const body = bodyOf(claims.root)
  for (const part of [claims.root, body])
    if (claims.disclosedIn(part).some((name) => MUST_BE_OPEN.has(name))) rejectForgery('claim-not-open')
  if (body.vct !== vct) rejectForgery('type-wrong')
  // Whether it was withdrawn stands at an address that a stranger names, and no such address is ever called.
  if (claims.root.status !== undefined || body.status !== undefined) rejectForgery('status-not-asked')
  return { claims, body, confirmation: confirmationOf(claims.root, body), signed }
}

/** The places where a claim may stand: beside the wrapped mandate, and in it. */
export const placesOf = ({ claims, body }: Ap2Mandate): readonly JsonObject[] =>
  body === claims.root ? [body] : [claims.root, body]

const bodyOf = (root: JsonObject): JsonObject => {
  const wrapped = root.delegate_payload
  if (wrapped === undefined) return root
  const [body, ...more] = Array.isArray(wrapped) ? wrapped : []
  return isObject(body) && more.length === 0 ? body : rejectForgery('payload-malformed')
}

const confirmationOf = (root: JsonObject, body: JsonObject): EcJwk | undefined => {
  const stated = [...new Set([root, body])].map(({ cnf }) => cnf).filter((cnf) => cnf !== undefined)
  if (stated.length > 1) rejectForgery('confirmation-malformed')
  return stated.length === 0 ? undefined : keyIn(stated[0])
}

const keyIn = (cnf: Json | undefined): EcJwk => {
  if (!isObject(cnf) || Object.keys(cnf).length !== 1) return rejectForgery('confirmation-malformed')
  return ecKeyOf(cnf.jwk)
}
