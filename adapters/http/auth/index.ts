import type { Surface } from '../surface.ts'
import { wire } from './errors.ts'

/** The sign-in and user-balance service of document 2: no operation is open yet, so every call is an unknown one. */
export const authSurface = (): Surface => ({
  name: 'auth',
  reads: 'form',
  wire,
  endpoints: [],
  failure: (code, message) => ({ error: code, error_description: message }),
  success: (answer) => answer,
})
