import { challengeOf } from '../auth/oidc/challenges.ts'
import { wire } from '../auth/oidc/errors.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'

/** The sign-in and user-balance service of document 2, with these of its endpoints. */
export const authSurface = (endpoints: readonly Endpoint[]): Surface => ({
  name: 'auth',
  reads: 'form',
  pickedByQuery: '/oauth2',
  headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' },
  wire,
  refusalHeaders: challengeOf,
  endpoints,
  failure: (code, message, facts) => ({ error: code, error_description: message, ...facts }),
  success: (answer) => answer,
})
