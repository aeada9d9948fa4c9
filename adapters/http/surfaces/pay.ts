import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'
import { wire } from '../pay/errors.ts'

/** The form-encoded merchant console of document 3, with these of its functions. */
export const paySurface = (functions: readonly Endpoint[]): Surface => ({
  name: 'pay',
  reads: 'form',
  wire,
  endpoints: functions,
  failure: (code, message) => ({ success: false, error_code: code, message }),
  success: (response) => ({ success: true, response }),
})
