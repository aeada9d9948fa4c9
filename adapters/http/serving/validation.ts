import type { Auth, Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { validInput } from '../core/valid.ts'

type RequestParts = {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly headers: unknown
}

/** A request in the shapes that its operation declares. Refuses `invalid-request`. */
export const validRequest = (e: Endpoint, surface: Surface, { params, query, body, headers }: RequestParts) => {
  const names = otherNames(e, surface)
  return {
    params: validInput(e.params, params, 'any'),
    query: validInput(e.query, query, names.query),
    body: validInput(e.body, body, names.body),
    headers: validInput(e.headers, headers, 'any'),
  }
}

/**
 * The names that a call bears beside those that its operation reads: what picks the operation, what names the caller,
 * and any others where the operation says so.
 */
export const otherNames = ({ when = {}, auth, page, ignores, takes }: Endpoint, { reads }: Surface) => {
  const picks = [...Object.keys(when), ...(CREDENTIALS[auth] ?? [])]
  const any = (part: 'query' | 'body') => ignores === part || ignores === 'both'
  const query = [...picks, ...(page ? ['agent'] : [])]
  const body = reads === 'form' && auth === 'key' ? [...picks, 'api-key'] : picks
  return {
    query: any('query') ? 'any' : query,
    body: any('body') || takes?.raw || takes?.upload ? 'any' : body,
  } as const
}

/** The fields by which callers say who they are, which are read before an operation reads its own. */
const CREDENTIALS: { readonly [auth in Auth]?: readonly string[] } = {
  cloud: ['cloud'],
  shop: ['cloud'],
  client: ['client_id', 'client_secret'],
  app: ['client_id', 'client_secret'],
  bearer: ['access_token', 'client_id', 'client_secret'],
  person: ['csrf'],
  visitor: ['csrf'],
  member: ['csrf'],
  guest: ['csrf'],
}
