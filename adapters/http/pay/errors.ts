import { wire as agent } from '../agent/common/errors.ts'
import type { Wire } from '../core/surface.ts'

/** How the merchant console says each refusal: document 1's codes and statuses (N-64), and its own two for the key. */
export const wire: Wire = {
  ...agent,
  'key-missing': [401, 'api-key-not-found'],
  'key-invalid': [401, 'invalid-api-key'],
  'route-not-found': [404, 'svc_unknown_function'],
}
