import { p256 } from '@noble/curves/nist.js'
import canonicalize from 'canonicalize'
import type { PublicJwk } from '../../domain/commerce/merchant-keys.ts'

/**
 * ES256 with signatures that follow from the key and the content alone (RFC 6979): the same content gets the same
 * signature to the byte.
 */

/** Random bytes that a key is made of: the bits above its own size keep it evenly distributed (FIPS 186-5 A.2.1). */
export const SEED_BYTES = 48

/** A secret number in hex, made of `SEED_BYTES` random bytes in hex. */
export const secretFrom = (seed: string): string =>
  Buffer.from(p256.utils.randomSecretKey(Buffer.from(seed, 'hex'))).toString('hex')

export const publicOf = (secret: string): PublicJwk => {
  const point = Buffer.from(p256.getPublicKey(Buffer.from(secret, 'hex'), false))
  const half = (from: number) => point.subarray(from, from + 32).toString('base64url')
  return { kty: 'EC', crv: 'P-256', x: half(1), y: half(33) }
}

/** A compact JWS over text. The header has the members in the order in which they are given, `alg` first. */
export const signedCompact = (secret: string, header: object, payload: string): string => {
  const signed = `${encoded(JSON.stringify({ alg: 'ES256', ...header }))}.${encoded(payload)}`
  const signature = p256.sign(Buffer.from(signed, 'ascii'), Buffer.from(secret, 'hex'), { prehash: true, lowS: false })
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}

/** JSON as RFC 8785 writes it. Throws for what has no such form: text with half a surrogate pair, NaN, a cycle. */
export const canonicalJson = (value: unknown): string | undefined => canonicalize(value)

const encoded = (text: string): string => Buffer.from(text, 'utf8').toString('base64url')
