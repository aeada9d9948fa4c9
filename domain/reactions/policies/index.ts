import type { Policy, PolicyTogether } from '../subscriber/policy.ts'
import { attributeTransfers } from './attribute-transfers.ts'
import { billGas } from './bill-gas.ts'
import { billSettlement } from './bill-settlement.ts'
import { carryGameUnits } from './carry-game-units.ts'
import { carryStakes } from './carry-stakes.ts'
import { carryTransfers } from './carry-transfers.ts'
import { countCallerSpend } from './count-caller-spend.ts'
import { countDuels } from './count-duels.ts'
import { countRelayLosses } from './count-relay-losses.ts'
import { endAuthorizations } from './end-authorizations.ts'
import { enlistCharacters } from './enlist-characters.ts'
import { finishCardPayments } from './finish-card-payments.ts'
import { finishSeatOrders } from './finish-seat-orders.ts'
import { finishSettlement } from './finish-settlement.ts'
import { finishStudioJobs } from './finish-studio-jobs.ts'
import { followCardPayments } from './follow-card-payments.ts'
import { followMandates } from './follow-mandates.ts'
import { grantActivationCredit } from './grant-activation-credit.ts'
import { grantTopUp } from './grant-top-up.ts'
import { holdLinks } from './hold-links.ts'
import { issueReceipts } from './issue-receipts.ts'
import { notifyMerchant } from './notify-merchant.ts'
import { openDefaultStore } from './open-default-store.ts'
import { pauseLostWallets } from './pause-lost-wallets.ts'
import { placeOrders } from './place-orders.ts'
import { recordTransaction } from './record-transaction.ts'
import { releaseEmail } from './release-email.ts'
import { returnSeatPayments } from './return-seat-payments.ts'
import { reversePayments } from './reverse-payments.ts'
import { settleAuthorizations } from './settle-authorizations.ts'
import { settleTopUps } from './settle-top-ups.ts'
import { takeBackTopUps } from './take-back-top-ups.ts'

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
