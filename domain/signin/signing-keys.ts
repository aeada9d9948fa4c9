import { addMinutes } from '../kernel/calendar.ts'
import { decider } from '../kernel/decider.ts'
import { publishedOf, signingAt } from '../kernel/key-times.ts'
import type { SealedText } from '../kernel/ports.ts'

/**
 * The keys that sign ID tokens and logout tokens. The next key is published a day before it signs, and the one before
 * it stays published until nothing that it has signed is valid any more. There is one stream, `auth`.
 */

export type SigningKey = {
  kid: string
  /** The public half as a JWK, without `kid`, `use` and `alg`. */
  publicJwk: { readonly kty: string; readonly n: string; readonly e: string }
  /** PKCS #8 in PEM, sealed. */
  privateKey: SealedText
  /** Time from which it signs. */
  activeFrom: string
}

export type SigningKeyEvents = { SigningKeyAdded: SigningKey }

export type SigningKeyCommands = {
  /** Adds the first key. Does nothing when there is one. */
  begin: Omit<SigningKey, 'activeFrom'>
  /**
   * Adds a key. The first key signs at once; a later one after `PUBLISHED_BEFORE_HOURS`. Does nothing while a key waits
   * to become active.
   */
  add: Omit<SigningKey, 'activeFrom'>
  /**
   * Adds a key that signs at once, because the private key of the signing one is lost. Does nothing when that is
   * replaced already.
   */
  replace: Omit<SigningKey, 'activeFrom'> & { lost: string }
}

type State = { keys: readonly SigningKey[] }

/** Hours that a key is published before it signs: longer than clients keep what they have fetched. */
const PUBLISHED_BEFORE_HOURS = 24
/** Days that a key signs. */
const ROTATED_DAYS = 90
/** Minutes that a key stays published after it stops signing: longer than any of its tokens is valid. */
const PUBLISHED_AFTER_MINUTES = 60
/** Keys that are remembered; older ones are published no more. */
const KEYS_MAX = 4

export const SIGNING_KEYS = 'auth'

export const signingKeys = decider<SigningKeyEvents, SigningKeyCommands, State>({
  category: 'signingKeys',
  stateVersion: 1,
  initial: { keys: [] },
  decide: {
    begin: ({ keys }, data, now) =>
      keys.length > 0 ? [] : [{ type: 'SigningKeyAdded', data: { ...data, activeFrom: now } }],
    add: ({ keys }, data, now) => {
      if (keys.some(({ kid, activeFrom }) => kid === data.kid || activeFrom > now)) return []
      const activeFrom = keys.length === 0 ? now : addMinutes(now, PUBLISHED_BEFORE_HOURS * 60)
      return [{ type: 'SigningKeyAdded', data: { ...data, activeFrom } }]
    },
    replace: (state, { lost, ...data }, now) =>
      signingKeyAt(state, now)?.kid === lost ? [{ type: 'SigningKeyAdded', data: { ...data, activeFrom: now } }] : [],
  },
  evolve: { SigningKeyAdded: ({ keys }, key) => ({ keys: [...keys, key].slice(-KEYS_MAX) }) },
})

/**
 * The key that signs now; undefined before there is any. The first one also signs for a clock that is behind the one
 * that made it.
 */
export const signingKeyAt = ({ keys }: State, now: string): SigningKey | undefined => signingAt(keys, now)

/** The keys that are published now, the newest first. */
export const publishedAt = ({ keys }: State, now: string): readonly SigningKey[] =>
  publishedOf(keys, now, PUBLISHED_AFTER_MINUTES).toReversed()

/** Whether the newest key has signed for so long that the next one has to be published now. */
export const isRotationDue = ({ keys }: State, now: string): boolean => {
  const newest = keys.at(-1)
  return newest !== undefined && addMinutes(newest.activeFrom, (ROTATED_DAYS * 24 - PUBLISHED_BEFORE_HOURS) * 60) <= now
}
