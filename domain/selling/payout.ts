import { decider, whenExists } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A payout that a seller makes by itself, outside of Daybook, which holds nobody's funds: asked for, then done (N-38,
 * V-PAY-01). Its id is the unguessable part of a link, where the payee says where the money is to go. The merchant's
 * transaction is made together with it.
 */

export type PayoutEvents = {
  PayoutInfoRequested: {
    accountId: string
    /** absent: 1, the default store */
    storeId?: number
    transactionId: string
    /** What is paid out: a coin, or a currency. */
    asset: string
    /** The seller's note, which may name a person's bank account: sealed under the account. */
    details: SealedText
    requestedAt: string
    /** Keyed digest of the request, when it came with an Idempotency-Key. */
    request?: string
  }
  /**
   * The payee said where the money is to go; that is sealed under the account. `print` is a keyed digest of it, which
   * older events lack.
   */
  PayoutDetailsGiven: { accountId: string; transactionId: string; details: SealedText; givenAt: string; print?: string }
  /** The seller says that it has paid. No money moves, and no webhook tells of it (J-PAY-03, W-NOT-01). */
  PayoutCompleted: { accountId: string; transactionId: string; completedAt: string; by: string }
}

export type PayoutCommands = {
  request: PayoutEvents['PayoutInfoRequested']
  /** Refuses `state-forbids` when something else was said before, or it is paid. */
  giveDetails: { details: SealedText; print: string }
  complete: { by: string }
}

export type Payout = Omit<PayoutEvents['PayoutInfoRequested'], 'details'> & {
  status: 'requested' | 'completed'
  givenAt: string | undefined
  print: string | undefined
  completedAt: string | undefined
}
type State = { status: 'none' } | Payout

/** What is said of a payout that is not there. */
export const NO_PAYOUT =
  'There is no such payout in this account. Look at its link, or at the number of its transaction.'

export const payout = decider<PayoutEvents, PayoutCommands, State>({
  category: 'payout',
  stateVersion: 2,
  initial: { status: 'none' },
  begins: ['request'],
  decide: {
    request: (state, data) => (state.status === 'none' ? [{ type: 'PayoutInfoRequested', data }] : refuse('id-taken')),
    // The first answer stands: whoever gets hold of the link later cannot lead the money elsewhere.
    giveDetails: (state, { details, print }, now) => {
      if (state.status === 'none') return refuse('not-found', NO_PAYOUT)
      if (state.givenAt !== undefined && state.print === print) return []
      if (state.givenAt !== undefined) return refuse('state-forbids', 'where to pay was said before, and that stands')
      if (state.status === 'completed') return refuse('state-forbids', 'this was paid already')
      const { accountId, transactionId } = state
      return [{ type: 'PayoutDetailsGiven', data: { accountId, transactionId, details, givenAt: now, print } }]
    },
    complete: (state, { by }, now) => {
      if (state.status === 'none') return refuse('not-found', NO_PAYOUT)
      if (state.status === 'completed') return []
      const { accountId, transactionId } = state
      return [{ type: 'PayoutCompleted', data: { accountId, transactionId, completedAt: now, by } }]
    },
  },
  evolve: {
    PayoutInfoRequested: (_, { details: _sealed, ...facts }) => ({
      ...facts,
      status: 'requested',
      givenAt: undefined,
      print: undefined,
      completedAt: undefined,
    }),
    PayoutDetailsGiven: whenExists((state, { givenAt, print }) => ({ ...state, givenAt, print })),
    PayoutCompleted: whenExists((state, { completedAt }) => ({ ...state, status: 'completed', completedAt })),
  },
})
