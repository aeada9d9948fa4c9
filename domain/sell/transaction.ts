import { decider } from '../decider.ts'
import type { Sealed } from '../ports.ts'
import { refuse } from '../refusal.ts'
import { DEFAULT_STORE } from './in-store.ts'
import { afterPayment, type Edits, type WritableKey } from './transaction-edits.ts'
import { transactionRecord } from './transaction-record.ts'

/** What a merchant sees of a payment: pending, completed or rejected, and the record that goes out on the webhook (M-REC-01). */

/** Keys that are noted of an edit that was refused, and characters of each. */
const REFUSED_KEYS_MAX = 20
const REFUSED_KEY_MAX_CHARS = 64

export type TransactionEvents = {
  /** A payment of a resource was seen for the first time, or was asked for by a request; or a payout of the seller's was noted. */
  TransactionCreated: {
    accountId: string
    /** Null until a payer has chosen a coin; of what was paid by card its card payment (`cp_…`). */
    challengeId: string | null
    resId: string | null
    requestId?: string
    /** The payout that it records; then nobody pays here. */
    payoutId?: string
    /** The store that it belongs to; the default store when absent. */
    storeId?: number
    /** The number of the saved payment link that was bought. */
    checkoutId?: string
    /**
     * `res_….ch_….eth`: unique per payment, and routes the webhook to the agent slot (J-RES-14, Q-04); `x402.ch_….usdc_base` of what is sold
     * elsewhere; a request's is the merchant's own.
     */
    externalReference: string
    type: 'resource' | 'payment-request' | 'x402' | 'payout'
    title: string
    description?: string
    /** In the place of the description where it tells of a person, as what a buyer answers does: sealed under the account (S-FLD-04). */
    sealedDescription?: Sealed
    /** The code that the price was lowered by, as the seller writes it (S-DSC-02). */
    discountCode?: string
    cryptocurrency: string
    /** Coin amount asked, and fiat price, both as decimals; empty while not known. */
    amount: string
    amountFiat: string
    currency: string
    /** The VAT that is in the fiat price, as a decimal; absent when the sale was not taxed (M-VAT-01). */
    vat?: string
    /** What the VAT rests on, as JSON text: country, rate and base. */
    vatDetails?: string
    /** In the place of it where it names the number of a buyer who is a business, which may be a person's: sealed under the account. */
    sealedVatDetails?: Sealed
    hash: string
    payer: string
    webhookUrl: string | null
    test: boolean
    createdAt: string
    /** When it is given up if nothing was paid. */
    expiresAt?: string
    /** Keyed digest of the request that asked for it, when that is to be taken once. */
    request?: string
  }
  /** A payment of it was seen, perhaps another one than before. */
  TransactionPaymentSeen: { accountId: string } & Paid
  /** The payment is confirmed; the webhook fires (T-TXN-01). */
  TransactionCompleted: { accountId: string; confirmedAt: string; test: boolean } & Paid
  /** Too little came, or nothing in time (T-TXN-02, Q-07). No webhook (W-NOT-01). */
  TransactionRejected: { accountId: string; reason: Rejection; test: boolean }
  /** The seller says that it gave the money back; Daybook moves none (Q-30, J-TXN-06). */
  RefundRecorded: { accountId: string; refundedAt: string; by: string }
  /** A part was given back at the card processor; `refunded` is all that was until then, as a decimal of its currency (N-68). */
  PartRefundRecorded: { accountId: string; refunded: string; refundedAt: string; by: string }
  /** The bank of whoever paid by card wants the money back, or what was decided of that. */
  DisputeRecorded: { accountId: string; disputeId: string; status: DisputeStatus; at: string }
  /** The merchant wrote on it by hand; what would not change is not among the changes (M-TXN-10). */
  TransactionEdited: { accountId: string; changes: Edits; by: string }
  /** Some of what was to be written is not the merchant's to write; nothing was changed (M-TXN-11). */
  TransactionEditRefused: { accountId: string; keys: readonly string[]; by: string }
  /** Hidden from the merchant; what happened stays in the log (M-TXN-12, N-74). */
  TransactionDeleted: { accountId: string; by: string; deletedAt: string }
}
type DisputeStatus = 'open' | 'won' | 'lost'
type Rejection = 'underpaid' | 'expired'

