import { createHash, timingSafeEqual } from 'node:crypto'
import { type RefusalCode, refuse } from '../../domain/refusal.ts'
import type { Queries } from '../../projections/index.ts'
import type { Actor, Endpoint } from './endpoint.ts'

/**
 * Who a key belongs to. Every kind of key is `<prefix>_<lookup id>_<secret>`: none, or an unknown id, is `key-missing`; a known id with a
 * wrong secret is `key-invalid`. A new kind of key is one line in `kinds`.
 */
export const actorOf = async ({ queries, current }: Rows, key: string): Promise<Actor> => {
  const match = /^([a-z]{2}(?:_[a-z]{4})?)_([0-9a-f]{16})_[0-9a-f]{64}$/.exec(key)
  const kind = match?.[1] ? kinds[match[1]] : undefined
  const id = kind && match?.[2]
  let found = id && (await queries.apiKey(id))
  if (id && !found) {
    // Perhaps it was issued a moment ago.
    await current()
    found = await queries.apiKey(id)
  }
  if (!kind || !found) return no('key-missing')
  return sameHash(key, found.keyHash) ? kind(found.accountId) : no('key-invalid')
}

/** Refuses `forbidden` when the key may not do this: it lacks the capability, or is not the owner's (E-403-01). */
export const allow = (actor: Actor, { capability, ownerOnly }: Pick<Endpoint, 'capability' | 'ownerOnly'>): void => {
  if (ownerOnly && actor.kind !== 'owner') refuse('forbidden', 'This needs the key of the owner.')
  if (capability && !actor.can(capability)) refuse('forbidden', `This needs ${capability}.`)
}

type Rows = { readonly queries: Queries; current(): Promise<void> }

const kinds: Readonly<Record<string, (accountId: string) => Actor>> = {
  sk_live: (accountId) => ({ accountId, kind: 'owner', can: () => true }),
}

const sameHash = (key: string, hash: string): boolean =>
  timingSafeEqual(createHash('sha256').update(key).digest(), Buffer.from(hash, 'hex'))

const no = (code: Extract<RefusalCode, 'key-missing' | 'key-invalid'>): never =>
  refuse(code, code === 'key-missing' ? 'Send your API key in the header X-Api-Key.' : 'This API key is not valid.')
