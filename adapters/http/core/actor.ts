import { createHash, timingSafeEqual } from 'node:crypto'
import { isEnded } from '../../../domain/account/keys/key-limits.ts'
import { suspendedText } from '../../../domain/account/owner-keys.ts'
import { capabilitiesOf, STORE_KEY_ROLE } from '../../../domain/account/roles.ts'
import type { Vault, World } from '../../../domain/kernel/ports.ts'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { StoreTokenRow } from '../../../projections/account/account-stops.ts'
import type { ApiKeyRow } from '../../../projections/account/accounts.ts'
import type { Queries } from '../../../projections/index.ts'
import type { LoggedCaller } from '../../postgres/requests/request-rows.ts'
import { comesFrom, plainAddress } from './bounds/key-networks.ts'
import type { Actor, CloudCaller, Endpoint } from './endpoint.ts'

type KeyRows = Rows & {
  readonly queries: Queries
  readonly outside: { readonly world: Pick<World, 'now'>; readonly vault: Pick<Vault, 'open'> }
}

/**
 * The actor that a key belongs to, when it comes from the address `from`. Every kind of key is
 * `<prefix>_<lookup id>_<secret>`: no key, or an unknown id, is `key-missing`; a known id with a wrong secret, or one
 * that was revoked, has been replaced or is suspended, is `key-invalid` (Q-26, N-27), as is every key of an account
 * that its owner closed. One that is past the end that it was given is `key-ended`, one from a network that is not its
 * own `network-refused` (N-99). A good key of an account that an operator stopped is `account-suspended`; nobody else
 * learns that. A new kind of key is one line in `kinds`. `known` is told of whose key it is, also when it is refused.
 */
export const actorOf = async (
  rows: KeyRows,
  key: string,
  from: string,
  known: (caller: LoggedCaller) => void = () => {},
): Promise<Actor> => {
  const match = /^([a-z]{2}(?:_[a-z]{4})?)_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(key)
  const kind = match?.[1] ? kinds[match[1]] : undefined
  const id = kind && match?.[2]
  const found = id && (await foundOrNew(rows, 'keys', () => rows.queries.apiKey(id)))
  if (!kind || !found) return refuse('key-missing', key === '' ? NO_KEY : UNKNOWN_KEY)
  if (!id || found.revoked || found.suspended || !sameHash(key, found.keyHash)) return refuse('key-invalid', BAD_KEY)
  const { reason = null, closed = false } = (await rows.queries.accountStop(found.accountId)) ?? {}
  if (closed) return refuse('key-invalid', CLOSED)
  known({ accountId: found.accountId, kind: found.kind, id, hint: found.hint })
  await mustBeWithinLimits(rows, found, from)
  if (reason !== null) return refuse('account-suspended', suspendedText(reason))
  return {
    ...kind(found),
    accountId: found.accountId,
    keyId: id,
    replaced: found.kind === 'owner' && found.endsAt !== null,
  }
}

const mustBeWithinLimits = async (
  { outside: { world, vault } }: Pick<KeyRows, 'outside'>,
  { kind, endsAt, networks }: ApiKeyRow,
  from: string,
): Promise<void> => {
  if (isEnded({ endsAt }, world.now().toISOString())) {
    if (kind === 'owner') refuse('key-invalid', REPLACED_KEY)
    refuse('key-ended', endedText(endsAt))
  }
  if (networks !== null && !(await comesFrom(vault, networks, from)))
    refuse('network-refused', elsewhereText(plainAddress(from)))
}

const NO_KEY = 'Send your API key in the header X-Api-Key.'
const UNKNOWN_KEY = 'This API key is not valid: there is no such key. Look whether it was copied whole.'
const BAD_KEY = 'This API key is not valid: it is mistyped, or was revoked or suspended. Send one that is active.'
const CLOSED = 'The account of this API key was closed by its owner. Sign up for a new account.'
const REPLACED_KEY = 'This API key is not valid any more: another one has taken its place. Send the newest one.'

const endedText = (endsAt: string | null) =>
  `This API key ended at ${endsAt}. Ask the owner of the account for another end or another key.`
const elsewhereText = (from: string) =>
  `This API key takes no calls from ${from}. Call from one of its networks, or ask the owner to add this one.`

/** Refuses `key-missing` for a key that was sent as a bearer token, with the header that it belongs in. */
export const mustNotBeBearer = (authorization: string): void => {
  if (/^bearer\s+(sk|sa|st|pk)_/i.test(authorization))
    refuse('key-missing', 'Send this key in the header X-Api-Key: <key>, and not in Authorization.')
}

/**
 * Refuses `forbidden` when the key may not do this: it is not the owner's, lacks the capability (E-403-01), or is
 * limited to stores where a call goes further, or does not say how far it goes (J-AUTH-04).
 */
export const allow = (
  actor: Actor,
  { reach, callers: { capability, ownerOnly } = {} }: Pick<Endpoint, 'reach' | 'callers'>,
): void => {
  if (ownerOnly && actor.kind !== 'owner' && !actor.isOwner)
    refuse('forbidden', 'This needs the key of the owner. Send that one in the header X-Api-Key.')
  if (ownerOnly && actor.replaced) refuse('forbidden', REPLACED)
  if (capability && !actor.can(capability))
    refuse('forbidden', `This needs ${capability}. Use a key that has it, or the key of the owner.`)
  if (actor.storeScope && reach !== 'store') refuse('forbidden', NOT_OF_A_STORE)
}

/** Whoever has an old key, perhaps a thief, cannot use its last hour to take the account over. */
const REPLACED =
  'This needs the newest key of the owner. The one that was sent has been replaced: use the one in its place.'

