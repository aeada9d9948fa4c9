import { jwsOf } from './compact.ts'
import { MandateFault } from './fault.ts'
import { checkSigned } from './public-key.ts'
import type { JsonObject } from './strict-json.ts'

/** The keys of a seller, as it publishes them. */
export type OwnKeys = readonly {
  readonly kid: string
  readonly kty: 'EC'
  readonly crv: string
  readonly x: string
  readonly y: string
}[]

/**
 * The content of a checkout that a seller has signed, with one of these keys and in exactly its own form; undefined for
 * everything else.
 */
export const termsOf = async (checkoutJwt: string, keys: OwnKeys): Promise<JsonObject | undefined> => {
  try {
    const jws = jwsOf(checkoutJwt)
    const key = keys.find(({ kid }) => kid === jws.header.kid)
    if (!key || jws.header.alg !== 'ES256' || Object.keys(jws.header).length !== 2) return undefined
    const { kty, crv, x, y } = key
    await checkSigned(jws, { kty, crv, x, y })
    return jws.payload
  } catch (error) {
    if (error instanceof MandateFault) return undefined
    throw error
  }
}
