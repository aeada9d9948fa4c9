import type { Policy, PolicyTogether } from '../subscriber/policy.ts'
import {
  finishSeatOrders,
  grantActivationCredit,
  noteSeats,
  openDefaultStore,
  pauseLostWallets,
  releaseEmail,
  returnSeatPayments,
} from './account.ts'
import { followMandates, settleTopUps, takeBackTopUps } from './balance.ts'
import { finishCardPayments, followCardPayments } from './card.ts'
import { carryTransfers } from './carry-transfers.ts'
import { issueReceipts, placeOrders } from './commerce.ts'
import { carryGameUnits, carryStakes, countDuels, enlistCharacters, finishStudioJobs, holdLinks } from './game.ts'
import { billGas, countCallerSpend, countRelayLosses, endAuthorizations, settleAuthorizations } from './gasless.ts'
import { billSettlement, grantTopUp } from './money.ts'
import { noteNews } from './news.ts'
import { finishRefunds } from './refunds.ts'
import {
  attributeTransfers,
  finishSettlement,
  notifyMerchant,
  payTestRequests,
  recordTransaction,
  reversePayments,
} from './selling.ts'
import { takePieces } from './stock.ts'

/** Every policy on one page. Each runs in one process at a time, and answers the events of one key in their order. */
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
  noteSeats,
  returnSeatPayments,
  recordTransaction,
  takePieces,
  finishRefunds,
  payTestRequests,
  finishCardPayments,
  followCardPayments,
  placeOrders,
  notifyMerchant,
  noteNews,
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
