import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '../../../domain/kernel/refusal.ts'
import type { IdempotentRequest } from '../../../domain/use-cases/once.ts'
import type { Actor, CloudCaller, Endpoint } from '../core/endpoint.ts'

/** The header of X-IDEM-01 on operations that create. */

const KEY_MAX = 255
const KEY = new RegExp(`^[\\x20-\\x7e]{1,${KEY_MAX}}$`)

/** The request under its Idempotency-Key; undefined when it has none. Refuses `invalid-request`. */
export const keyedBy = (
  { headers, params }: RequestHead,
  caller: Actor | CloudCaller,
  e: Endpoint,
  body: object,
): IdempotentRequest | undefined => {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !KEY.test(key))
    return refuse('invalid-request', `Idempotency-Key has to be 1 to ${KEY_MAX} printable ASCII characters`)
  // A live key and a sandbox key make different things of one request (X-SBX-01), and so do keys of different stores
  // (J-AUTH-04).
  const kind = 'keyId' in caller ? kindOf(caller) : [[caller.storeId]]
  const about = params && Object.keys(params).length > 0 ? [params] : []
  const operation = JSON.stringify([e.method, e.path, e.when ?? {}, ...kind, ...about])
  return { accountId: caller.accountId, operation, key, body }
}

type RequestHead = { readonly headers: IncomingHttpHeaders; readonly params?: object }

const kindOf = ({ testOnly, storeScope }: Actor) => [...(testOnly ? ['test'] : []), ...(storeScope ? [storeScope] : [])]

/** The header as OpenAPI says it. */
export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', minLength: 1, maxLength: KEY_MAX, pattern: '^[ -~]+$' },
  description: 'Sent again with the same key, the request makes nothing new and answers the first result.',
}
