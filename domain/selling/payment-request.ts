import { decider, whenExists } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A link that asks for one payment: open until it is paid or its time is up (J-PRQ-03, N-04). Its id is the unguessable
 * part of the link; the merchant's transaction is made together with it.
 */

export type PaymentRequestEvents = {
  PaymentRequestOpened: {
    accountId: string
    /** absent: 1, the default store */
    storeId?: number
    transactionId: string
    /** The number of the saved payment link that is bought with it. */
    checkoutId?: string
    /** Fiat price in millionths; null when the payer chooses (N-40) or the price is in coin. */
    amount: Units | null
    currency: string
    /** The only coin it may be paid in; null for all that the seller takes. */
    asset: string | null
    /** The coins it may be paid in, where those are some of them. */
    assets?: readonly string[]
    /** Price in the coin's smallest unit; then `amount` is null. */
    assetAmount: Units | null
    /** Digits after the point of that coin. */
    decimals?: number
    title: string
    note: string
    /** Where the payer is sent afterwards; empty for nowhere. */
    redirect: string
    externalReference: string
    expiry: string
    expiresAt: string
    webhookUrl: string | null
    test: boolean
    /**
     * Set when the request buys prepaid credit: the seller's account, and the credit in millionths of a US dollar
     * (J-ACC-08, N-18).
     */
    topUp?: { accountId: string; amount: Units }
    /** A checkout session is paid with it, and so becomes an order (N-06). */
    checkoutSession?: string
    /** A user's balance is funded with it (A-TOP-02). */
    balanceTopUp?: { topUpId: string }
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  /** One of its challenges settled; it takes no further payment. */
  PaymentRequestPaid: {
    accountId: string
    transactionId: string
    /** The challenge that settled, or the card payment (`cp_…`). */
    challengeId: string
    topUp?: { accountId: string; amount: Units }
    /** How often a settlement of that challenge had not stood before. */
    round?: number
  }
  /** What had paid it is not in the chain any more: it is unpaid again, and can be paid while its time is not up. */
  PaymentRequestReopened: { accountId: string; transactionId: string; challengeId: string; round: number }
  /** Nobody paid in time. */
  PaymentRequestExpired: { accountId: string; transactionId: string }
  /** Its seller deleted the transaction; it counts as expired from then on (M-TXN-12). */
  PaymentRequestWithdrawn: { accountId: string; transactionId: string }
}

export type PaymentRequestCommands = {
  open: PaymentRequestEvents['PaymentRequestOpened']
  pay: { challengeId: string; round?: number }
  /** Does nothing unless that settlement of the challenge had paid the request. */
  reopen: { challengeId: string; round: number }
  expire: Record<never, never>
  withdraw: Record<never, never>
}

export type OpenRequest = PaymentRequestEvents['PaymentRequestOpened'] & {
  status: 'open' | 'paid' | 'expired'
  paidBy: string | undefined
  paidRound: number
  /** The settlement that was taken back last and so reopened it; the same one cannot pay it again. */
  reopened: { readonly challengeId: string; readonly round: number } | undefined
}
type State = { status: 'none' } | OpenRequest

export const paymentRequest = decider<PaymentRequestEvents, PaymentRequestCommands, State>({
  category: 'paymentRequest',
  stateVersion: 2,
  initial: { status: 'none' },
  begins: ['open'],
  decide: {
    open: (state, data) => (state.status === 'none' ? [{ type: 'PaymentRequestOpened', data }] : refuse('id-taken')),
    // A payment that was made in time and seen late counts: the challenge judges whether it was in time.
    pay: (state, { challengeId, round = 0 }) => {
      if (state.status === 'none') return refuse('request-not-found')
      if (state.paidBy === challengeId && state.paidRound >= round) return []
      if (state.reopened?.challengeId === challengeId && state.reopened.round >= round) return []
      if (state.paidBy !== undefined && state.paidBy !== challengeId) return refuse('already-paid')
      const { accountId, transactionId, topUp } = state
      const data = { accountId, transactionId, challengeId, ...(topUp && { topUp }), ...(round > 0 && { round }) }
      return [{ type: 'PaymentRequestPaid', data }]
    },
    reopen: (state, { challengeId, round }) => {
      if (state.status === 'none') return refuse('request-not-found')
      if (state.paidBy !== challengeId || state.paidRound > round) return []
      const { accountId, transactionId } = state
      return [{ type: 'PaymentRequestReopened', data: { accountId, transactionId, challengeId, round } }]
    },
    expire: (state, _, now) => {
      if (state.status === 'none') return refuse('request-not-found')
      if (state.status !== 'open' || now <= state.expiresAt) return []
      const { accountId, transactionId } = state
      return [{ type: 'PaymentRequestExpired', data: { accountId, transactionId } }]
    },
    withdraw: (state) => {
      if (state.status === 'none') return refuse('request-not-found')
      if (state.status !== 'open') return []
      const { accountId, transactionId } = state
      return [{ type: 'PaymentRequestWithdrawn', data: { accountId, transactionId } }]
    },
  },
  evolve: {
    PaymentRequestOpened: (_, data) => ({
      ...data,
      status: 'open',
      paidBy: undefined,
      paidRound: 0,
      reopened: undefined,
    }),
    PaymentRequestPaid: whenExists((state, { challengeId, round = 0 }) => ({
      ...state,
      status: 'paid',
      paidBy: challengeId,
      paidRound: round,
    })),
    PaymentRequestReopened: (state, { challengeId, round }) => {
      if (state.status === 'none') return state
      return { ...state, status: 'open', paidBy: undefined, paidRound: 0, reopened: { challengeId, round } }
    },
    PaymentRequestExpired: expired,
    PaymentRequestWithdrawn: expired,
  },
})

function expired(state: State): State {
  return state.status === 'none' ? state : { ...state, status: 'expired' }
}

/** The status at a time: a request is expired once `expiresAt` has passed, even before the event is written. */
export const statusAt = (
  { status, expiresAt }: Pick<OpenRequest, 'status' | 'expiresAt'>,
  now: string,
): OpenRequest['status'] => (status === 'open' && now > expiresAt ? 'expired' : status)