/** The payment as it was seen; what the payer chose stands with it when the transaction did not know. */
type Paid = {
  hash: string
  payer: string
  challengeId?: string
  cryptocurrency?: string
  amount?: string
  amountFiat?: string
  currency?: string
}

export type TransactionCommands = {
  create: TransactionEvents['TransactionCreated']
  see: Paid
  complete: Paid & { confirmedAt: string }
  reject: { reason: Rejection }
  refund: { by: string }
  refundPart: { refunded: string; by: string }
  dispute: { disputeId: string; status: DisputeStatus }
  edit: { changes: Edits; by: string }
  /** Of however many keys the first few are noted. */
  refuseEdit: { keys: readonly string[]; by: string }
  delete: { by: string }
}

export type Transaction = TransactionEvents['TransactionCreated'] & {
  status: 'P' | 'C' | 'X'
  confirmedAt: string | undefined
  rejected: Rejection | undefined
  refundedAt: string | undefined
  /** All that was given back in parts, as a decimal. */
  refundedPart: string | undefined
  dispute: { readonly id: string; readonly status: DisputeStatus } | undefined
  edits: Edits
  deletedAt: string | undefined
}
type State = { status: 'none' } | Transaction

/** The store that it belongs to. */
export const storeOf = ({ edits, storeId = DEFAULT_STORE }: Pick<Transaction, 'edits' | 'storeId'>): number =>
  edits.store_id === undefined ? storeId : Number(edits.store_id)

/** The merchant's own URL for it, as it was asked for or written by hand; none when null. */
export const ownWebhookOf = ({ edits, webhookUrl }: Pick<Transaction, 'edits' | 'webhookUrl'>): string | null =>
  (edits.webhook ?? webhookUrl) || null

