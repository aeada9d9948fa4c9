import { createHash, timingSafeEqual } from 'node:crypto'
import { rejectForgery } from './fault.ts'
import type { Json } from './strict-json.ts'

/** Hashes of text, as SD-JWT writes them (RFC 9901 section 4.1.1). */

const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' }

/** The hash function that is named in `_sd_alg`; SHA-256 where there is no name. */
export const hasherOf = (algorithm: Json | undefined = 'sha-256'): ((text: string) => string) => {
  const name = typeof algorithm === 'string' && Object.hasOwn(HASHES, algorithm) && HASHES[algorithm]
  if (!name) return rejectForgery('digest-algorithm')
  return (text) => createHash(name).update(text, 'utf8').digest('base64url')
}

/** Compares in a time that does not tell how much of the text was alike. */
export const isSame = (given: Json | undefined, expected: string): boolean =>
  typeof given === 'string' && timingSafeEqual(sha256(given), sha256(expected))

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()
