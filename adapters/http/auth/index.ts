import type { Surface } from '../surface.ts'
import { balanceEndpoints } from './balance/index.ts'
import { challengeOf } from './challenges.ts'
import { developerEndpoints } from './developer/index.ts'
import { wire } from './errors.ts'
import { oidcEndpoints } from './oidc.ts'
import { peopleEndpoints } from './people/index.ts'

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
