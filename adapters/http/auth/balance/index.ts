import { confirmIntentEndpoints } from './confirm-intent.ts'
import { confirmMandateEndpoints } from './confirm-mandate.ts'
import { confirmTopUpEndpoints } from './confirm-top-up.ts'
import { creditPush, readBalance } from './credit-push.ts'
import { intentEndpoints } from './intents.ts'
import { mandateEndpoints } from './mandates.ts'
import { topUpEndpoints } from './top-ups.ts'

/** User balances: what apps call, and the screens on which users answer. */
export const balanceEndpoints = () => [
  readBalance,
  ...intentEndpoints,
  creditPush,
  ...topUpEndpoints,
  ...mandateEndpoints,
  ...confirmIntentEndpoints,
  ...confirmMandateEndpoints,
  ...confirmTopUpEndpoints,
]
