import { attributeTransfers } from './policies/attribute-transfers.ts'
import { billGas } from './policies/bill-gas.ts'
import { billSettlement } from './policies/bill-settlement.ts'
import { carryGameUnits } from './policies/carry-game-units.ts'
import { carryStakes } from './policies/carry-stakes.ts'
import { carryTransfers } from './policies/carry-transfers.ts'
import { countCallerSpend } from './policies/count-caller-spend.ts'
import { countDuels } from './policies/count-duels.ts'
import { countRelayLosses } from './policies/count-relay-losses.ts'
import { endAuthorizations } from './policies/end-authorizations.ts'
import { enlistCharacters } from './policies/enlist-characters.ts'
import { finishCardPayments } from './policies/finish-card-payments.ts'
import { finishSeatOrders } from './policies/finish-seat-orders.ts'
import { finishSettlement } from './policies/finish-settlement.ts'
import { finishStudioJobs } from './policies/finish-studio-jobs.ts'
import { followCardPayments } from './policies/follow-card-payments.ts'
import { followMandates } from './policies/follow-mandates.ts'
import { grantActivationCredit } from './policies/grant-activation-credit.ts'
import { grantTopUp } from './policies/grant-top-up.ts'
import { holdLinks } from './policies/hold-links.ts'
import { issueReceipts } from './policies/issue-receipts.ts'
import { notifyMerchant } from './policies/notify-merchant.ts'
import { openDefaultStore } from './policies/open-default-store.ts'
import { pauseLostWallets } from './policies/pause-lost-wallets.ts'
import { placeOrders } from './policies/place-orders.ts'
import { recordTransaction } from './policies/record-transaction.ts'
import { releaseEmail } from './policies/release-email.ts'
import { returnSeatPayments } from './policies/return-seat-payments.ts'
import { reversePayments } from './policies/reverse-payments.ts'
import { settleAuthorizations } from './policies/settle-authorizations.ts'
import { settleTopUps } from './policies/settle-top-ups.ts'
import { takeBackTopUps } from './policies/take-back-top-ups.ts'
import type { Policy, PolicyTogether } from './policy.ts'

/** Every policy on one page. Each runs in one process at a time, in the order of the log. */
export const policies: readonly (Policy | PolicyTogether)[] = [
  openDefaultStore,
  grantActivationCredit,
  releaseEmail,
  pauseLostWallets,
  attributeTransfers,
  finishSettlement,
  reversePayments,
  billSettlement,
  settleAuthorizations,
  endAuthorizations,
  billGas,
  countRelayLosses,
  countCallerSpend,
  grantTopUp,
  finishSeatOrders,
  returnSeatPayments,
  recordTransaction,
  finishCardPayments,
  followCardPayments,
  placeOrders,
  notifyMerchant,
  settleTopUps,
  takeBackTopUps,
  carryTransfers,
  followMandates,
  issueReceipts,
  holdLinks,
  enlistCharacters,
  finishStudioJobs,
  carryGameUnits,
  carryStakes,
  countDuels,
]
