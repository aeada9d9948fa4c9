import type { EventType } from '../write-side/deciders.ts'

/**
 * Which events are acts of people and keys in an account: what somebody did, from outside, on purpose. All others
 * follow from acts, from payments, or from the clock. A new event is named here, or its stream or type is declared to
 * hold no acts; a test asks for one of these.
 */

/** What acts are about, as the list of activity is narrowed by it. */
export const ACT_KINDS = [
  'account',
  'keys',
  'people',
  'wallets',
  'settings',
  'stores',
  'shop',
  'selling',
  'payments',
  'billing',
] as const
export type ActKind = (typeof ACT_KINDS)[number]

export const ACTS = {
  AccountSignedUp: 'account',
  AccountActivated: 'account',
  AccountSuspended: 'account',
  AccountReinstated: 'account',
  AccountSessionsEnded: 'account',
  AccountClosed: 'account',
  AccountErased: 'account',
  EmailChanged: 'account',
  EmailVerified: 'account',
  PasswordReset: 'account',
  OwnerKeyRotated: 'keys',
  KeyRecoveryRequested: 'keys',
  ApiKeyIssued: 'keys',
  CloudTokenIssued: 'keys',
  SandboxKeyIssued: 'keys',
  SandboxKeyRotated: 'keys',
  SandboxKeyLimitsSet: 'keys',
  SandboxKeyRevoked: 'keys',
  SubagentCreated: 'keys',
  SubagentKeyRotated: 'keys',
  SubagentChanged: 'keys',
  SubagentSuspended: 'keys',
  SubagentActivated: 'keys',
  SubagentDeleted: 'keys',
  StoreKeyIssued: 'keys',
  StoreCloudTokenIssued: 'keys',
  MerchantKeyAdded: 'keys',
  MemberInvited: 'people',
  InvitationWithdrawn: 'people',
  MemberJoined: 'people',
  MemberSeated: 'people',
  MemberChanged: 'people',
  MemberRemoved: 'people',
  MemberLeft: 'people',
  MemberErased: 'people',
  MemberRegistered: 'people',
  MemberPasswordChanged: 'people',
  SecondFactorRuleChanged: 'people',
  MemberCodeRequested: 'people',
  MemberPasskeyAdded: 'people',
  MemberPasskeyRemoved: 'people',
  MemberTotpEnrolled: 'people',
  MemberTotpRemoved: 'people',
  MemberRecoveryCodesIssued: 'people',
  MemberRecoveryCodeUsed: 'people',
  MemberFactorsReset: 'people',
  MemberSessionsEnded: 'people',
  WalletAddressSet: 'wallets',
  WalletPaused: 'wallets',
  WalletResumed: 'wallets',
  WalletRemoved: 'wallets',
  CustomTokenAdded: 'wallets',
  CustomTokenDeleted: 'wallets',
  CardProcessorConnected: 'wallets',
  CardProcessorDisconnected: 'wallets',
  WebhookUrlSet: 'settings',
  WebhookUrlCleared: 'settings',
  WebhookReceiverChosen: 'settings',
  WebhookSecretMinted: 'settings',
  ConfirmationsSet: 'settings',
  CurrencySet: 'settings',
  PaymentRulesSet: 'settings',
  NotificationsSet: 'settings',
  BrandingSet: 'settings',
  GaslessSet: 'settings',
  Web3NamesSet: 'settings',
  VatRulesSet: 'settings',
  MandateRulesSet: 'settings',
  TimeZoneSet: 'settings',
  IntegrationsSet: 'settings',
  StoreCreated: 'stores',
  StoreChanged: 'stores',
  StoreStatusSet: 'stores',
  StoreWebhookSecretMinted: 'stores',
  StoreDeleted: 'stores',
  SiteValuesChanged: 'shop',
  SiteTemplateCreated: 'shop',
  SiteTemplateChanged: 'shop',
  SiteTemplateApplied: 'shop',
  SiteTemplateDeleted: 'shop',
  SiteImageUploaded: 'shop',
  CheckoutCreated: 'shop',
  CheckoutChanged: 'shop',
  CheckoutDeleted: 'shop',
  StockChanged: 'shop',
  TransactionRestocked: 'payments',
  DiscountCodeAdded: 'shop',
  DiscountCodesReplaced: 'shop',
  DiscountCodeRemoved: 'shop',
  CustomFieldAdded: 'shop',
  CustomFieldRemoved: 'shop',
  LanderCreated: 'shop',
  LanderChanged: 'shop',
  LanderDeleted: 'shop',
  OfferStatusChanged: 'shop',
  ResourceCreated: 'selling',
  ResourceDescribed: 'selling',
  ResourceDisabled: 'selling',
  SpendCapSet: 'selling',
  SpendCapCleared: 'selling',
  PaymentRequestOpened: 'selling',
  PaymentRequestChanged: 'selling',
  PaymentRequestWithdrawn: 'selling',
  PayoutInfoRequested: 'selling',
  PayoutCompleted: 'selling',
  OrderFulfilled: 'payments',
  OrderAdjusted: 'payments',
  TransactionEdited: 'payments',
  TransactionEditRefused: 'payments',
  TransactionDeleted: 'payments',
  RefundRecorded: 'payments',
  PartRefundRecorded: 'payments',
  RefundHashSubmitted: 'payments',
  CardRefunded: 'payments',
  TransferClaimed: 'payments',
  TransferIgnored: 'payments',
  TransferReopened: 'payments',
  TransferReturnRecorded: 'payments',
  TransferReturnHashSubmitted: 'payments',
  DeliveryScheduled: 'payments',
  SeatPaid: 'billing',
  LanderPackBought: 'billing',
  PointsRedeemed: 'billing',
} as const satisfies Partial<Record<EventType, ActKind>>

