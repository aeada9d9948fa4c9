import type { Sql } from 'postgres'
import { accountStopQueries } from './account/account-stops.ts'
import { accountQueries, accountsProjection } from './account/accounts.ts'
import { addressClaimQueries, addressClaimsProjection } from './account/address-claims.ts'
import { merchantsProjection } from './account/merchants.ts'
import { newsProjection, newsQueries } from './account/news.ts'
import { obstacleQueries } from './account/obstacles.ts'
import { sandboxKeyQueries, sandboxKeysProjection } from './account/sandbox-keys.ts'
import { walletQueries, walletsProjection } from './account/wallets.ts'
import { activityProjection, activityQueries } from './audit/activity.ts'
import { sealedSubjectsProjection } from './audit/sealed-subjects.ts'
import { sealQueries, sealsProjection } from './audit/seals.ts'
import { timelineProjection } from './audit/timeline.ts'
import { timelineQueries, timelineSearchQueries } from './audit/timeline-queries.ts'
import { balanceQueries, balancesProjection } from './balance/balances.ts'
import { intentQueries, intentsProjection } from './balance/intents.ts'
import { mandateQueries, mandatesProjection } from './balance/mandates.ts'
import { topUpQueries, topUpsProjection } from './balance/top-ups.ts'
import { cardPaymentQueries, cardPaymentsProjection } from './card/card-payments.ts'
import { orderQueries, ordersProjection } from './commerce/orders.ts'
import { productQueries } from './commerce/product-queries.ts'
import type { Projection } from './engine/projection.ts'
import { gameBestQueries, gameBestsProjection } from './game/game-bests.ts'
import { gameDuelQueries, gameDuelsProjection } from './game/game-duels.ts'
import { gameFeedProjection, gameFeedQueries } from './game/game-feed.ts'
import { gameInventionQueries, gameInventionsProjection } from './game/game-inventions.ts'
import { gameLinkQueries, gameLinksProjection } from './game/game-links.ts'
import { gameStudioJobQueries, gameStudioJobsProjection } from './game/game-studio-jobs.ts'
import { gameTournamentQueries, gameTournamentsProjection } from './game/game-tournaments.ts'
import { authorizationQueries, authorizationsProjection } from './gasless/authorizations.ts'
import { bookQueries } from './money/book-queries.ts'
import { bookedTransfersProjection } from './money/booked-transfers.ts'
import { booksProjection } from './money/books.ts'
import { journalProjection } from './money/journal.ts'
import { journalQueries } from './money/journal-queries.ts'
import { reconcileQueries } from './money/reconcile-queries.ts'
import { callerQueries, callersProjection } from './selling/callers.ts'
import { challengeQueries, challengesProjection } from './selling/challenges.ts'
import { checkoutQueries, checkoutsProjection } from './selling/checkouts.ts'
import { customTokenQueries, customTokensProjection } from './selling/custom-tokens.ts'
import { deliveryQueries } from './selling/deliveries.ts'
import { openMatterQueries, openMattersProjection } from './selling/open-matters.ts'
import { paymentRequestQueries, paymentRequestsProjection } from './selling/payment-requests.ts'
import { payoutQueries, payoutsProjection } from './selling/payouts.ts'
import { receivedQueries } from './selling/received.ts'
import { receivedWebhookQueries, receivedWebhooksProjection } from './selling/received-webhooks.ts'
import { resourceQueries, resourcesProjection } from './selling/resources.ts'
import { salesFiguresProjection } from './selling/sales-figures.ts'
import { salesQueries } from './selling/sales-queries.ts'
import { settlementQueries } from './selling/settlement-queries.ts'
import { settlementsProjection } from './selling/settlements.ts'
import { tillQueries } from './selling/till-queries.ts'
import { transactionQueries } from './selling/transactions/transaction-queries.ts'
import { transactionsProjection } from './selling/transactions/transactions.ts'
import { clientAppQueries, clientAppsProjection } from './signin/client-apps.ts'
import { consentQueries, consentsProjection } from './signin/consents.ts'
import { notificationQueries, notificationsProjection } from './signin/notifications.ts'
import { userQueries, usersProjection } from './signin/users.ts'
import { landerQueries, landersProjection } from './storefront/landers.ts'
import { listingQueries } from './storefront/listing-queries.ts'
import { offerQueries, offersProjection } from './storefront/offers.ts'
import { shopQueries, shopsProjection } from './storefront/shops.ts'

