import { decider } from '../decider.ts'
import { refuse } from '../refusal.ts'

/** What a merchant sees of a payment: pending, completed or rejected, and the record that goes out on the webhook (M-REC-01). */

export type TransactionEvents = {
  /** A payment was seen for the first time. */
  TransactionCreated: {
    accountId: string
    challengeId: string
    resId: string
    /** `res_….ch_….eth`: unique per payment, and routes the webhook to the agent slot (J-RES-14, Q-04). */
    externalReference: string
    type: 'resource'
    title: string
    cryptocurrency: string
    /** Coin amount asked, and fiat price, both as decimals. */
    amount: string
    amountFiat: string
    currency: string
    hash: string
    payer: string
    webhookUrl: string | null
    test: boolean
    createdAt: string
  }
  /** The payment is confirmed; the webhook fires (T-TXN-01). */
  TransactionCompleted: { accountId: string; hash: string; payer: string; confirmedAt: string; test: boolean }
}

export type TransactionCommands = {
  create: TransactionEvents['TransactionCreated']
  complete: { hash: string; payer: string; confirmedAt: string }
}

export type Transaction = TransactionEvents['TransactionCreated'] & {
  status: 'P' | 'C'
  confirmedAt: string | undefined
}
type State = { status: 'none' } | Transaction

export const transaction = decider<TransactionEvents, TransactionCommands, State>({
  category: 'transaction',
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    create: (state, data) => {
      if (state.status === 'none') return [{ type: 'TransactionCreated', data }]
      return state.challengeId === data.challengeId ? [] : refuse('id-taken')
    },
    complete: (state, data) => {
      if (state.status === 'none') return refuse('transaction-not-found')
      if (state.status === 'C') return []
      const { accountId, test } = state
      return [{ type: 'TransactionCompleted', data: { accountId, test, ...data } }]
    },
  },
  evolve: {
    TransactionCreated: (_, data) => ({ ...data, status: 'P', confirmedAt: undefined }),
    TransactionCompleted: (state, { hash, payer, confirmedAt }) =>
      state.status === 'none' ? state : { ...state, status: 'C', hash, payer, confirmedAt },
  },
})
