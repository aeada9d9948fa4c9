import { assetOf } from '../kernel/assets.ts'
import { categoryOf } from '../kernel/decider.ts'
import { FIAT_DECIMALS, toDecimal, type Units } from '../kernel/money.ts'
import type { RecordedEvent } from '../kernel/ports.ts'
import type { TransferData } from '../selling/challenge-terms.ts'
import type { EventData, EventType } from '../write-side/deciders.ts'

/**
 * The facts that support asks of each event of a life, in words, and never what is sealed. An event that is not here
 * has only its name.
 */

export type Phase =
  | ('challenge' | 'payment' | 'settlement' | 'billing' | 'transaction' | 'delivery')
  | ('letter' | 'relay' | 'chain' | 'balance' | 'other')

type Facts = Readonly<Record<string, string>>

export const factsOf = ({ type, data }: RecordedEvent): Facts => {
  if (!Object.hasOwn(told, type)) return {}
  return (told[type as EventType] as (data: object) => Facts)(data)
}

export const phaseOf = ({ type, stream }: RecordedEvent): Phase =>
  BY_TYPE[type] ?? BY_STREAM[categoryOf(stream)] ?? 'other'

const BY_TYPE: Readonly<Record<string, Phase>> = {
  PaymentDetected: 'payment',
  PaymentSimulated: 'payment',
  LatePaymentSimulated: 'payment',
  PaymentRetracted: 'payment',
  TransferClaimed: 'payment',
  TransferSetAside: 'payment',
  PaymentReversed: 'settlement',
  SettlementMoved: 'settlement',
  ChallengeSettled: 'settlement',
  ChallengeUnderpaid: 'settlement',
  CardPaymentSettled: 'settlement',
}

/** Phases keyed by the category of the stream, for events whose type has none. */
const BY_STREAM: Readonly<Record<string, Phase>> = {
  challenge: 'challenge',
  receiveAddress: 'challenge',
  paymentRequest: 'challenge',
  resource: 'challenge',
  checkoutSession: 'challenge',
  cardPayment: 'payment',
  authorization: 'relay',
  payer: 'relay',
  caller: 'relay',
  relay: 'relay',
  relayBudget: 'relay',
  creditAccount: 'billing',
  transaction: 'transaction',
  refundTransfer: 'transaction',
  delivery: 'delivery',
  letter: 'letter',
  chainWatch: 'chain',
  transfer: 'payment',
  topUp: 'balance',
  creditGrant: 'balance',
  userBalance: 'balance',
  appCredit: 'balance',
  ledgerEntry: 'balance',
  notification: 'delivery',
}

