import { createDownloads } from '../../adapters/http/agent/common/downloads.ts'
import type { LaterEndpoints, Surface } from '../../adapters/http/core/surface.ts'
import { agentSurface } from '../../adapters/http/surfaces/agent.ts'
import { authSurface } from '../../adapters/http/surfaces/auth.ts'
import { paySurface } from '../../adapters/http/surfaces/pay.ts'

/**
 * The three APIs as they are served. What machines and buyers call is there from the start; the screens of sellers'
 * people, the pages of accounts and the console, a third of all endpoints, by the first call of one of them.
 */
export const servedSurfaces = (): readonly Surface[] => {
  const downloads = createDownloads()
  const screens: LaterEndpoints = {
    under: ['dashboard'],
    load: async () => (await import('../../adapters/http/surfaces/dashboard.ts')).dashboardEndpoints(downloads),
  }
  const people: LaterEndpoints = {
    under: ['sign-up', 'sign-in', 'sign-out', 'account'],
    load: async () => (await import('../../adapters/http/surfaces/people.ts')).peopleEndpoints(),
  }
  const functions: LaterEndpoints = {
    under: ['api.php', 'payment', 'cloud'],
    load: async () => (await import('../../adapters/http/surfaces/pay-functions.ts')).payFunctions(downloads),
  }
  return [
    { ...agentSurface(downloads), later: [screens] },
    { ...authSurface(), later: [people] },
    { ...paySurface(), later: [functions] },
  ]
}
