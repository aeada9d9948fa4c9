import { balanceEndpoints } from '../auth/balance/index.ts'
import { developerEndpoints } from '../auth/developer/index.ts'
import { challengeOf } from '../auth/oidc/challenges.ts'
import { wire } from '../auth/oidc/errors.ts'
import { oidcEndpoints } from '../auth/oidc/oidc.ts'
import type { Surface } from '../core/surface.ts'
import { peopleEndpoints } from './people.ts'

/** The sign-in and user-balance service of document 2, on one page. */
export const authSurface = (): Surface => ({
  name: 'auth',
  reads: 'form',
  pickedByQuery: '/oauth2',
  headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' },
  wire,
  refusalHeaders: challengeOf,
  endpoints: [...oidcEndpoints(), ...peopleEndpoints(), ...balanceEndpoints(), ...developerEndpoints()],
  failure: (code, message, facts) => ({ error: code, error_description: message, ...facts }),
  success: (answer) => answer,
})
