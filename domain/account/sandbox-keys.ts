import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import { LimitReached } from '../kernel/refusals/limits.ts'
import type { KeptKey } from './keys/api-key.ts'
import {
  type KeyLimits,
  type KeyLimitsChange,
  keyLimits,
  keyLimitsAfter,
  mustEndLater,
  type SealedNetworks,
  sameKeyLimits,
} from './keys/key-limits.ts'

/**
 * The keys of an account that make test records only, numbered from 1 (K-SBX-01 to K-SBX-10). The stream is named by
 * the account.
 */

const HOUR_MS = 3_600_000
const ISSUED_PER_HOUR_MAX = 10
/** Keys that work at the same time, so that the state stays small. */
const ACTIVE_MAX = 100
/**
 * The use of a key is written down at most once in this time: it shows whether a key is still in use, and not to the
 * second when (N-28).
 */
const USE_NOTED_EVERY_MS = HOUR_MS

/**
 * `secret` tries out a whole sale; `publishable` may be in the hands of anybody: it reads resources and mints
 * challenges.
 */
export type SandboxKeyKind = 'secret' | 'publishable'

export type SandboxKeysEvents = {
  /**
   * A sandbox key exists. Only its hash is kept; the key itself was shown once (K-SBX-02). The label is the seller's
   * own text.
   */
  SandboxKeyIssued: KeptKey &
    KeyLimits & { number: number; kind: SandboxKeyKind; label: SealedText | null; issuedAt: string }
  /** The key has a new secret, and the limits that it had; the old secret stopped at once (X-ROT-01). */
  SandboxKeyRotated: KeptKey & KeyLimits & { number: number; replacedKeyId: string }
  /** Until when the key may call from now on, and from which networks; null does not limit it (N-99). */
  SandboxKeyLimitsSet: { number: number; keyId: string; endsAt: string | null; networks: SealedNetworks | null }
  /** The key stopped for good. */
  SandboxKeyRevoked: { number: number; keyId: string }
  /** The key was used, for the first time in an hour at least (K-SBX-10). */
  SandboxKeyUsed: { number: number; keyId: string; usedAt: string }
}

export type SandboxKeysCommands = {
  /** Refuses an end that is over, `too-many-keys`, `rate-limited`. */
  issue: KeptKey & KeyLimits & { kind: SandboxKeyKind; label: SealedText | null }
  rotate: KeptKey & { number: number }
  /** Refuses `sandbox-key-not-found`, and an end that is over. */
  limit: KeyLimitsChange & { number: number }
  revoke: { number: number }
  noteUse: { keyId: string }
}

type ActiveKey = KeyLimits & { keyId: string; kind: SandboxKeyKind; usedAt: string | null }
/** `issued` are the times at which the last keys were made, the newest at the end: as many as the throttle looks at. */
type State = {
  last: number
  active: { readonly [number: string]: ActiveKey }
  issued: readonly string[]
}

export const sandboxKeys = decider<SandboxKeysEvents, SandboxKeysCommands, State>({
  category: 'sandboxKeys',
  stateVersion: 2,
  initial: { last: 0, active: {}, issued: [] },
  decide: {
    issue: (state, data, now) => {
      if (activeKey(state, data.keyId)) return []
      mustEndLater(data, now)
      if (Object.keys(state.active).length >= ACTIVE_MAX)
        return refuse('too-many-keys', `${ACTIVE_MAX} sandbox keys are active: revoke one first`)
      throttle(state, now)
      return [{ type: 'SandboxKeyIssued', data: { ...data, number: state.last + 1, issuedAt: now } }]
    },
    rotate: ({ active }, { number, ...kept }) => {
      const key = active[number] ?? refuse('sandbox-key-not-found', NOT_FOUND)
      if (key.keyId === kept.keyId) return []
      return [{ type: 'SandboxKeyRotated', data: { number, ...kept, ...keyLimits(key), replacedKeyId: key.keyId } }]
    },
    limit: ({ active }, { number, ...wish }, now) => {
      const key = active[number] ?? refuse('sandbox-key-not-found', NOT_FOUND)
      mustEndLater(wish, now, key)
      const after = keyLimitsAfter(key, wish)
      if (sameKeyLimits(key, after)) return []
      const { endsAt = null, networks = null } = after
      return [{ type: 'SandboxKeyLimitsSet', data: { number, keyId: key.keyId, endsAt, networks } }]
    },
    revoke: ({ active, last }, { number }) => {
      const key = active[number]
      if (key) return [{ type: 'SandboxKeyRevoked', data: { number, keyId: key.keyId } }]
      return number >= 1 && number <= last ? [] : refuse('sandbox-key-not-found', NOT_FOUND)
    },
    noteUse: (state, { keyId }, now) => {
      const [number, key] = activeKey(state, keyId) ?? refuse('key-invalid')
      if (isNoted(key, now)) return []
      return [{ type: 'SandboxKeyUsed', data: { number: Number(number), keyId, usedAt: now } }]
    },
  },
  evolve: {
    SandboxKeyIssued: ({ active, issued }, { number, keyId, kind, issuedAt, ...data }) => ({
      last: number,
      active: { ...active, [number]: { keyId, kind, usedAt: null, ...keyLimits(data) } },
      issued: [...issued, issuedAt].slice(-ISSUED_PER_HOUR_MAX),
    }),
    SandboxKeyRotated: (state, { number, keyId }) => changed(state, number, { keyId, usedAt: null }),
    SandboxKeyLimitsSet: (state, { number, endsAt, networks }) => changed(state, number, { endsAt, networks }),
    SandboxKeyRevoked: (state, { number }) => {
      const { [number]: _, ...active } = state.active
      return { ...state, active }
    },
    SandboxKeyUsed: (state, { number, usedAt }) => changed(state, number, { usedAt }),
  },
})

/** The active key of a lookup id, with its number as text. */
export const activeKey = ({ active }: State, keyId: string): [number: string, key: ActiveKey] | undefined =>
  Object.entries(active).find(([, key]) => key.keyId === keyId)

/** Whether the use of an active key was written down lately, so that it need not be again. */
export const isUseNoted = (state: State, keyId: string, now: string): boolean => {
  const [, key] = activeKey(state, keyId) ?? []
  return key !== undefined && isNoted(key, now)
}

const NOT_FOUND = 'There is no such sandbox key, or it is revoked. Look for its number in GET /v1/sandbox-keys.'

/** Refuses `rate-limited` while the tenth newest key is less than an hour old (L-JSN-01). */
const throttle = ({ issued }: State, now: string): void => {
  const tenth = issued.at(-ISSUED_PER_HOUR_MAX)
  const waitMs = tenth === undefined ? 0 : Date.parse(tenth) + HOUR_MS - Date.parse(now)
  if (waitMs > 0)
    throw new LimitReached(
      'sandbox-keys',
      waitMs / 1_000,
      `At most ${ISSUED_PER_HOUR_MAX} sandbox keys can be made in an hour. Wait, or use one that is there.`,
    )
}

const isNoted = ({ usedAt }: ActiveKey, now: string) =>
  usedAt !== null && Date.parse(now) - Date.parse(usedAt) < USE_NOTED_EVERY_MS

const changed = (state: State, number: number, part: Partial<ActiveKey>): State => {
  const key = state.active[number]
  return key ? { ...state, active: { ...state.active, [number]: { ...key, ...part } } } : state
}
