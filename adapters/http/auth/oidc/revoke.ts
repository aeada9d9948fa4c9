import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'

/**
 * Ends an access token (A-OID-19, RFC 7009). A token that is unknown, or another app's, gets the same answer and stays
 * as it is.
 */
export const revokeEndpoint = () =>
  endpoint({
    method: 'post',
    path: '/oauth2',
    when: { op: 'revoke' },
    ignores: 'both',
    summary: 'An app ends an access token of its own',
    auth: 'app',
    waits: 'never',
    limits: { failures: 'tokenFailures' },
    body: z.object({
      token: z.string().min(1).max(2_048),
      token_type_hint: z.string().max(100).optional(),
      client_id: z.string().max(200).optional(),
      client_secret: z.string().max(200).optional(),
    }),
    returns: z.object({}),
    refusals: ['client-unknown'],
    async answer({ body: { token }, actor: { clientId }, flow, signIn }) {
      await signIn.tokens.revoke(flow.world.digest(token), clientId)
      return {}
    },
  })
