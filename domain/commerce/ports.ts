/** What checking signed agreements asks of the outside, beside `domain/kernel/ports.ts`. */

/** A public key as its owner lists it. */
export type ListedKey = Readonly<Record<string, unknown>>

export type PlatformProfile = {
  /** The protocol's version that it speaks, a date. */
  readonly version: string
  readonly keys: readonly ListedKey[]
}

/**
 * Lists of keys that others publish, read over the guarded way out: kept for a minute at least, one reading at a time,
 * 3 seconds and 64 KiB, and neither one host nor all together are asked without bound. `kid` is looked for again where
 * a list that is older than a minute has not got it.
 */
export type KeyLists = {
  /** Of a platform. Refuses `profile-url-invalid`, `profile-unreachable`, `profile-malformed`, `rate-limited`. */
  profile(url: string, kid: string): Promise<PlatformProfile>
  /** A JWK set; none while it cannot be read. */
  jwks(url: string, kid: string): Promise<readonly ListedKey[]>
}
