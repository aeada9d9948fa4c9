import { addMinutes } from '../kernel/calendar.ts'
import { decider } from '../kernel/decider.ts'
import { publishedOf, signingAt } from '../kernel/key-times.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The keys by which a seller signs what it offers in the commerce protocol (C-SES-08, N-44). One stream for each
 * account. A key that signs no more stays published until nothing that it has signed can be completed any more.
 */

/** A public key on the curve P-256 as a JWK, without `kid`, `use` and `alg`. */
export type PublicJwk = { readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string }

export type MerchantKey = {
  /** The thumbprint of RFC 7638. */
  kid: string
  publicJwk: PublicJwk
  /** The secret number as hex, sealed under the account. */
  privateKey: SealedText
  /** From when on it signs. */
  activeFrom: string
}

export type MerchantKeyEvents = { MerchantKeyAdded: MerchantKey }

export type MerchantKeyCommands = {
  /** The first key, which signs at once. Quiet when there is one. */
  begin: Omit<MerchantKey, 'activeFrom'>
  /**
   * The next key, which signs after `PUBLISHED_BEFORE_MINUTES`. Quiet while one waits to become active. Refuses
   * `too-many-keys` while as many as may be are published.
   */
  rotate: Omit<MerchantKey, 'activeFrom'>
}

export type MerchantKeyState = { keys: readonly MerchantKey[] }

/** How long a key is published before it signs: longer than anybody may keep the profile that it is in. */
const PUBLISHED_BEFORE_MINUTES = 10
/** How long one that signs no more stays published: a session lives for 24 hours at most, and clocks differ. */
const PUBLISHED_AFTER_MINUTES = 25 * 60
/** Keys that are published at a time, the one that waits included. */
const KEYS_MAX = 6

export const merchantKeys = decider<MerchantKeyEvents, MerchantKeyCommands, MerchantKeyState>({
  category: 'merchantKeys',
  stateVersion: 1,
  initial: { keys: [] },
  decide: {
    begin: ({ keys }, key, now) =>
      keys.length > 0 ? [] : [{ type: 'MerchantKeyAdded', data: { ...key, activeFrom: now } }],
    rotate: (state, key, now) => {
      if (state.keys.some(({ kid, activeFrom }) => kid === key.kid || activeFrom > now)) return []
      if (merchantKeysAt(state, now).length >= KEYS_MAX)
        return refuse(
          'too-many-keys',
          `at most ${KEYS_MAX} keys are published at a time, each for a day after its last use`,
        )
      return [{ type: 'MerchantKeyAdded', data: { ...key, activeFrom: addMinutes(now, PUBLISHED_BEFORE_MINUTES) } }]
    },
  },
  evolve: {
    MerchantKeyAdded: ({ keys }, key) => ({ keys: published([...keys, key], earlier(key.activeFrom)) }),
  },
})

/**
 * The key that signs at a time; undefined before there is any. The first one signs also where a clock is behind that of
 * who made it.
 */
export const merchantKeyAt = ({ keys }: MerchantKeyState, at: string): MerchantKey | undefined => signingAt(keys, at)

/**
 * What has a time is signed by the key of that time, so that it stays the same, and by today's once nobody could check
 * that any more.
 */
export const merchantKeyFor = (state: MerchantKeyState, at: string, now: string): MerchantKey | undefined => {
  const then = merchantKeyAt(state, at)
  return then && published(state.keys, now).includes(then) ? then : merchantKeyAt(state, now)
}

type KeyUse = 'next' | 'signing' | 'retiring'

/** Those that are published at a time, the newest first, each with what it is for then. */
export const merchantKeysAt = (state: MerchantKeyState, at: string): readonly (MerchantKey & { use: KeyUse })[] => {
  const signing = merchantKeyAt(state, at)
  const useOf = (key: MerchantKey): KeyUse => (key === signing ? 'signing' : key.activeFrom > at ? 'next' : 'retiring')
  return published(state.keys, at)
    .map((key) => ({ ...key, use: useOf(key) }))
    .toReversed()
}

const published = (keys: readonly MerchantKey[], at: string): readonly MerchantKey[] =>
  publishedOf(keys, at, PUBLISHED_AFTER_MINUTES)

/** When a key was added that signs from this moment on, or before: what was published no more then is forgotten. */
const earlier = (activeFrom: string): string => addMinutes(activeFrom, -PUBLISHED_BEFORE_MINUTES)
