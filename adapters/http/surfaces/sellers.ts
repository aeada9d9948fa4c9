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
import type { Downloads } from '../agent/common/downloads.ts'
import { webhookEndpoints } from '../agent/common/webhooks.ts'
import { gameEndpoints } from '../agent/game/index.ts'
import { moneyEndpoints } from '../agent/money/index.ts'
import { topUpEndpoints } from '../agent/money/top-up.ts'
import { callerEndpoints } from '../agent/selling/callers.ts'
import { checkoutEndpoints } from '../agent/selling/checkouts.ts'
import { settlingEndpoints } from '../agent/selling/index.ts'
import { paymentRequestEndpoints } from '../agent/selling/payment-requests.ts'
import { payoutInfoEndpoints } from '../agent/selling/payout-info.ts'
import { resourceEndpoints } from '../agent/selling/resources.ts'
import { simulateEndpoints } from '../agent/selling/simulate.ts'
import { customFieldEndpoints } from '../agent/storefront/custom-fields.ts'
import { discountCodeEndpoints } from '../agent/storefront/discount-codes.ts'
import { landerEndpoints } from '../agent/storefront/landers.ts'
import { listingEndpoints } from '../agent/storefront/listings.ts'
import { offerEndpoints } from '../agent/storefront/offers.ts'
import { siteEndpoints } from '../agent/storefront/site.ts'

/**
 * What sellers and their programs ask of the JSON API, on one page: all of it but what payers and shopping agents call.
 * It is in groups, because the document of the interface has what payers call in between.
 */
export const sellerEndpoints = (downloads: Downloads) => {
  const { account, callers, asking, offers, books } = sellerGroups(downloads)
  return [...account, ...callers, ...asking, ...offers, ...books]
}

export const sellerGroups = (downloads: Downloads) => ({
  account: [
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
  ],
  callers: callerEndpoints,
  asking: [...simulateEndpoints, ...paymentRequestEndpoints],
  offers: [
    ...payoutInfoEndpoints,
    ...checkoutEndpoints,
    ...discountCodeEndpoints,
    ...customFieldEndpoints,
    ...siteEndpoints,
    // Offers first: `offers=1` asks for them, whether a lander is named with it or not.
    ...offerEndpoints,
    ...landerEndpoints,
    ...listingEndpoints,
  ],
  books: [...settlingEndpoints(downloads), ...auditEndpoints(downloads)],
})
