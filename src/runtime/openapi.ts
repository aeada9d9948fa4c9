import { createDownloads } from '../../adapters/http/agent/common/downloads.ts'
import type { Surface } from '../../adapters/http/core/surface.ts'
import { openapi } from '../../adapters/http/serving/openapi.ts'
import { agentSurface } from '../../adapters/http/surfaces/agent.ts'
import { appEndpoints } from '../../adapters/http/surfaces/apps.ts'
import { authSurface } from '../../adapters/http/surfaces/auth.ts'
import { shoppingEndpoints } from '../../adapters/http/surfaces/commerce.ts'
import { dashboardEndpoints } from '../../adapters/http/surfaces/dashboard.ts'
import { paySurface } from '../../adapters/http/surfaces/pay.ts'
import { payFunctions } from '../../adapters/http/surfaces/pay-functions.ts'
import { peopleEndpoints } from '../../adapters/http/surfaces/people.ts'
import { sellerEndpoints } from '../../adapters/http/surfaces/sellers.ts'

/** The three APIs with all of their endpoints, of which those that are served load a part later. */
export const surfaces = (): readonly Surface[] => {
  const downloads = createDownloads()
  return [
    agentSurface([...sellerEndpoints(downloads), ...dashboardEndpoints(downloads), ...shoppingEndpoints]),
    authSurface([...appEndpoints(), ...peopleEndpoints()]),
    paySurface(payFunctions(downloads)),
  ]
}

/** The document at `/openapi.json` and in docs/: one truth, made from the endpoints. */
export const openapiDocument = (): object => openapi({ title: 'Daybook', version: '0.7.3' }, surfaces())
