/** What checking signed agreements asks of the outside, beside `domain/kernel/ports.ts`. */

/** A public key as its owner lists it. */
export type ListedKey = Readonly<Record<string, unknown>>

export type PlatformProfile = {
  /** The protocol's version that it speaks, a date. */
  readonly version: string
  readonly keys: readonly ListedKey[]
}

/**
 * Lists of keys that others publish, read over the guarded way out. A list is kept for at least a minute, and read by
 * one request at a time, of at most 3 seconds and 64 KiB; requests are bounded, for each host and in all. A list that
 * is older than a minute and lacks `kid` is read again.
 */
export type KeyLists = {
  /**
   * The profile of a platform. Refuses `profile-url-invalid`, `profile-unreachable`, `profile-malformed`,
   * `rate-limited`.
   */
  profile(url: string, kid: string): Promise<PlatformProfile>
  /** The keys of a JWK set; none while it cannot be read. */
  jwks(url: string, kid: string): Promise<readonly ListedKey[]>
}