const told: { readonly [T in EventType]?: (data: EventData<T>) => Facts } = {
  ChallengeOpened: ({ amount, currency, entries, expiresAt }) => ({
    price: fiat(amount, currency),
    coins: entries.map(({ asset }) => asset).join(', '),
    expires: expiresAt,
  }),
  PaymentRequestOpened: ({ amount, currency, expiresAt }) => ({
    ...(amount !== null && { price: fiat(amount, currency) }),
    expires: expiresAt,
  }),
  CheckoutSessionCreated: cartTotal,
  CheckoutSessionUpdated: cartTotal,
  CheckoutSessionAgreed: ({ mandate: { tier, issuer } }) => ({ tier, ...(issuer !== null && { issuer }) }),
  CheckoutSessionCompleted: ({ orderId }) => ({ order: orderId }),
  OrderFulfilled: ({ type, lines }) => ({
    type,
    lines: lines.map(({ id, quantity }) => `${quantity} of ${id}`).join(', '),
  }),
  OrderAdjusted: ({ type }) => ({ type }),
  AddressLent: ({ heldUntil }) => ({ until: heldUntil }),
  OddPaymentSeen: ({ minedAt }) => ({ mined: minedAt }),
  AmountReserved: ({ heldUntil }) => ({ until: heldUntil }),
  TransfersSeen: ({ network }) => ({ network }),
  PaymentDetected: ({ asset, transfer, confirmations, required }) => ({
    paid: coins(asset, transfer.amount),
    confirmations: `${confirmations} of ${required}`,
    ...place(transfer),
  }),
  PaymentSimulated: ({ asset, transfer, confirmations, required }) => ({
    paid: coins(asset, transfer.amount),
    confirmations: `${confirmations} of ${required}`,
  }),
  LatePaymentSimulated: ({ asset, transfer, decimals }) => ({ late: coins(asset, transfer.amount, decimals) }),
  PaymentRetracted: ({ tx }) => ({ tx }),
  TransferClaimed: ({ transfer }) => place(transfer),
  TransferSetAside: ({ reason, transfer }) => ({ reason, ...place(transfer) }),
  TransferReversed: ({ reason, transfer }) => ({ reason, ...place(transfer) }),
  TransferRestored: ({ transfer }) => place(transfer),
  TransferIgnored: ({ reason, by }) => ({ reason, by }),
  TransferReopened: ({ by }) => ({ by }),
  TransferReturnRecorded: ({ transfer, amount, by }) => ({ returned: coins(transfer.asset, amount), by }),
  TransferReturnHashSubmitted: ({ hash, by }) => ({ tx: hash, by }),
  TransferReturnHashRefused: ({ hash, reason }) => ({ tx: hash, reason }),
  TransferReturnSent: ({ back }) => ({ sent: coins(back.asset, back.amount), ...place(back) }),
  TransferReturnUnsent: ({ back, reason }) => ({ reason, ...place(back) }),
  SettlementMoved: ({ from, transfer }) => ({ before: from.tx, ...place(transfer) }),
  PaymentReversed: ({ asset, transfer, decimals, reason, unsettled }) => ({
    reversed: coins(asset, transfer.amount, decimals),
    ...(unsettled && { unsettled: 'yes' }),
    reason,
    ...place(transfer),
  }),
  ChallengeSettled: ({ asset, transfer, decimals, amount, currency }) => ({
    paid: coins(asset, transfer.amount, decimals),
    price: fiat(amount, currency),
    ...place(transfer),
  }),
  ChallengeUnderpaid: ({ asset, transfer, asked, decimals }) => ({
    paid: coins(asset, transfer.amount, decimals),
    asked: coins(asset, asked, decimals),
    ...place(transfer),
  }),
  CardPaymentOpened: ({ amount, currency, expiresAt }) => ({ price: fiat(amount, currency), expires: expiresAt }),
  CardPaymentReported: ({ paymentId }) => ({ charge: paymentId }),
  CardPaymentSettled: ({ amount, currency, paymentId }) => ({ paid: fiat(amount, currency), charge: paymentId }),
  CardPaymentSetAside: ({ amount, currency, reason, paymentId }) => ({
    paid: fiat(amount, currency),
    reason,
    charge: paymentId,
  }),
  CardPaymentFailed: ({ reason }) => ({ reason }),
  CardPaymentMismatched: ({ what, expected, found }) => ({ what, expected, found }),
  CardRefunded: ({ total, currency, by }) => ({ refunded: fiat(total, currency), by }),
  CardRefundRefused: ({ tries }) => ({ tries: String(tries) }),
  CardRefundFailed: ({ amount, total, currency }) => ({
    failed: fiat(amount, currency),
    refunded: fiat(total, currency),
  }),
  CardPaymentDisputed: ({ amount, currency, reason }) => ({ disputed: fiat(amount, currency), reason }),
  CardDisputeClosed: ({ outcome }) => ({ outcome }),
  AuthorizationAccepted: ({ amount, currency }) => ({ price: fiat(amount, currency) }),
  AuthorizationSettled: ({ tx }) => ({ tx }),
  AuthorizationReversed: ({ reason, tx }) => ({ reason, tx }),
  AuthorizationGasSpent: ({ tx, gasUsd, billedUsd }) => ({
    gas: fiat(gasUsd, 'USD'),
    ...(billedUsd !== undefined && { billed: fiat(billedUsd, 'USD') }),
    tx,
  }),
  AuthorizationReverted: ({ tx, gasUsd }) => ({ gas: fiat(gasUsd, 'USD'), tx }),
  AuthorizationFailed: ({ reason }) => ({ reason }),
  RelayTransactionSent: ({ network, hash }) => ({ network, tx: hash }),
  RelayTransactionMined: ({ network, hash }) => ({ network, tx: hash }),
  RelayTransactionReorganised: ({ network, hash }) => ({ network, tx: hash }),
  RelayLossCounted: ({ usd, tx }) => ({ lost: fiat(usd, 'USD'), tx }),
  RelayBudgetReached: ({ percent, lostUsd, limitUsd }) => ({
    percent: String(percent),
    lost: fiat(lostUsd, 'USD'),
    limit: fiat(limitUsd, 'USD'),
  }),
  RelayTransactionFailed: ({ network, hash, reason }) => ({ network, tx: hash, reason }),
  CreditDebited: ({ amount, owed, reason }) => ({
    debited: fiat(amount, 'USD'),
    ...(owed !== '0' && { owed: fiat(owed, 'USD') }),
    reason,
  }),
  TransactionCreated: ({ externalReference }) => ({ reference: externalReference }),
  TransactionPaymentSeen: ({ hash }) => ({ tx: hash }),
  TransactionCompleted: ({ hash }) => ({ tx: hash }),
  TransactionReversed: ({ reason, hash }) => ({ reason, tx: hash }),
  TransactionRejected: ({ reason }) => ({ reason }),
  TransactionEdited: ({ changes, by }) => ({ changed: Object.keys(changes).join(', '), by }),
  TransactionEditRefused: ({ keys, by }) => ({ refused: keys.join(', '), by }),
  TransactionDeleted: ({ by }) => ({ by }),
  TransactionRestocked: ({ by }) => ({ by }),
  RefundRecorded: ({ by, refunded, sent }) => ({ by, ...(refunded !== undefined && { refunded }), ...sentWord(sent) }),
  PayoutInfoRequested: ({ asset }) => ({ asset }),
  PayoutCompleted: ({ by }) => ({ by }),
  PartRefundRecorded: ({ refunded, by, sent }) => ({ refunded, by, ...sentWord(sent) }),
  RefundHashSubmitted: ({ hash, by }) => ({ tx: hash, by }),
  RefundHashRefused: ({ hash, reason }) => ({ tx: hash, reason }),
  RefundSent: ({ transfer, decimals, sent, by }) => ({
    sent: coins(transfer.asset, sent, decimals),
    ...place(transfer),
    by,
  }),
  RefundTransferClaimed: ({ transfer, by }) => ({ ...place(transfer), by }),
  RefundTransferReversed: ({ reason, transfer }) => ({ reason, ...place(transfer) }),
  ReturnTransferClaimed: ({ transfer, by }) => ({ ...place(transfer), by }),
  ReturnTransferReversed: ({ reason, transfer }) => ({ reason, ...place(transfer) }),
  RefundUnsent: ({ transfer, decimals, sent, reason }) => ({
    sent: coins(transfer.asset, sent, decimals),
    reason,
    ...place(transfer),
  }),
  RefundVoided: ({ refunded, sent }) => ({ refunded: refunded ?? '0', ...(refunded !== null && sentWord(sent)) }),
  RefundFailed: ({ refunded }) => ({ refunded: refunded ?? '0' }),
  DisputeRecorded: ({ status }) => ({ dispute: status }),
  DeliveryScheduled: ({ url, slot, reason }) => ({ url, slot, ...(reason && { reason }) }),
  DeliveryAccepted: (outcome) => answer(outcome),
  DeliveryFailed: (outcome) => answer(outcome),
  LetterSent: ({ attempts }) => ({ attempts: String(attempts) }),
  LetterFailed: ({ attempts, reason }) => ({ attempts: String(attempts), reason }),
  NotificationScheduled: ({ url, kind }) => ({ kind, ...(url && { url }) }),
  NotificationAccepted: (outcome) => answer(outcome),
  NotificationAttemptFailed: (outcome) => answer(outcome),
}

type Outcome = { status: number | null; reason: string | null; durationMs: number }

const answer = ({ status, reason, durationMs }: Outcome): Facts => ({
  answer: status === null ? (reason ?? 'none') : String(status),
  took: `${durationMs} ms`,
})

const place = ({ network, tx, height }: TransferData): Facts => ({
  network,
  tx,
  ...(height > 0 && { height: String(height) }),
})

const fiat = (amount: Units, currency: string): string => `${toDecimal(BigInt(amount), FIAT_DECIMALS)} ${currency}`

/**
 * An amount of a coin in words. A token that is in no catalogue, and whose digits the event does not say, is told in
 * its smallest unit.
 */
const coins = (asset: string, amount: Units, decimals = assetOf(asset)?.decimals): string =>
  decimals === undefined ? `${amount} units of ${asset}` : `${toDecimal(BigInt(amount), decimals)} ${asset}`

function cartTotal({ total, digits, currency }: { total: Units; digits: number; currency: string }): Facts {
  return { price: `${toDecimal(BigInt(total), digits)} ${currency}` }
}

/** Whether a recorded refund was sent; former releases did not say. */
const sentWord = (sent: boolean | undefined): Facts => (sent === undefined ? {} : { sent: sent ? 'yes' : 'not yet' })