export type Act = keyof typeof ACTS

/** Streams of which no event is an act in an account, beside those that are named above. */
export const NO_ACTS_IN: readonly string[] = [
  // What follows from payments and from the clock.
  'receiveAddress',
  'challenge',
  'refundTransfer',
  'authorization',
  'payer',
  'caller',
  'relay',
  'relayBudget',
  'chainWatch',
  'letter',
  'news',
  'receiptLetter',
  'notification',
  'paymentName',
  'addressClaim',
  'email',
  // What buyers, users and players do.
  'checkoutSession',
  'cardPayment',
  'user',
  'clientApp',
  'consent',
  'signingKeys',
  'userBalance',
  'appCredit',
  'ledgerEntry',
  'creditGrant',
  'intent',
  'mandate',
  'topUp',
  'gameMember',
  'gameHolder',
  'gameCharacter',
  'gameDuel',
  'gameTournament',
  'gameStudioJob',
  // The log itself.
  'log',
  'quarantine',
  'seals',
  'cosignatures',
]

/** Single events of other streams that follow from acts or payments, or are a step of an act that has another name. */
export const NO_ACTS = [
  'EmailVerificationRequested',
  'EmailVerificationEnded',
  'SandboxKeyUsed',
  'SeatPaymentUnused',
  'PiecesLent',
  'PiecesKept',
  'PiecesRefused',
  'PiecesReleased',
  'PiecesReturned',
  'PiecesSold',
  'PiecesRestored',
  'MemberCodeUsed',
  'CreditGranted',
  'CreditDebited',
  'OwedCreditCollected',
  'OfferMade',
  'PayoutDetailsGiven',
  'TransferSetAside',
  'TransferReversed',
  'TransferRestored',
  'TransferReturnHashRefused',
  'TransferReturnSent',
  'TransferReturnUnsent',
  'TransactionCreated',
  'TransactionPaymentSeen',
  'TransactionCompleted',
  'TransactionReversed',
  'TransactionRejected',
  'RefundHashRefused',
  'RefundSent',
  'RefundUnsent',
  'RefundVoided',
  'RefundFailed',
  'DisputeRecorded',
  'PaymentRequestPaid',
  'PaymentRequestReopened',
  'PaymentRequestExpired',
  'DeliverySkipped',
  'DeliveryAccepted',
  'DeliveryFailed',
] as const satisfies readonly EventType[]

/** Acts that somebody without a key or session does by a letter, or to begin with: the account is told of them. */
const WITHOUT_A_KEY: ReadonlySet<Act> = new Set([
  'AccountSignedUp',
  'AccountActivated',
  'EmailVerified',
  'EmailChanged',
  'PasswordReset',
  'OwnerKeyRotated',
  'KeyRecoveryRequested',
  'ApiKeyIssued',
])

/** Who acted: a key of the account, a member, the operator of the service, or somebody who had neither. */
export type ActorKind = 'owner-key' | 'member' | 'sub-key' | 'store-key' | 'operator' | 'anonymous'
export const ACTOR_KINDS = ['owner-key', 'member', 'sub-key', 'store-key', 'operator', 'anonymous'] as const

/** `id`: of the member or the key; empty where the kind says it all. */
export type ActActor = { readonly kind: ActorKind; readonly id: string; readonly accountId: string | undefined }

/** Who acted, as the cause of an event names them; undefined where nobody did from outside. */
export const actActorOf = (actor: string): ActActor | undefined => {
  const [accountId = '', kind, id = ''] = actor.split('/')
  if (actor === 'operator') return { kind: 'operator', id: '', accountId: undefined }
  if (actor === 'public') return { kind: 'anonymous', id: '', accountId: undefined }
  if (!accountId.startsWith('acc_')) return undefined
  if (kind === undefined) return { kind: 'owner-key', id: '', accountId }
  const named = KINDS[kind]
  return named && { kind: named, id, accountId }
}

const KINDS: Readonly<Record<string, ActorKind>> = { member: 'member', 'sub-key': 'sub-key', store: 'store-key' }

/** The act that an event is, where somebody did it; `data` tells a match from what a chain has told. */
export const actOf = (
  { type, data }: { readonly type: string; readonly data: object },
  { kind }: ActActor,
): Act | undefined => {
  if (!Object.hasOwn(ACTS, type)) return undefined
  const act = type as Act
  if (kind === 'anonymous' && !WITHOUT_A_KEY.has(act)) return undefined
  return act === 'TransferClaimed' && !('by' in data) ? undefined : act
}
