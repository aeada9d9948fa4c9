import { decider } from '../decider.ts'
import { refuse } from '../refusal.ts'

/** What a merchant sees of a payment: pending, completed or rejected, and the record that goes out on the webhook (M-REC-01). */

/** The store that every account has, and that everything belongs to which names no other. */
export const DEFAULT_STORE = 1

export type TransactionEvents = {
  /** A payment of a resource was seen for the first time, or a payment was asked for by a request. */
  TransactionCreated: {
    accountId: string
    /** Null until a payer has chosen a coin. */
    challengeId: string | null
    resId: string | null
    requestId?: string
    /** The store that it belongs to; the default store when absent. */
    storeId?: number
    /** The number of the saved payment link that was bought. */
    checkoutId?: string
    /**
     * `res_….ch_….eth`: unique per payment, and routes the webhook to the agent slot (J-RES-14, Q-04); `x402.ch_….usdc_base` of what is sold
     * elsewhere; a request's is the merchant's own.
     */
    externalReference: string
    type: 'resource' | 'payment-request' | 'x402'
    title: string
    description?: string
    cryptocurrency: string
    /** Coin amount asked, and fiat price, both as decimals; empty while not known. */
    amount: string
    amountFiat: string
    currency: string
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
}
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
}

export type Transaction = TransactionEvents['TransactionCreated'] & {
  status: 'P' | 'C' | 'X'
  confirmedAt: string | undefined
  rejected: Rejection | undefined
  refundedAt: string | undefined
}
type State = { status: 'none' } | Transaction

/** The store that it belongs to. */
export const storeOf = ({ storeId = DEFAULT_STORE }: Pick<Transaction, 'storeId'>): number => storeId

export const transaction = decider<TransactionEvents, TransactionCommands, State>({
  category: 'transaction',
  stateVersion: 2,
  initial: { status: 'none' },
  decide: {
    create: (state, data) => {
      if (state.status === 'none') return [{ type: 'TransactionCreated', data }]
      const same = data.requestId ? state.requestId === data.requestId : state.challengeId === data.challengeId
      if (!same) return refuse('id-taken')
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
    refund: (state, { by }, now) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status !== 'C') return refuse('state-forbids', 'only a completed payment can be refunded')
      if (state.refundedAt !== undefined) return refuse('state-forbids', 'this payment was refunded before')
      return [{ type: 'RefundRecorded', data: { accountId: state.accountId, refundedAt: now, by } }]
    },
  },
  evolve: {
    TransactionCreated: (_, data) => ({
      ...data,
      status: 'P',
      confirmedAt: undefined,
      rejected: undefined,
      refundedAt: undefined,
    }),
    TransactionPaymentSeen: (state, paid) => (state.status === 'none' ? state : { ...state, ...paid }),
    TransactionCompleted: (state, { test: _, ...paid }) =>
      state.status === 'none' ? state : { ...state, ...paid, status: 'C', rejected: undefined },
    TransactionRejected: (state, { reason }) =>
      state.status === 'none' ? state : { ...state, status: 'X', rejected: reason },
    RefundRecorded: (state, { refundedAt }) => (state.status === 'none' ? state : { ...state, refundedAt }),
  },
})
