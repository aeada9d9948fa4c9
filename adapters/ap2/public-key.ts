import { calculateJwkThumbprint, compactVerify, importJWK } from 'jose'
import { CURVES, type Jws } from './compact.ts'
import { rejectForgery } from './fault.ts'
import { decodedBytes, isObject } from './strict-json.ts'

/** Public keys of others, and what they have signed. */

export type EcJwk = { readonly kty: 'EC'; readonly crv: string; readonly x: string; readonly y: string }

/** Bytes of a coordinate. */
const COORDINATE_BYTES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 }

/** A JWK that is an elliptic key for signatures and nothing secret; what else it holds is left out. */
export const ecKeyOf = (jwk: unknown): EcJwk => {
  if (!isObject(jwk) || jwk.kty !== 'EC' || jwk.d !== undefined || jwk.k !== undefined)
    return rejectForgery('key-malformed')
  const { crv, x, y, alg, use, key_ops: operations } = jwk
  const bytes = typeof crv === 'string' && Object.hasOwn(COORDINATE_BYTES, crv) && COORDINATE_BYTES[crv]
  if (!bytes || typeof x !== 'string' || typeof y !== 'string') return rejectForgery('key-malformed')
  if (decodedBytes(x).length !== bytes || decodedBytes(y).length !== bytes) rejectForgery('key-malformed')
  if (alg !== undefined && (typeof alg !== 'string' || CURVES[alg] !== crv)) rejectForgery('key-malformed')
  if (use !== undefined && use !== 'sig') rejectForgery('key-malformed')
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    rejectForgery('key-malformed')
  return { kty: 'EC', crv: crv as string, x, y }
}

/** Refuses `signature-wrong` unless the key has signed it, with the algorithm of its curve. */
export const checkSigned = async ({ text, header }: Jws, key: EcJwk): Promise<void> => {
  const alg = String(header.alg)
  if (CURVES[alg] !== key.crv) rejectForgery('header-algorithm')
  const imported = await importJWK({ ...key }, alg).catch(() => rejectForgery('key-malformed'))
  await compactVerify(text, imported, { algorithms: [alg] }).catch(() => rejectForgery('signature-wrong'))
}

/** The thumbprint of a key by RFC 7638, with SHA-256. */
export const thumbprintOf = (key: EcJwk): Promise<string> => calculateJwkThumbprint({ ...key })

/** Whether signatures can be checked with a key: it has the right form, and is a point on its curve. */
export const isUsableKey = async (jwk: unknown): Promise<boolean> => {
  try {
    const key = ecKeyOf(jwk)
    const [alg = ''] = Object.entries(CURVES).find(([, curve]) => curve === key.crv) ?? []
    await importJWK({ ...key }, alg)
    return true
  } catch {
    return false
  }
}
