import { authorizeEndpoints } from './authorize.ts'
import { discoveryEndpoint } from './discovery.ts'
import { endSessionEndpoints } from './end-session.ts'
import { keysEndpoint } from './keys.ts'
import { revokeEndpoint } from './revoke.ts'
import { tokenEndpoint } from './token.ts'
import { userinfoEndpoints } from './userinfo.ts'

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
