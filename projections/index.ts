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
import { transactionQueries } from './selling/transaction-queries.ts'
import { transactionsProjection } from './selling/transactions.ts'
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

const FROM_LEDGER = 'settings are read from the ledger itself'
const STOREFRONT = 'read from the ledger itself'
const GAME = 'the game is read from the ledger itself'
const PEOPLE = 'people are read from the ledger itself'
const CHECKPOINTS = 'checkpoints are read from the ledger itself'

/** Events that no read model shows but the timeline, which has all, each with the reason. */
export const notShown: Readonly<Record<string, string>> = {
  GameLinkChanged: GAME,
  GameLinkHeld: GAME,
  CharacterEnlisted: GAME,
  GameCallNoted: GAME,
  KeyRecoveryRequested: 'only its letter is sent; the link in it is the account’s own',
  CheckoutSessionPaymentTaken: 'only keeps one payment at a time',
  CheckoutSessionPaymentFailed: 'only keeps one payment at a time',
  CloudTokenIssued: 'the default store has it',
  SeatPaymentUnused: 'the credit that is given back for it shows',
  StoreChanged: 'stores are read from the ledger itself',
  StoreWebhookSecretMinted: 'stores are read from the ledger itself',
  DiscountCodeAdded: STOREFRONT,
  DiscountCodesReplaced: STOREFRONT,
  DiscountCodeRemoved: STOREFRONT,
  CustomFieldAdded: STOREFRONT,
  CustomFieldRemoved: STOREFRONT,
  TransactionEditRefused: 'kept for support, read with `daybook events`',
  EmailRequested: 'only keeps an address unique, and its mailbox from floods',
  AddressClaimRenewed: 'only keeps a claim from being given up',
  EmailClaimed: 'only keeps an address unique',
  EmailReleased: 'only keeps an address unique',
  PasswordReset: 'a password is only ever checked',
  ConfirmationsSet: FROM_LEDGER,
  CurrencySet: FROM_LEDGER,
  PaymentRulesSet: FROM_LEDGER,
  NotificationsSet: FROM_LEDGER,
  Web3NamesSet: FROM_LEDGER,
  VatRulesSet: FROM_LEDGER,
  MandateRulesSet: FROM_LEDGER,
  TimeZoneSet: FROM_LEDGER,
  GaslessSet: FROM_LEDGER,
  IntegrationsSet: FROM_LEDGER,
  SiteValuesChanged: STOREFRONT,
  SiteTemplateCreated: STOREFRONT,
  SiteTemplateChanged: STOREFRONT,
  SiteTemplateApplied: STOREFRONT,
  SiteTemplateDeleted: STOREFRONT,
  SiteImageUploaded: STOREFRONT,
  WebhookSecretMinted: FROM_LEDGER,
  WebhookReceiverChosen: FROM_LEDGER,
  EmailVerificationRequested: 'the letter is for its reader alone',
  EmailVerificationEnded: 'the link that it ends is for its reader alone',
  EmailVerified: 'AccountActivated tells the same',
  ReceiptLetterRequested: 'the letter is for its reader alone',
  LetterSent: 'kept for support, read with `daybook events`',
  LetterFailed: 'kept for support, read with `daybook events`',
  CardCheckoutOpened: 'the processor shows who is paying; what is paid shows as a settlement',
  CardPaymentMismatched: 'kept for support, read with `daybook events`',
  CardRefundRefused: 'only keeps one refund from the next; its seller was told',
  AmountReserved: 'only keeps amounts apart',
  TransferClaimed: 'ChallengeSettled tells the same',
  TransfersSeen: 'what they pay for shows as a settlement',
  BlocksScanned: 'the watch keeps its own place',
  PaymentsFinal: 'the watch keeps its own place',
  TransferRestored: 'what it pays shows when it is booked again',
  CallerSpendReturned: 'PaymentReversed tells the same',
  BlocksReorganised: 'the watch keeps its own place',
  ChallengeReserved: 'only keeps payments apart',
  ChallengeReleased: 'only keeps payments apart',
  PaymentNamed: 'only keeps one payment from buying twice',
  PayerFundsReserved: 'only keeps payments of one payer within its balance',
  PayerFundsReleased: 'only keeps payments of one payer within its balance',
  CallerSpendReserved: 'only keeps a payer within its cap',
  CallerSpendReleased: 'only keeps a payer within its cap',
  CallerSpent: 'ChallengeSettled tells the same',
  AuthorizationRedeemed: 'only keeps one payment from buying twice',
  RelayTransactionSent: 'the relayer keeps its own place',
  RelayTransactionMined: 'the relayer keeps its own place',
  RelayTransactionReorganised: 'the relayer keeps its own place',
  RelayTransactionFailed: 'the relayer keeps its own place',
  RelayLossCounted: 'only bounds what the relayer loses',
  RelayBudgetReached: 'only bounds what the relayer loses',
  AddressLent: 'only keeps payments apart',
  OddPaymentSeen: 'only keeps payments apart',
  RedirectUrisSet: FROM_LEDGER,
  PostLogoutUrisSet: FROM_LEDGER,
  ClientSecretSet: 'a secret is only ever checked',
  CreditPushKeySet: 'a secret is only ever checked',
  BackchannelSet: FROM_LEDGER,
  NotificationSkipped: 'an empty delivery log tells the same',
  LogCopied: 'only the event store looks for it',
  CheckpointSigned: CHECKPOINTS,
  HeadCosigned: CHECKPOINTS,
  HeadRefused: CHECKPOINTS,
  HeadStamped: 'listed by `daybook audit stamps`',
  LogRefilled: 'only the event store looks for it',
  LogFellBack: 'only the event store looks for it',
  DataKeysLost: 'kept for support, read with `daybook events`',
  EventQuarantined: 'only the event store looks for it; told by `daybook audit verify`',
  UserLinkRequested: 'the letter is for its reader alone',
  UserLinkFollowed: 'the letter is for its reader alone',
  MemberJoined: PEOPLE,
  MemberCodeRequested: 'the letter is for its reader alone',
  MemberCodeUsed: 'the letter is for its reader alone',
  MemberPasskeyAdded: PEOPLE,
  MemberPasskeyRemoved: PEOPLE,
  MemberTotpEnrolled: PEOPLE,
  MemberTotpRemoved: PEOPLE,
  MemberRecoveryCodesIssued: PEOPLE,
  MemberRecoveryCodeUsed: PEOPLE,
  UserEmailChanged: PEOPLE,
  UserPasswordSet: 'a password is only ever checked',
  UserProfileSet: PEOPLE,
  PasskeyAdded: PEOPLE,
  PasskeyRemoved: PEOPLE,
  TotpEnrolled: PEOPLE,
  TotpRemoved: PEOPLE,
  RecoveryCodesIssued: PEOPLE,
  RecoveryCodeUsed: PEOPLE,
  MerchantKeyAdded: 'keys are read from the ledger itself',
  UserTransfersBooked: 'only keeps a state small',
  AppTransfersBooked: 'only keeps a state small',
  LedgerEntryBooked: 'the events of both accounts tell the same',
  MandateApproved: 'StandingOrderActivated tells the same',
  MandateRevoked: 'StandingOrderEnded and StandingOrderForbidden tell the same',
  MandateDeclined: 'StandingOrderForbidden tells the same',
}

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