/** The whole read side on one page. A new read model is one file and one line here. */
export const projections: readonly Projection[] = [
  accountsProjection,
  sandboxKeysProjection,
  newsProjection,
  walletsProjection,
  addressClaimsProjection,
  customTokensProjection,
  resourcesProjection,
  challengesProjection,
  transactionsProjection,
  receivedWebhooksProjection,
  paymentRequestsProjection,
  payoutsProjection,
  cardPaymentsProjection,
  checkoutsProjection,
  ordersProjection,
  landersProjection,
  offersProjection,
  shopsProjection,
  merchantsProjection,
  settlementsProjection,
  salesFiguresProjection,
  openMattersProjection,
  callersProjection,
  authorizationsProjection,
  balancesProjection,
  mandatesProjection,
  intentsProjection,
  topUpsProjection,
  usersProjection,
  clientAppsProjection,
  consentsProjection,
  gameLinksProjection,
  gameBestsProjection,
  gameStudioJobsProjection,
  gameInventionsProjection,
  notificationsProjection,
  gameDuelsProjection,
  gameTournamentsProjection,
  journalProjection,
  booksProjection,
  bookedTransfersProjection,
  timelineProjection,
  activityProjection,
  sealsProjection,
  sealedSubjectsProjection,
  gameFeedProjection,
]

/**
 * The one door for reads. `exports` are the connections of downloads, which their readers may hold for long; the same
 * ones unless given.
 */
export const createQueries = (sql: Sql, exports: Sql = sql) => ({
  ...accountQueries(sql),
  ...accountStopQueries(sql),
  ...obstacleQueries(sql),
  ...receivedQueries(sql),
  ...sandboxKeyQueries(sql),
  ...newsQueries(sql),
  ...walletQueries(sql),
  ...addressClaimQueries(sql),
  ...customTokenQueries(sql),
  ...resourceQueries(sql),
  ...challengeQueries(sql),
  ...transactionQueries(sql, exports),
  ...deliveryQueries(sql),
  ...receivedWebhookQueries(sql),
  ...paymentRequestQueries(sql),
  ...tillQueries(sql),
  ...payoutQueries(sql),
  ...cardPaymentQueries(sql),
  ...checkoutQueries(sql),
  ...orderQueries(sql),
  ...landerQueries(sql),
  ...offerQueries(sql),
  ...shopQueries(sql),
  ...listingQueries(sql),
  ...productQueries(sql),
  ...settlementQueries(sql),
  ...salesQueries(sql),
  ...openMatterQueries(sql),
  ...callerQueries(sql),
  ...authorizationQueries(sql),
  ...balanceQueries(sql),
  ...mandateQueries(sql),
  ...intentQueries(sql),
  ...topUpQueries(sql),
  ...userQueries(sql),
  ...clientAppQueries(sql),
  ...consentQueries(sql),
  ...notificationQueries(sql),
  ...journalQueries(sql),
  ...bookQueries(sql),
  ...reconcileQueries(sql),
  ...timelineQueries(sql),
  ...activityQueries(sql),
  ...timelineSearchQueries(sql),
  ...sealQueries(sql),
  ...gameQueries(sql),
})
const gameQueries = (sql: Sql) => ({
  ...gameLinkQueries(sql),
  ...gameBestQueries(sql),
  ...gameStudioJobQueries(sql),
  ...gameInventionQueries(sql),
  ...gameDuelQueries(sql),
  ...gameTournamentQueries(sql),
  ...gameFeedQueries(sql),
})

export type Queries = ReturnType<typeof createQueries>
