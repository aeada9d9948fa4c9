import { z } from 'zod'
import { endpoint } from '../../core/endpoint.ts'
import { claimsOf } from './claims.ts'

/**
 * What an access token lets an app know of its user (A-OID-18); a POST may bring the token in its body (RFC 6750 §2.2).
 */
export const userinfoEndpoints = () => [userinfo('get'), userinfo('post')]

const userinfo = (method: 'get' | 'post') =>
  endpoint({
    method,
    path: '/oauth2',
    when: { op: 'userinfo' },
    summary: 'Claims of the user, for the scopes that were granted',
    auth: 'bearer',
    scope: 'openid',
    ledgerOnly: true,
    showsLater: true,
    crossOrigin: true,
    limits: { token: 'userinfo' },
    ...(method === 'post' && { body: z.object({ access_token: z.string().max(200).optional() }) }),
    returns,
    refusals: ['token-invalid', 'insufficient-scope'],
    answer: async ({ actor: { sub, scopes }, flow }) => await claimsOf(flow, sub, scopes),
  })

const returns = z
  .object({
    sub: z.string(),
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
    name: z.string().optional(),
    preferred_username: z.string().optional(),
    picture: z.string().optional(),
    locale: z.string().optional(),
  })
  .meta({ id: 'UserClaims' })
