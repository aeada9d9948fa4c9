import { z } from 'zod'
import type { UseCaseContext } from '../../../../domain/use-cases/context.ts'
import { endpoint, Reply } from '../../core/endpoint.ts'
import { authorizeEndpoints } from './authorize.ts'
import { PROMPTS } from './authorize-request.ts'
import { CLAIMS, userinfoEndpoints } from './claims.ts'
import { endSessionEndpoints } from './end-session.ts'
import { keysEndpoint, MAY_BE_KEPT } from './keys.ts'
import { revokeEndpoint } from './revoke.ts'
import { SCOPES } from './scopes.ts'
import { tokenEndpoint } from './token.ts'

/** OpenID Connect: the endpoint directory of the documents (A-GEN-02). */
export const oidcEndpoints = () => [
  discoveryEndpoint(),
  keysEndpoint(),
  ...authorizeEndpoints(),
  tokenEndpoint(),
  ...userinfoEndpoints(),
  revokeEndpoint(),
  ...endSessionEndpoints(),
]

/** The members that every client looks for; the document has more. */
const Discovery = z.looseObject({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  userinfo_endpoint: z.url(),
  revocation_endpoint: z.url(),
  end_session_endpoint: z.url(),
  jwks_uri: z.url(),
})

/** The document by which clients configure themselves (A-GEN-02, A-GEN-03; OpenID Connect Discovery 1.0, RFC 8414). */
const discoveryEndpoint = () =>
  endpoint({
    method: 'get',
    path: '/.well-known/openid-configuration',
    summary: 'The discovery document',
    auth: 'none',
    ignores: 'query',
    callers: { crossOrigin: true },
    limits: { keyless: true },
    waits: 'never',
    returns: Discovery,
    answer: async ({ flow }) => new Reply(200, discovery(flow.origins.auth), MAY_BE_KEPT),
  })

const discovery = (issuer: UseCaseContext['origins']['auth']) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth2?op=authorize`,
  token_endpoint: `${issuer}/oauth2?op=token`,
  userinfo_endpoint: `${issuer}/oauth2?op=userinfo`,
  revocation_endpoint: `${issuer}/oauth2?op=revoke`,
  end_session_endpoint: `${issuer}/oauth2?op=end_session`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  token_endpoint_auth_methods_supported: WAYS_IN,
  revocation_endpoint_auth_methods_supported: WAYS_IN,
  code_challenge_methods_supported: ['S256'],
  prompt_values_supported: PROMPTS,
  claim_types_supported: ['normal'],
  claims_supported: [...PROTOCOL_CLAIMS, ...CLAIMS.email, ...CLAIMS.profile],
  claims_parameter_supported: false,
  request_parameter_supported: false,
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  ui_locales_supported: ['en'],
})

const WAYS_IN = ['client_secret_basic', 'client_secret_post', 'none']
const PROTOCOL_CLAIMS = ['sub', 'iss', 'aud', 'exp', 'iat', 'azp', 'nonce', 'auth_time', 'amr', 'sid', 'at_hash']