const NOT_OF_A_STORE =
  'This concerns the whole account, and the key is limited to stores. Use the owner’s key, or a sub-key with an empty store_scope.'

/** Whether a key may see a record: to a sandbox key, a live record does not exist (X-SBX-01). */
export const maySee = (actor: Actor, record: { test: boolean }): boolean => record.test || !actor.testOnly

/**
 * Whether a list shows test records: live and test records are in no list together. A sandbox key sees tests
 * alone, and is refused `invalid-request` when it asks for live ones; any other key sees live records unless it asks
 * for tests.
 */
export const listsTests = ({ testOnly }: Actor, asked: '0' | '1' | undefined): boolean => {
  if (testOnly && asked === '0')
    refuse('invalid-request', 'is_test: a sandbox key sees test records alone. Leave it out.')
  return testOnly || asked === '1'
}

/** Whether a store is one that the key is for (J-AUTH-04). */
export const inScope = ({ storeScope }: Actor, storeId: number): boolean => storeScope?.includes(storeId) ?? true

/**
 * The stores to which a list is narrowed: the one that is asked for, or none when it is out of scope; else those of the
 * key. Undefined means all stores.
 */
export const storesOf = (actor: Actor, asked: number | undefined): readonly number[] | undefined => {
  if (asked === undefined) return actor.storeScope
  return inScope(actor, asked) ? [asked] : []
}

/** Whether a key may use a record: nobody may use one of another tenant (X-TEN-01). */
export const mayUse = (actor: Actor, record: { accountId: string; storeId: number; test: boolean }): boolean =>
  record.accountId === actor.accountId && maySee(actor, record) && inScope(actor, record.storeId)

type Kind = Omit<Actor, 'accountId' | 'keyId' | 'replaced'>

/** What a sandbox key may do is declared by each endpoint; where it may act at all, it needs no capability. */
const kinds: Readonly<Record<string, (row: ApiKeyRow) => Kind>> = {
  sk_live: () => ({ kind: 'owner', testOnly: false, storeScope: undefined, can: () => true }),
  sk_test: () => ({ kind: 'sandbox', testOnly: true, storeScope: undefined, can: () => true }),
  pk_test: () => ({ kind: 'publishable', testOnly: true, storeScope: undefined, can: () => true }),
  sa: ({ role, permissions, storeScope }) => limited('sub-key', role, permissions, storeScope),
  st: ({ storeScope }) => limited('store', STORE_KEY_ROLE, [], storeScope),
}

/** Who may do what a role says, in some stores; in all of them where none is named. */
export const limited = (
  kind: Actor['kind'],
  role: ApiKeyRow['role'],
  permissions: ApiKeyRow['permissions'],
  stores: readonly number[],
): Kind => {
  const allowed = role === null ? [] : capabilitiesOf(role, permissions)
  const storeScope = stores.length === 0 ? undefined : stores
  return { kind, testOnly: false, storeScope, can: (capability) => allowed.includes(capability) }
}

const sameHash = (key: string, hash: string): boolean =>
  timingSafeEqual(createHash('sha256').update(key).digest(), Buffer.from(hash, 'hex'))

/** The form of a publishable token; what looks otherwise is not looked up. */
const CLOUD_TOKEN = /^ct_[a-z2-7]{26}$/

/**
 * The store that a call names by its publishable token, in the query or in the form (J-AUTH-06, M-CLD-02). Refuses
 * `key-missing` without one, `key-invalid` for one that names no store, or not any more.
 */
export const cloudCaller = async (rows: Rows & { readonly queries: Queries }, token: unknown): Promise<CloudCaller> => {
  if (token === undefined || token === '') return refuse('key-missing', 'Send the cloud token of a store as cloud.')
  if (!isToken(token)) return refuse('key-invalid', NO_STORE)
  const named = await foundOrNew(rows, 'tokens', () => storeNamed(rows.queries, token))
  const { accountId, storeId, suspended, closed } = named ?? refuse('key-invalid', NO_STORE)
  if (closed) refuse('key-invalid', STORE_CLOSED)
  // The token is in every page of the store: the reason is for those who hold a key.
  if (suspended !== null) refuse('account-suspended', STORE_SUSPENDED)
  return { accountId, storeId }
}

/** The store that a token names now; undefined for a token that names none. */
export const storeNamed = async (queries: Queries, token: unknown): Promise<StoreTokenRow | undefined> =>
  isToken(token) ? queries.storeOfToken(createHash('sha256').update(token).digest('hex')) : undefined

const isToken = (token: unknown): token is string => typeof token === 'string' && CLOUD_TOKEN.test(token)

const STORE_CLOSED = 'The account of this store was closed by its owner. Ask the seller where they sell now.'
const STORE_SUSPENDED =
  'The account of this store is suspended. Ask its seller, who reads why with a key of the account.'
const NO_STORE = 'This cloud token names no store. Copy it from the store again.'

export type Rows = { current(): Promise<boolean> }

/**
 * Finds what may have been made a moment ago: it is looked up once more when the rows have caught up. Undefined when it
 * does not exist. Refuses `unavailable` when the rows did not catch up in time; `what` says in the plural what is not
 * known yet.
 */
export const foundOrNew = async <T>(
  { current }: Rows,
  what: string,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> => {
  const found = await find()
  if (found) return found
  const isCurrent = await current()
  const later = await find()
  if (later || isCurrent) return later
  return refuse('unavailable', `New ${what} are not known here yet. Try again in a moment.`)
}
