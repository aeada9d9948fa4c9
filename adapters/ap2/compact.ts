import { rejectForgery } from './fault.ts'
import { decodedBytes, decodedObject, type JsonObject } from './strict-json.ts'

/** The parts of a token as it came. Nothing in here is believed: whether a key has signed it is found out later. */

/** Characters of the whole token. */
const TOKEN_LENGTH_MAX = 65_536
/** Disclosures of one mandate. */
const DISCLOSURES_MAX = 256
/** Mandates in a chain: the first, what agents pass on, and the last. */
const CHAIN_MAX = 4

export type Jws = {
  readonly text: string
  readonly header: JsonObject
  readonly payload: JsonObject
}

export type SdJwt = {
  readonly jwt: Jws
  /** The disclosures as they were written, undecoded. */
  readonly disclosures: readonly string[]
  /** The text that the presenter hashes: all but the proof of its key. */
  readonly presented: string
  readonly keyBinding: Jws | undefined
}

/** The algorithms that are taken, each with the curve of its keys. */
export const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' }

/** The mandates of a chain, `open~~closed`, or the only one. */
export const mandatesOf = (token: string): readonly SdJwt[] => {
  if (token.length > TOKEN_LENGTH_MAX) rejectForgery('too-long')
  const texts = token.split('~~')
  if (texts.length > CHAIN_MAX) rejectForgery('too-many-parts')
  // The separator stands for the `~` at the end of a mandate and one more.
  return texts.map((text, i) => sdJwtOf(i < texts.length - 1 ? `${text}~` : text))
}

/**
 * The signed part of the last mandate: what a receipt refers to, whatever was disclosed beside it (AP2,
 * `get_closed_mandate_jwt`).
 */
export const closedJwtOf = (token: string): string => {
  const [jwt = ''] = (token.split('~~').at(-1) ?? '').split('~')
  return jwt
}

const sdJwtOf = (text: string): SdJwt => {
  const parts = text.split('~')
  const last = parts.pop()
  const [jwt, ...disclosures] = parts
  if (jwt === undefined || disclosures.includes('')) return rejectForgery('malformed')
  if (disclosures.length > DISCLOSURES_MAX) rejectForgery('too-many-parts')
  return {
    jwt: jwsOf(jwt),
    disclosures,
    presented: `${parts.join('~')}~`,
    keyBinding: last ? jwsOf(last) : undefined,
  }
}

/**
 * Reads a signed text: three parts, each canonical, and a header that leaves nothing open: an algorithm that is taken,
 * nothing critical, no key by URL.
 */
export const jwsOf = (text: string): Jws => {
  const [head, body, signature, ...more] = text.split('.')
  if (!head || !body || !signature || more.length > 0) return rejectForgery('malformed')
  const header = decodedObject(head)
  if (typeof header.alg !== 'string' || !Object.hasOwn(CURVES, header.alg)) rejectForgery('header-algorithm')
  if (header.crit !== undefined || header.b64 !== undefined) rejectForgery('header-critical')
  if (header.jku !== undefined || header.x5u !== undefined) rejectForgery('header-names-url')
  decodedBytes(signature)
  return { text, header, payload: decodedObject(body) }
}
