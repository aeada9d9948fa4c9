import { catalogEndpoints } from './catalog.ts'
import { orderEndpoints } from './orders.ts'
import { ownOrderEndpoints } from './own-orders.ts'
import { profileEndpoints } from './profile.ts'
import { sessionEndpoints } from './sessions.ts'

/** The commerce protocol in one store, and what its seller sees of it. */
export const commerceEndpoints = [
  ...profileEndpoints,
  ...catalogEndpoints,
  ...sessionEndpoints,
  ...orderEndpoints,
  ...ownOrderEndpoints,
]
