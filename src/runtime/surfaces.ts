import { createDownloads } from '../../adapters/http/agent/common/downloads.ts'
import type { LaterEndpoints, Surface } from '../../adapters/http/core/surface.ts'
import { agentSurface } from '../../adapters/http/surfaces/agent.ts'
import { authSurface } from '../../adapters/http/surfaces/auth.ts'
import { paySurface } from '../../adapters/http/surfaces/pay.ts'
import { payerEndpoints } from '../../adapters/http/surfaces/payers.ts'

/**
 * The three APIs as they are served. The doors at which is paid are there from the start; all else is loaded by the
 * first call of a path that begins like it.
 */
export const servedSurfaces = (): readonly Surface[] => {
  const downloads = createDownloads()
  const sellers: LaterEndpoints = {
    under: [
      ...SELLER_PLACES.map((place) => `v1/${place}`),
      'verify-email',
      'recover-key',
      'hooks',
      'audit',
      'assets/media',
      'assets/works',
    ],
    load: async () => (await import('../../adapters/http/surfaces/sellers.ts')).sellerEndpoints(downloads),
  }
  const screens: LaterEndpoints = {
    under: ['dashboard'],
    load: async () => (await import('../../adapters/http/surfaces/dashboard.ts')).dashboardEndpoints(downloads),
  }
  const shopping: LaterEndpoints = {
    under: ['.well-known/ucp', 'catalog', 'checkout-sessions', 'orders', 'v1/orders'],
    load: async () => (await import('../../adapters/http/surfaces/commerce.ts')).shoppingEndpoints,
  }
  const apps: LaterEndpoints = {
    under: [
      '.well-known/jwks.json',
      '.well-known/openid-configuration',
      'confirm',
      'oauth2',
      'standing-orders',
      'topup',
    ],
    load: async () => (await import('../../adapters/http/surfaces/apps.ts')).appEndpoints(),
  }
  const people: LaterEndpoints = {
    under: ['sign-up', 'sign-in', 'sign-out', 'account'],
    load: async () => {
      const { developerEndpoints } = await import('../../adapters/http/auth/developer/index.ts')
      return [...(await import('../../adapters/http/surfaces/people.ts')).peopleEndpoints(), ...developerEndpoints()]
    },
  }
  const functions: LaterEndpoints = {
    under: ['api.php', 'payment', 'cloud'],
    load: async () => (await import('../../adapters/http/surfaces/pay-functions.ts')).payFunctions(downloads),
  }
  return [
    {
      ...agentSurface(payerEndpoints()),
      later: [sellers, screens, shopping],
    },
    { ...authSurface([]), later: [apps, people] },
    { ...paySurface([]), later: [functions] },
  ]
}

/** The second parts of the paths under `/v1` that sellers call; those of payers are not among them. */
const SELLER_PLACES = [
  'account',
  'account-email',
  'account-info',
  'activity',
  'agent',
  'audit',
  'billing',
  'card-processor',
  'checkouts',
  'commerce',
  'custom-fields',
  'custom-tokens',
  'discount-codes',
  'game',
  'integrations',
  'landers',
  'market',
  'me',
  'payment-requests',
  'payout-info',
  'products',
  'reports',
  'request-log',
  'resend-verification',
  'reset-password',
  'resources',
  'sandbox-keys',
  'services',
  'settings',
  'settlements',
  'signup',
  'simulate-payment',
  'site',
  'stores',
  'subagents',
  'top-up',
  'transactions',
  'unmatched',
  'wallets',
  'webhook',
  'webhooks',
]
