import type { Downloads } from '../agent/common/downloads.ts'
import { activityScreenEndpoints } from '../dashboard/activity.ts'
import { closingEndpoints } from '../dashboard/closing.ts'
import { developerScreens } from '../dashboard/developers/index.ts'
import { firstStepsEndpoints } from '../dashboard/first-steps.ts'
import { homeEndpoints } from '../dashboard/home.ts'
import { liveEndpoints } from '../dashboard/live.ts'
import { paymentActEndpoints } from '../dashboard/payments/acts.ts'
import { paymentEndpoints } from '../dashboard/payments/detail.ts'
import { paymentListEndpoints } from '../dashboard/payments/list.ts'
import { unmatchedListEndpoints } from '../dashboard/payments/unmatched.ts'
import { unmatchedOneEndpoints } from '../dashboard/payments/unmatched-one.ts'
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
import { accountChoiceEndpoints } from '../dashboard/team/accounts.ts'
import { inviteEndpoints } from '../dashboard/team/invite.ts'
import { joinEndpoints } from '../dashboard/team/join.ts'
import { teamMemberEndpoints } from '../dashboard/team/member.ts'
import { teamEndpoints } from '../dashboard/team/team.ts'
import { testSaleEndpoints } from '../dashboard/test-sale.ts'
import { keypadEndpoints } from '../dashboard/till/keypad.ts'
import { tillOfflineEndpoints } from '../dashboard/till/offline.ts'
import { tillProductEndpoints } from '../dashboard/till/products.ts'
import { saleEndpoints } from '../dashboard/till/sale.ts'
import { tillTodayEndpoints } from '../dashboard/till/today.ts'
import { topUpScreenEndpoints } from '../dashboard/top-up.ts'
import { walletAddressEndpoints } from '../dashboard/wallets/wallet-address.ts'
import { walletTokenEndpoints } from '../dashboard/wallets/wallet-tokens.ts'
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
  ...developerScreens(),
  ...dashboardSettingsEndpoints,
  ...closingEndpoints,
  ...teamEndpoints,
  ...inviteEndpoints,
  ...teamMemberEndpoints,
  ...joinEndpoints,
  ...accountChoiceEndpoints,
  ...paymentListEndpoints(downloads),
  ...paymentEndpoints,
  ...paymentActEndpoints,
  ...unmatchedListEndpoints(downloads),
  ...unmatchedOneEndpoints,
  ...keypadEndpoints,
  ...tillProductEndpoints,
  ...tillOfflineEndpoints,
  ...tillTodayEndpoints,
  ...saleEndpoints,
  ...activityScreenEndpoints(downloads),
  ...productListEndpoints(downloads),
  ...productEndpoints,
  ...importScreenEndpoints,
  ...resourceScreenEndpoints(downloads),
  ...requestListEndpoints(downloads),
  ...requestEndpoints,
  ...dashboardSecurityEndpoints,
  ...liveEndpoints(),
]
