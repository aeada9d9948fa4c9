import { z } from 'zod'
import { publishedAt, SIGNING_KEYS } from '../../../../domain/signin/signing-keys.ts'
import { signingKey } from '../../../../domain/use-cases/signin/signing-keys.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'

/**
 * The keys that tokens of ours are checked by (A-GEN-04, RFC 7517): those that sign, are to sign tomorrow, or have
 * signed a moment ago.
 */
export const keysEndpoint = () =>
  endpoint({
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'The public keys that ID tokens are signed with',
    auth: 'none',
    ignores: 'query',
    callers: { crossOrigin: true },
    limits: { keyless: true },
    waits: 'never',
    returns: z.object({ keys: z.array(z.record(z.string(), z.string())) }),
    async answer({ flow }) {
      await signingKey(flow)
      const keys = publishedAt(await flow.ledger.signingKeys.recent(SIGNING_KEYS), flow.world.now().toISOString()).map(
        ({ kid, publicJwk }) => ({ ...publicJwk, kid, use: 'sig', alg: 'RS256' }),
      )
      return new Reply(200, { keys }, MAY_BE_KEPT)
    },
  })

/** How long the keys may be cached: much shorter than the day for which a key is published before it signs. */
export const MAY_BE_KEPT = { 'Cache-Control': 'public, max-age=300' }