export const transaction = decider<TransactionEvents, TransactionCommands, State>({
  category: 'transaction',
  stateVersion: 4,
  initial: { status: 'none' },
  decide: {
    create: (state, data) => {
      if (state.status === 'none') return [{ type: 'TransactionCreated', data }]
      if (originOf(state) !== originOf(data)) return refuse('id-taken')
      // Two that ask at once, under one key but on other terms, must not end in a request of one and a transaction of the other.
      return state.request === undefined || state.request === data.request
        ? []
        : refuse('idempotency-conflict', 'this was asked for on other terms before')
    },
    see: (state, data) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'P' || state.hash === data.hash) return []
      return [{ type: 'TransactionPaymentSeen', data: { accountId: state.accountId, ...data } }]
    },
    // What had expired may still complete: the payment was made in time and seen late. So may a request that was underpaid first: its
    // link stays open.
    complete: (state, data) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status === 'C' || (state.rejected === 'underpaid' && !state.requestId)) return []
      const { accountId, test } = state
      return [{ type: 'TransactionCompleted', data: { accountId, test, ...data } }]
    },
    reject: (state, { reason }) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'P') return []
      const { accountId, test } = state
      return [{ type: 'TransactionRejected', data: { accountId, reason, test } }]
    },
    // Settled elsewhere is written by hand, and can be given back just so.
    refund: (state, { by }, now) => {
      if (isGone(state)) return refuse('transaction-not-found')
      if (state.payoutId !== undefined) return refuse('state-forbids', 'a payout is not refunded')
      if (state.status !== 'C' && state.edits.status !== 'C')
        return refuse('state-forbids', 'only a completed payment can be refunded')
      if (state.refundedAt !== undefined) return refuse('state-forbids', 'this payment was refunded before')
      return [{ type: 'RefundRecorded', data: { accountId: state.accountId, refundedAt: now, by } }]
    },
    refundPart: (state, { refunded, by }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.refundedAt !== undefined || state.refundedPart === refunded) return []
      return [{ type: 'PartRefundRecorded', data: { accountId: state.accountId, refunded, refundedAt: now, by } }]
    },
    dispute: (state, { disputeId, status }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      const { dispute: known } = state
      if (known?.id === disputeId && (known.status === status || status === 'open')) return []
      return [{ type: 'DisputeRecorded', data: { accountId: state.accountId, disputeId, status, at: now } }]
    },
    edit: (state, { changes, by }) => {
      if (isGone(state)) return refuse('transaction-not-found')
      const differs = ([key, value]: [string, string]) => value !== shown(state, key as WritableKey)
      const left = Object.fromEntries(Object.entries(changes).filter(differs))
      if (Object.keys(left).length === 0) return []
      return [{ type: 'TransactionEdited', data: { accountId: state.accountId, changes: left, by } }]
    },
    refuseEdit: (state, { keys, by }) => {
      if (isGone(state)) return refuse('transaction-not-found')
      const noted = keys.slice(0, REFUSED_KEYS_MAX).map((key) => key.slice(0, REFUSED_KEY_MAX_CHARS).toWellFormed())
      return [{ type: 'TransactionEditRefused', data: { accountId: state.accountId, keys: noted, by } }]
    },
    delete: (state, { by }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.deletedAt !== undefined) return []
      return [{ type: 'TransactionDeleted', data: { accountId: state.accountId, by, deletedAt: now } }]
    },
  },
  evolve: {
    TransactionCreated: (_, data) => ({
      ...data,
      status: 'P',
      confirmedAt: undefined,
      rejected: undefined,
      ...{ refundedAt: undefined, refundedPart: undefined, dispute: undefined },
      edits: {},
      deletedAt: undefined,
    }),
    TransactionPaymentSeen: (state, paid) => (state.status === 'none' ? state : { ...state, ...paid }),
    // Money that came is shown, whatever was written or deleted before.
    TransactionCompleted: (state, { test: _, ...paid }) =>
      state.status === 'none'
        ? state
        : {
            ...state,
            ...paid,
            ...{ status: 'C', rejected: undefined, edits: afterPayment(state.edits), deletedAt: undefined },
          },
    TransactionRejected: (state, { reason }) =>
      state.status === 'none' ? state : { ...state, status: 'X', rejected: reason },
    RefundRecorded: (state, { refundedAt }) => (state.status === 'none' ? state : { ...state, refundedAt }),
    PartRefundRecorded: (state, { refunded }) =>
      state.status === 'none' ? state : { ...state, refundedPart: refunded },
    DisputeRecorded: (state, { disputeId: id, status }) =>
      state.status === 'none' ? state : { ...state, dispute: { id, status } },
    TransactionEdited: (state, { changes }) =>
      state.status === 'none' ? state : { ...state, edits: { ...state.edits, ...changes } },
    TransactionEditRefused: (state) => state,
    TransactionDeleted: (state, { deletedAt }) => (state.status === 'none' ? state : { ...state, deletedAt }),
  },
})

/** What it was made for: the same again is the same transaction. */
const originOf = (of: Pick<Transaction, 'payoutId' | 'requestId' | 'challengeId'>) =>
  of.payoutId ?? of.requestId ?? of.challengeId

/** Not there for the merchant: never made, or deleted. */
export function isGone(state: State): state is Exclude<State, Transaction> | (Transaction & { deletedAt: string }) {
  return state.status === 'none' || state.deletedAt !== undefined
}

/** What a key shows now, so far as that can be told: its own URL is shown only once it was written by hand, and what is sealed not here. */
function shown(state: Transaction, key: WritableKey): string | undefined {
  if (key === 'description' && state.sealedDescription && state.edits.description === undefined) return undefined
  const found = state.edits[key] ?? transactionRecord('', state)[key]
  return found ?? (key === 'webhook' && state.webhookUrl ? undefined : '')
}
