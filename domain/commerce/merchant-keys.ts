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
  /** Time from which it signs. */
  activeFrom: string
}

export type MerchantKeyEvents = { MerchantKeyAdded: MerchantKey }

export type MerchantKeyCommands = {
  /** Adds the first key, which signs at once. Does nothing when there is a key. */
  begin: Omit<MerchantKey, 'activeFrom'>
  /**
   * Adds the next key, which signs after `PUBLISHED_BEFORE_MINUTES`. Does nothing while one waits to become active.
   * Refuses `too-many-keys` while the most keys are published.
   */
  rotate: Omit<MerchantKey, 'activeFrom'>
}

export type MerchantKeyState = { keys: readonly MerchantKey[] }

/** Minutes that a key is published before it signs: longer than anybody may keep the profile that it is in. */
const PUBLISHED_BEFORE_MINUTES = 10
/**
 * Minutes that a key stays published after it stops signing: a session lives for 24 hours at most, and clocks differ.
 */
const PUBLISHED_AFTER_MINUTES = 25 * 60
/** The most keys that are published at a time, the one that waits included. */
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
 * The key that signs at a time; undefined before there is any. The first one also signs for a clock that is behind the
 * one that made it.
 */
export const merchantKeyAt = ({ keys }: MerchantKeyState, at: string): MerchantKey | undefined => signingAt(keys, at)

/**
 * The key that signs something dated `at`: the key of that time, so that the signed text stays the same, or today's
 * once that key is published no more.
 */
export const merchantKeyFor = (state: MerchantKeyState, at: string, now: string): MerchantKey | undefined => {
  const then = merchantKeyAt(state, at)
  return then && published(state.keys, now).includes(then) ? then : merchantKeyAt(state, now)
}

type KeyUse = 'next' | 'signing' | 'retiring'

/** The keys that are published at a time, the newest first, each with its use then. */
export const merchantKeysAt = (state: MerchantKeyState, at: string): readonly (MerchantKey & { use: KeyUse })[] => {
  const signing = merchantKeyAt(state, at)
  const useOf = (key: MerchantKey): KeyUse => (key === signing ? 'signing' : key.activeFrom > at ? 'next' : 'retiring')
  return published(state.keys, at)
    .map((key) => ({ ...key, use: useOf(key) }))
    .toReversed()
}

const published = (keys: readonly MerchantKey[], at: string): readonly MerchantKey[] =>
  publishedOf(keys, at, PUBLISHED_AFTER_MINUTES)

/**
 * A time at which a key with this `activeFrom` was added, or before that: keys that were no longer published then are
 * forgotten.
 */
const earlier = (activeFrom: string): string => addMinutes(activeFrom, -PUBLISHED_BEFORE_MINUTES)
