import { accountEndpoints } from '../agent/account/account.ts'
import { accountMailEndpoints } from '../agent/account/account-mail.ts'
import { customTokenEndpoints } from '../agent/account/custom-tokens.ts'
import { integrationEndpoints } from '../agent/account/integrations.ts'
import { merchantKeyEndpoints } from '../agent/account/merchant-keys.ts'
import { sandboxKeyEndpoints } from '../agent/account/sandbox-keys.ts'
import { settingsEndpoints } from '../agent/account/settings.ts'
import { storeEndpoints } from '../agent/account/stores.ts'
import { subagentEndpoints } from '../agent/account/subagents.ts'
import { walletEndpoints } from '../agent/account/wallets.ts'
import { auditEndpoints } from '../agent/audit/index.ts'
import { cardEndpoints } from '../agent/card/card.ts'
import { commerceEndpoints } from '../agent/commerce/index.ts'
import type { Downloads } from '../agent/common/downloads.ts'
import { wire } from '../agent/common/errors.ts'
import { webhookEndpoints } from '../agent/common/webhooks.ts'
import { gameEndpoints } from '../agent/game/index.ts'
import { exactEndpoints } from '../agent/gasless/exact.ts'
import { exactRelayEndpoints } from '../agent/gasless/exact-relay.ts'
import { relayerEndpoints } from '../agent/gasless/relayer.ts'
import { moneyEndpoints } from '../agent/money/index.ts'
import { topUpEndpoints } from '../agent/money/top-up.ts'
import { callerEndpoints } from '../agent/selling/callers.ts'
import { checkoutEndpoints } from '../agent/selling/checkouts.ts'
import { doorEndpoints } from '../agent/selling/door.ts'
import { settlingEndpoints } from '../agent/selling/index.ts'
import { paymentRequestEndpoints } from '../agent/selling/payment-requests.ts'
import { payoutInfoEndpoints } from '../agent/selling/payout-info.ts'
import { requestDoorEndpoints } from '../agent/selling/request-door.ts'
import { resourceEndpoints } from '../agent/selling/resources.ts'
import { simulateEndpoints } from '../agent/selling/simulate.ts'
import { verifyEndpoints } from '../agent/selling/verify.ts'
import { customFieldEndpoints } from '../agent/storefront/custom-fields.ts'
import { discountCodeEndpoints } from '../agent/storefront/discount-codes.ts'
import { landerEndpoints } from '../agent/storefront/landers.ts'
import { listingEndpoints } from '../agent/storefront/listings.ts'
import { offerEndpoints } from '../agent/storefront/offers.ts'
import { siteEndpoints } from '../agent/storefront/site.ts'
import { buyerEndpoints } from '../buyer/index.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Surface } from '../core/surface.ts'

/** The JSON API of document 1, on one page; with the screens of the dashboard, where they are there already. */
export const agentSurface = (downloads: Downloads, screens: readonly Endpoint[] = []): Surface => ({
  name: 'agent',
  reads: 'json',
  wire,
  endpoints: [
    ...accountEndpoints,
    ...topUpEndpoints,
    ...gameEndpoints,
    ...moneyEndpoints(),
    ...accountMailEndpoints,
    ...sandboxKeyEndpoints,
    ...subagentEndpoints,
    ...webhookEndpoints,
    ...walletEndpoints,
    ...settingsEndpoints,
    ...storeEndpoints,
    ...cardEndpoints,
    ...integrationEndpoints,
    ...merchantKeyEndpoints,
    ...customTokenEndpoints,
    ...resourceEndpoints,
    ...doorEndpoints(),
    ...callerEndpoints,
    ...exactEndpoints,
    ...exactRelayEndpoints,
    ...relayerEndpoints,
    ...verifyEndpoints,
    ...simulateEndpoints,
    ...paymentRequestEndpoints,
    ...requestDoorEndpoints(),
    ...payoutInfoEndpoints,
    ...checkoutEndpoints,
    ...discountCodeEndpoints,
    ...customFieldEndpoints,
    ...siteEndpoints,
    // Offers first: `offers=1` asks for them, whether a lander is named with it or not.
    ...offerEndpoints,
    ...landerEndpoints,
    ...listingEndpoints,
    ...buyerEndpoints(),
    ...screens,
    ...commerceEndpoints,
    ...settlingEndpoints(downloads),
    ...auditEndpoints(downloads),
  ],
  failure: (code, message) => ({ success: false, error: code, error_code: code, message }),
  success: (answer) => answer,
})
