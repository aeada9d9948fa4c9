import { buyerEndpoints } from '../buyer/index.ts'
import type { Surface } from '../surface.ts'
import { accountEndpoints } from './account.ts'
import { accountMailEndpoints } from './account-mail.ts'
import { auditEndpoints } from './audit/index.ts'
import { billingEndpoints } from './billing.ts'
import { callerEndpoints } from './callers.ts'
import { cardEndpoints } from './card.ts'
import { checkoutEndpoints } from './checkouts.ts'
import { commerceEndpoints } from './commerce/index.ts'
import { customFieldEndpoints } from './custom-fields.ts'
import { customTokenEndpoints } from './custom-tokens.ts'
import { discountCodeEndpoints } from './discount-codes.ts'
import { doorEndpoints } from './door.ts'
import type { Downloads } from './downloads.ts'
import { wire } from './errors.ts'
import { gameEndpoints } from './game/index.ts'
import { exactEndpoints } from './gasless/exact.ts'
import { exactRelayEndpoints } from './gasless/exact-relay.ts'
import { relayerEndpoints } from './gasless/relayer.ts'
import { integrationEndpoints } from './integrations.ts'
import { landerEndpoints } from './landers.ts'
import { listingEndpoints } from './listings.ts'
import { merchantKeyEndpoints } from './merchant-keys.ts'
import { offerEndpoints } from './offers.ts'
import { paymentRequestEndpoints } from './payment-requests.ts'
import { payoutInfoEndpoints } from './payout-info.ts'
import { requestDoorEndpoints } from './request-door.ts'
import { resourceEndpoints } from './resources.ts'
import { sandboxKeyEndpoints } from './sandbox-keys.ts'
import { settingsEndpoints } from './settings.ts'
import { settlementEndpoints } from './settlements.ts'
import { simulateEndpoints } from './simulate.ts'
import { siteEndpoints } from './site.ts'
import { storeEndpoints } from './stores.ts'
import { subagentEndpoints } from './subagents.ts'
import { topUpEndpoints } from './top-up.ts'
import { transactionActions } from './transaction-actions.ts'
import { transactionEndpoints } from './transactions.ts'
import { verifyEndpoints } from './verify.ts'
import { verifyEmailEndpoints } from './verify-email.ts'
import { walletEndpoints } from './wallets.ts'
import { webhookEndpoints } from './webhooks.ts'

/** The JSON API of document 1, on one page. */
export const agentSurface = (downloads: Downloads): Surface => ({
  name: 'agent',
  reads: 'json',
  wire,
  endpoints: [
    ...accountEndpoints,
    ...topUpEndpoints,
    ...gameEndpoints,
    ...billingEndpoints,
    ...accountMailEndpoints,
    ...verifyEmailEndpoints,
    ...sandboxKeyEndpoints,
    ...subagentEndpoints,
    ...webhookEndpoints,
    ...walletEndpoints,
    ...settingsEndpoints,
    ...storeEndpoints(),
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
    ...commerceEndpoints,
    ...settlementEndpoints,
    ...transactionEndpoints(downloads),
    ...transactionActions,
    ...auditEndpoints(downloads),
  ],
  failure: (code, message) => ({ success: false, error: code, error_code: code, message }),
  success: (answer) => answer,
})
