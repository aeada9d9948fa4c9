import { decider, whenExists } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A link that asks for one payment: open until it is paid or its time is up (J-PRQ-03, N-04). Its id is the unguessable
 * part of the link; the merchant's transaction is made together with it.
 */

/** So many pieces of a product: a resource by its id, a saved payment link by its number. */
export type Goods = { readonly productId: string; readonly quantity: number }

export type PaymentRequestEvents = {
  PaymentRequestOpened: {
    accountId: string
    /** absent: 1, the default store */
    storeId?: number
    transactionId: string
    /** The number of the saved payment link that is bought with it. */
    checkoutId?: string
    /** What is bought with it, each product once. Absent: nothing whose pieces could be counted. */
    goods?: readonly Goods[]
    /** Fiat price in millionths; null when the payer chooses (N-40) or the price is in coin. */
    amount: Units | null
    currency: string
    /** The VAT in a price of `of`; absent when the sale is not taxed. Another price has as large a share of it. */
    vat?: { amount: Units; of: Units }
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
    /** It was made at the counter of the store. */
    till?: true
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
  /** Its seller has changed what it asks for, before anything came (M-TXN-10). What is absent stays as it is. */
  PaymentRequestChanged: {
    accountId: string
    transactionId: string
    amount?: Units
    assetAmount?: Units
    asset?: string | null
    redirect?: string
    title?: string
    changedAt: string
  }
  /**
   * Its seller deleted the transaction, or wrote by hand how it ended, or its cart was canceled: it counts as expired
   * from then on (M-TXN-12). Absent: written before reasons were told; its open challenges stay payable.
   */
  PaymentRequestWithdrawn: {
    accountId: string
    transactionId: string
    reason?: WithdrawalReason
    withdrawnAt?: string
  }
}

export type WithdrawalReason = 'deleted' | 'by-hand' | 'canceled'

/** What a seller may change of an open request. Amounts are in the units of the request. */
export type RequestChange = {
  readonly amount?: Units
  readonly assetAmount?: Units
  readonly asset?: string | null
  readonly redirect?: string
  readonly title?: string
}

/** The prices that a seller may give a request after the first. */
const PRICES_MAX = 20

export type PaymentRequestCommands = {
  open: PaymentRequestEvents['PaymentRequestOpened']
  pay: { challengeId: string; round?: number }
  /** Does nothing unless that settlement of the challenge had paid the request. */
  reopen: { challengeId: string; round: number }
  expire: Record<never, never>
  /** Refuses `state-forbids` for a request that takes no payment any more, and after too many other prices. */
  change: RequestChange
  withdraw: { reason: WithdrawalReason }
}

export type OpenRequest = PaymentRequestEvents['PaymentRequestOpened'] & {
  status: 'open' | 'paid' | 'expired'
  paidBy: string | undefined
  paidRound: number
  /** The settlement that was taken back last and so reopened it; the same one cannot pay it again. */
  reopened: { readonly challengeId: string; readonly round: number } | undefined
  /** Times at which another price or coin was set: challenges that were opened before such a time end with it. */
  repriced: readonly string[]
  /** Set once it was withdrawn, where the event says why. */
  withdrawn: { readonly reason: WithdrawalReason; readonly at: string } | undefined
}
type State = { status: 'none' } | OpenRequest

export const paymentRequest = decider<PaymentRequestEvents, PaymentRequestCommands, State>({
  category: 'paymentRequest',
  stateVersion: 3,
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
    change: (state, wished, now) => {
      if (state.status === 'none') return refuse('request-not-found')
      const changes = Object.entries(wished).filter(([key, value]) => value !== state[key as keyof RequestChange])
      if (changes.length === 0) return []
      if (statusAt(state, now) !== 'open')
        return refuse('state-forbids', 'The link of this request takes no payment any more. Make a new request.')
      const change: RequestChange = Object.fromEntries(changes)
      if (isOtherPrice(change) && state.repriced.length >= PRICES_MAX)
        return refuse('state-forbids', `A request has at most ${PRICES_MAX} prices after the first: make a new one.`)
      const { accountId, transactionId } = state
      return [{ type: 'PaymentRequestChanged', data: { accountId, transactionId, ...change, changedAt: now } }]
    },
    withdraw: (state, { reason }, now) => {
      if (state.status === 'none') return refuse('request-not-found')
      if (state.status !== 'open') return []
      const { accountId, transactionId } = state
      return [{ type: 'PaymentRequestWithdrawn', data: { accountId, transactionId, reason, withdrawnAt: now } }]
    },
  },
  evolve: {
    PaymentRequestOpened: (_, data) => ({
      ...data,
      status: 'open',
      paidBy: undefined,
      paidRound: 0,
      reopened: undefined,
      repriced: [],
      withdrawn: undefined,
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
    PaymentRequestChanged: whenExists((state, { accountId: _, transactionId: __, changedAt, ...change }) => ({
      ...state,
      ...change,
      repriced: isOtherPrice(change) ? [...state.repriced, changedAt] : state.repriced,
    })),
    PaymentRequestWithdrawn: whenExists((state, { reason, withdrawnAt: at }) => ({
      ...state,
      status: 'expired',
      withdrawn: reason && at ? { reason, at } : undefined,
    })),
  },
})

const isOtherPrice = ({ amount, assetAmount, asset }: RequestChange): boolean =>
  amount !== undefined || assetAmount !== undefined || asset !== undefined

function expired(state: State): State {
  return state.status === 'none' ? state : { ...state, status: 'expired' }
}

/** The status at a time: a request is expired once `expiresAt` has passed, even before the event is written. */
export const statusAt = (
  { status, expiresAt }: Pick<OpenRequest, 'status' | 'expiresAt'>,
  now: string,
): OpenRequest['status'] => (status === 'open' && now > expiresAt ? 'expired' : status)
