import { wire } from '../agent/common/errors.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'

/** The JSON API of document 1, with these of its endpoints. */
export const agentSurface = (endpoints: readonly Endpoint[]): Surface => ({
  name: 'agent',
  reads: 'json',
  wire,
  endpoints,
  failure: (code, message) => ({ success: false, error: code, error_code: code, message }),
  success: (answer) => answer,
})
