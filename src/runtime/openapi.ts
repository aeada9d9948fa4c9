import { commerceEndpoints } from '../../adapters/http/agent/commerce/index.ts'
import { createDownloads } from '../../adapters/http/agent/common/downloads.ts'
import { balanceEndpoints } from '../../adapters/http/auth/balance/index.ts'
import { developerEndpoints } from '../../adapters/http/auth/developer/index.ts'
import { oidcEndpoints } from '../../adapters/http/auth/oidc/oidc.ts'
import { orderPageEndpoints } from '../../adapters/http/buyer/order.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { openapi } from '../../adapters/http/serving/openapi.ts'
import { agentSurface } from '../../adapters/http/surfaces/agent.ts'
import { authSurface } from '../../adapters/http/surfaces/auth.ts'
import { dashboardEndpoints } from '../../adapters/http/surfaces/dashboard.ts'
import { paySurface } from '../../adapters/http/surfaces/pay.ts'
import { payFunctions } from '../../adapters/http/surfaces/pay-functions.ts'
import { payerGroups } from '../../adapters/http/surfaces/payers.ts'
import { peopleEndpoints } from '../../adapters/http/surfaces/people.ts'
import { sellerGroups } from '../../adapters/http/surfaces/sellers.ts'

/**
 * The three APIs with all of their endpoints, in the order in which they are told of. Those that are served have the
 * same, and load most of them later (`surfaces.ts`).
 */
export const surfaces = (): readonly Surface[] => {
  const downloads = createDownloads()
  const { front, doors, signed, requests, buyers } = payerGroups(orderPageEndpoints)
  const { account, callers, asking, offers, books } = sellerGroups(downloads)
  const sold = [...front, ...account, ...doors, ...callers, ...signed, ...asking, ...requests, ...offers, ...buyers]
  return [
    agentSurface([...sold, ...dashboardEndpoints(downloads), ...commerceEndpoints, ...books]),
    authSurface([...oidcEndpoints(), ...peopleEndpoints(), ...balanceEndpoints(), ...developerEndpoints()]),
    paySurface(payFunctions(downloads)),
  ]
}

/** The document at `/openapi.json` and in docs/: one truth, made from the endpoints. */
export const openapiDocument = (): object => openapi({ title: 'Daybook', version: '0.7.3' }, surfaces())
