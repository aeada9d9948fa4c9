import { createHash } from 'node:crypto'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { Queries } from '../../../projections/index.ts'
import type { CloudCaller } from './endpoint.ts'
import { foundOrNew, type Rows } from './perhaps-new.ts'

/** The form of a publishable token; what looks otherwise is not looked up. */
const CLOUD_TOKEN = /^ct_[a-z2-7]{26}$/

/**
 * The store that a call names by its publishable token, in the query or in the form (J-AUTH-06, M-CLD-02). Refuses
 * `key-missing` without one, `key-invalid` for one that names no store, or not any more.
 */
export const cloudCaller = async (rows: Rows & { readonly queries: Queries }, token: unknown): Promise<CloudCaller> => {
  if (token === undefined || token === '') return refuse('key-missing', 'Send the cloud token of a store as cloud.')
  if (!isToken(token)) return refuse('key-invalid', NO_STORE)
  return (await foundOrNew(rows, 'tokens', () => storeNamed(rows.queries, token))) ?? refuse('key-invalid', NO_STORE)
}

/** The store that a token names now; undefined for what is none. */
export const storeNamed = async (queries: Queries, token: unknown): Promise<CloudCaller | undefined> =>
  isToken(token) ? queries.storeOfToken(createHash('sha256').update(token).digest('hex')) : undefined

const isToken = (token: unknown): token is string => typeof token === 'string' && CLOUD_TOKEN.test(token)

const NO_STORE = 'This cloud token names no store.'
