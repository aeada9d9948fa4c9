import { balanceEndpoints } from '../auth/balance/index.ts'
import { oidcEndpoints } from '../auth/oidc/oidc.ts'

/** What apps call, and where they lead their users: sign-in and balances (document 2). */
export const appEndpoints = () => [...oidcEndpoints(), ...balanceEndpoints()]
