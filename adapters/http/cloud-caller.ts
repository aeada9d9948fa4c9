import { createHash } from 'node:crypto'
import { refuse } from '../../domain/refusal.ts'
import type { Queries } from '../../projections/index.ts'
import type { CloudCaller } from './endpoint.ts'

/** The form of a publishable token; what looks otherwise is not looked up. */
const CLOUD_TOKEN = /^ct_[a-z2-7]{26}$/

/**
 * The store that a call names by its publishable token, in the query or in the form (J-AUTH-06, M-CLD-02). Refuses `key-missing` without one,
 * `key-invalid` for one that names no store, or not any more.
 */
export const cloudCaller = async (
  { queries, current }: { readonly queries: Queries; current(): Promise<boolean> },
  token: unknown,
): Promise<CloudCaller> => {
  if (token === undefined || token === '') return refuse('key-missing', 'Send the cloud token of a store as cloud.')
  if (typeof token !== 'string' || !CLOUD_TOKEN.test(token)) return refuse('key-invalid', NO_STORE)
  const hash = createHash('sha256').update(token).digest('hex')
  const found = await queries.storeOfToken(hash)
  if (found) return found
  // Perhaps it was issued a moment ago.
  const isCurrent = await current()
  const issued = await queries.storeOfToken(hash)
  if (issued) return issued
  return isCurrent
    ? refuse('key-invalid', NO_STORE)
    : refuse('unavailable', 'New tokens are not known here yet. Try again in a moment.')
}

const NO_STORE = 'This cloud token names no store.'
