import type { KeyLists, ListedKey, PlatformProfile } from '../../domain/commerce/ports.ts'
import type { Outbound } from '../../domain/kernel/ports.ts'
import { type PlainRefusalCode, Refusal, refuse } from '../../domain/kernel/refusal.ts'
import { LimitReached } from '../../domain/kernel/refusals/limits.ts'
import { createKeptDocuments, type DocumentFault } from './kept-documents.ts'
import { isObject, type JsonObject } from './strict-json.ts'

/** Keys of one list that are looked at. */
const KEYS_MAX = 50
/** Characters of a key's id, and of each of its numbers. */
const MEMBER_MAX = 200
const ALGORITHMS: ReadonlySet<unknown> = new Set(['ES256', 'ES384', 'ES512'])
/** Versions of the protocol are dates. */
const VERSION = /^\d{4}-\d{2}-\d{2}$/

/** Keys that others publish, for as long as they may be kept. */
export const createKeyLists = (settings: {
  readonly outbound: Pick<Outbound, 'get' | 'refusal'>
  /** Milliseconds that only go forward. */
  readonly now?: () => number
}): KeyLists => {
  const profiles = createKeptDocuments(settings, profileIn)
  const sets = createKeptDocuments(settings, keysIn)
  const has = (kid: string) => (keys: readonly ListedKey[]) => keys.some((key) => key.kid === kid)
  return {
    async profile(url, kid) {
      const reason = settings.outbound.refusal(url)
      if (reason !== undefined)
        throw new Refusal(
          'profile-url-invalid',
          `The profile of the platform: ${reason}. Name one at an https URL of a public host.`,
        )
      const read = await profiles(url, ({ keys }) => has(kid)(keys))
      if (read.ok) return read.value
      const { fault } = read
      if (typeof fault === 'object') throw new LimitReached('calls.profiles', fault.busyS, TOO_MANY)
      const [code, words] = FAULTS[fault]
      return refuse(code, words)
    },
    async jwks(url, kid) {
      const read = settings.outbound.refusal(url) === undefined ? await sets(url, has(kid)) : undefined
      return read?.ok ? read.value : []
    },
  }
}

const TOO_MANY = 'Too many profiles are being read. Try again later.'

const FAULTS = {
  unreachable: ['profile-unreachable', 'The profile of the platform could not be read. Try again once it can be.'],
  malformed: ['profile-malformed', 'The profile of the platform has to have a version and keys, as UCP has them.'],
} as const satisfies Record<Extract<DocumentFault, string>, readonly [PlainRefusalCode, string]>

/** Until 2026-04-08 the keys were called `signing_keys`. */
const profileIn = (json: unknown): PlatformProfile | undefined => {
  if (!isObject(json) || !isObject(json.ucp)) return undefined
  const { version } = json.ucp
  const lists = [json.signing_keys, json.keys].filter((list) => list !== undefined)
  const keys = lists.map((list) => keysIn({ keys: list }))
  if (typeof version !== 'string' || !VERSION.test(version) || keys.length === 0) return undefined
  return keys.includes(undefined) ? undefined : { version, keys: keys.flatMap((list) => list ?? []) }
}

const keysIn = (json: unknown): readonly ListedKey[] | undefined => {
  if (!isObject(json) || !Array.isArray(json.keys) || json.keys.length > KEYS_MAX) return undefined
  return json.keys.every((key) => isObject(key)) ? json.keys.flatMap(keptOf) : undefined
}

/** Only what a signature can be checked by is kept: a list may hold certificates, or keys of other kinds. */
const keptOf = ({ kid, kty, crv, x, y, d, alg, use, key_ops: operations }: JsonObject): readonly ListedKey[] => {
  const isShort = [kid, crv, x, y].every((part) => typeof part === 'string' && part.length <= MEMBER_MAX)
  if (kty !== 'EC' || d !== undefined || !isShort) return []
  if ((alg !== undefined && !ALGORITHMS.has(alg)) || (use !== undefined && use !== 'sig')) return []
  const verifies = operations === undefined || (Array.isArray(operations) && operations.includes('verify'))
  return verifies ? [{ kid, kty, crv, x, y, ...(alg !== undefined && { alg }) }] : []
}
