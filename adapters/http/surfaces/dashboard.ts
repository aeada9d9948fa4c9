import type { Downloads } from '../agent/common/downloads.ts'
import { closingEndpoints } from '../dashboard/closing.ts'
import { firstStepsEndpoints } from '../dashboard/first-steps.ts'
import { homeEndpoints } from '../dashboard/home.ts'
import { liveEndpoints } from '../dashboard/live.ts'
import { paymentActEndpoints } from '../dashboard/payments/acts.ts'
import { paymentEndpoints } from '../dashboard/payments/detail.ts'
import { paymentListEndpoints } from '../dashboard/payments/list.ts'
import { importScreenEndpoints } from '../dashboard/products/import.ts'
import { productEndpoints } from '../dashboard/products/product.ts'
import { productListEndpoints } from '../dashboard/products/product-list.ts'
import { requestEndpoints } from '../dashboard/products/request.ts'
import { requestListEndpoints } from '../dashboard/products/request-list.ts'
import { resourceScreenEndpoints } from '../dashboard/products/resources.ts'
import { secondFactorEndpoints } from '../dashboard/second-factor.ts'
import { dashboardSecurityEndpoints } from '../dashboard/security.ts'
import { dashboardSettingsEndpoints } from '../dashboard/settings.ts'
import { signInEndpoints } from '../dashboard/sign-in.ts'
import { signOutEndpoints } from '../dashboard/sign-out.ts'
import { signUpEndpoints } from '../dashboard/sign-up.ts'
import { testSaleEndpoints } from '../dashboard/test-sale.ts'
import { topUpScreenEndpoints } from '../dashboard/top-up.ts'
import { walletAddressEndpoints } from '../dashboard/wallet-address.ts'
import { walletTokenEndpoints } from '../dashboard/wallet-tokens.ts'
import { walletScreenEndpoints } from '../dashboard/wallets.ts'
import { webhookReceiverScreen } from '../dashboard/webhook-receiver.ts'

/**
 * What a seller's people see and do at the dashboard (N-82), on the surface of the JSON API, which is at BASE_URL.
 * Every form is sent to the address of its own page.
 */
export const dashboardEndpoints = (downloads: Downloads) => [
  ...signUpEndpoints,
  ...signInEndpoints,
  ...secondFactorEndpoints,
  ...signOutEndpoints,
  ...homeEndpoints,
  ...firstStepsEndpoints,
  ...testSaleEndpoints,
  ...topUpScreenEndpoints,
  ...webhookReceiverScreen,
  ...walletScreenEndpoints,
  ...walletAddressEndpoints,
  ...walletTokenEndpoints,
  ...dashboardSettingsEndpoints,
  ...closingEndpoints,
  ...paymentListEndpoints(downloads),
  ...paymentEndpoints,
  ...paymentActEndpoints,
  ...productListEndpoints(downloads),
  ...productEndpoints,
  ...importScreenEndpoints,
  ...resourceScreenEndpoints(downloads),
  ...requestListEndpoints(downloads),
  ...requestEndpoints,
  ...dashboardSecurityEndpoints,
  ...liveEndpoints(),
]
