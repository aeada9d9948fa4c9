import type { MandateTier as Tier } from '../../domain/commerce/mandate-rules.ts'
import type { ListedKey } from '../../domain/commerce/ports.ts'
import type { Jws } from './compact.ts'
import { MandateFault, rejectForgery } from './fault.ts'
import { type Ap2Mandate, placesOf } from './mandate.ts'
import { checkSigned, type EcJwk, ecKeyOf } from './public-key.ts'
import { isObject, type JsonObject } from './strict-json.ts'

/**
 * The issuer whose signature a mandate has, and how far it is trusted. A key is looked up by what the token says; only
 * what the key signed is believed.
 */

export type Issuers = {
  /** The issuers of the seller's own list; empty where the seller takes none. */
  readonly registered: readonly { readonly iss: string; readonly keys: readonly ListedKey[] }[]
  /**
   * The platform whose profile the request names, where it is taken: the keys of the profile, and the origin it was
   * read from.
   */
  readonly platform?: { readonly origin: string; readonly keys: readonly ListedKey[] } | undefined
  /** Whether a key that nobody vouches for is taken. */
  readonly self: boolean
}

export type Issuer = {
  readonly tier: Tier
  readonly key: EcJwk
  /** The issuer's name; undefined for an issuer that nobody vouches for. */
  readonly name: string | undefined
}

/** Keys of one id that are tried. */
const CANDIDATES_MAX = 8
const TYPE = /^(?!kb[+-])[a-z0-9][a-z0-9.-]{0,40}\+sd-jwt$/

/** The issuer of a mandate, once its signature was checked. */
export const issuerOf = async (jws: Jws, issuers: Issuers): Promise<Issuer> => {
  const { typ } = jws.header
  if (typeof typ !== 'string' || !TYPE.test(typ)) rejectForgery('header-type')
  const candidates = candidatesOf(jws, issuers)
  if (candidates.length === 0) rejectForgery('key-unknown')
  for (const candidate of candidates.slice(0, CANDIDATES_MAX)) if (await hasSigned(candidate.key, jws)) return candidate
  return rejectForgery('signature-wrong')
}

/** Refuses an `iss` that is not the one to whom the key belongs. A mandate need not name one. */
export const checkOwner = ({ tier, name }: Issuer, mandate: Ap2Mandate): void => {
  for (const { iss } of placesOf(mandate)) {
    if (iss === undefined) continue
    const isOwner =
      typeof iss === 'string' &&
      (tier === 'registered' ? iss === name : tier === 'platform' && URL.canParse(iss) && new URL(iss).origin === name)
    if (!isOwner) rejectForgery('issuer-not-owner')
  }
}

/**
 * The issuers who may have signed. A key id that somebody owns is never also a stranger's: then a key in the header
 * counts for nothing.
 */
const candidatesOf = ({ header, payload }: Jws, issuers: Issuers): readonly Issuer[] => {
  const { kid } = header
  if (kid !== undefined && typeof kid !== 'string') return rejectForgery('key-malformed')
  const owned = kid === undefined ? [] : ownedBy(kid, issuers)
  if (owned.length > 0 || !issuers.self) return owned
  const jwk = header.jwk ?? (kid === undefined ? confirmedIn(payload) : undefined)
  return jwk === undefined ? [] : [{ tier: 'self', key: ecKeyOf(jwk), name: undefined }]
}

const ownedBy = (kid: string, { registered, platform }: Issuers): readonly Issuer[] => {
  const known = registered.flatMap(({ iss, keys }) => listed('registered', iss, keys, kid))
  return known.length > 0 || !platform ? known : listed('platform', platform.origin, platform.keys, kid)
}

/** The keys of a list with that id. Many lists hold keys that are no elliptic keys, and those cannot have signed. */
const listed = (tier: Tier, name: string, keys: readonly ListedKey[], kid: string): readonly Issuer[] =>
  keys
    .filter((key) => key.kid === kid)
    .flatMap((key) => {
      try {
        return [{ tier, name, key: ecKeyOf(key) }]
      } catch (error) {
        if (error instanceof MandateFault) return []
        throw error
      }
    })

const confirmedIn = ({ cnf }: JsonObject) => (isObject(cnf) ? cnf.jwk : undefined)

const hasSigned = (key: EcJwk, jws: Jws): Promise<boolean> =>
  checkSigned(jws, key).then(
    () => true,
    (error: unknown) => {
      if (error instanceof MandateFault) return false
      throw error
    },
  )
