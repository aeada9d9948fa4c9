import { decider, whenExists } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import { ownEntry } from '../kernel/plain-data.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * A payment that an app wants and its user confirms: the amount is frozen when it is made and bound to the code that
 * the confirmation gives (A-INT-01 to A-INT-06, I-BAL-01). Its expiry is told by the clock and never written, because a
 * written end could contradict money that has moved.
 */

type IntentTerms = {
  sub: string
  clientId: string
  /** Millionths of a US dollar. */
  amount: Units
  currency: 'USD'
  description: SealedText
  redirectUri: string
  /** The app's own `state`, given back when the user returns to the app. */
  appState: string
  /** Time until which it can be confirmed. */
  expiresAt: string
  /** Keyed digest of the request, when it came with an idempotency key. */
  request?: string
}

export type IntentEvents = {
  IntentCreated: IntentTerms
  /** The user confirmed it with fresh MFA. Only the hash of the code is kept; it can be used until `codeExpiresAt`. */
  IntentConfirmed: { clientId: string; sub: string; codeHash: string; codeExpiresAt: string; amr: readonly string[] }
  IntentDeclined: { clientId: string; sub: string }
  /** The money has moved. */
  IntentCompleted: { clientId: string; sub: string; ledgerRef: string; completedAt: string }
  /**
   * The app asked to give `amount` of it back, under a reference of its own; this counts even while the app's credit
   * does not suffice for it.
   */
  IntentRefundRequested: { clientId: string; sub: string; ref: string; amount: Units }
}

export type IntentCommands = {
  create: IntentTerms
  /** Refuses `intent-expired`, `intent-declined`, `state-forbids` (confirmed already). */
  confirm: { codeHash: string; codeExpiresAt: string; amr: readonly string[] }
  decline: Record<never, never>
  /** Records that the money has moved. */
  complete: { ledgerRef: string; completedAt: string }
  /** Refuses `intent-not-completed`, `refund-too-high`, `ref-conflict` (the same reference with another amount). */
  refund: { ref: string; amount: Units }
}

type LiveIntent = IntentTerms & {
  status: 'pending' | 'confirmed' | 'declined' | 'completed'
  codeHash?: string
  codeExpiresAt?: string
  ledgerRef?: string
  completedAt?: string
  refunds: { readonly [ref: string]: Units }
}
export type Intent = LiveIntent
type State = { status: 'none' } | LiveIntent

/** The most refunds of one intent. */
const REFUNDS_MAX = 50

export const intent = decider<IntentEvents, IntentCommands, State>({
  category: 'intent',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['create'],
  decide: {
    create: (state, data) => (state.status === 'none' ? [{ type: 'IntentCreated', data }] : refuse('id-taken')),
    confirm: (state, data, now) => {
      const { clientId, sub, status, expiresAt } = known(state)
      if (status === 'declined') return refuse('intent-declined')
      if (status !== 'pending') return refuse('state-forbids', 'this payment is confirmed already')
      if (now >= expiresAt) return refuse('intent-expired')
      return [{ type: 'IntentConfirmed', data: { clientId, sub, ...data } }]
    },
    decline: (state, _, now) => {
      const { clientId, sub, status, expiresAt } = known(state)
      if (status === 'declined') return []
      if (status !== 'pending') return refuse('state-forbids', 'this payment is confirmed already')
      if (now >= expiresAt) return refuse('intent-expired')
      return [{ type: 'IntentDeclined', data: { clientId, sub } }]
    },
    // The money has moved, so that nothing is refused here.
    complete: (state, data) => {
      const { clientId, sub, status } = known(state)
      return status === 'completed' ? [] : [{ type: 'IntentCompleted', data: { clientId, sub, ...data } }]
    },
    refund: (state, { ref, amount }) => {
      const { clientId, sub, status, refunds, amount: paid } = known(state)
      if (status !== 'completed') return refuse('intent-not-completed')
      const same = ownEntry(refunds, ref)
      if (same !== undefined) return same === amount ? [] : refuse('ref-conflict')
      const before = Object.values(refunds)
      if (BigInt(amount) <= 0n) return refuse('amount-not-positive')
      const total = before.reduce((sum, each) => sum + BigInt(each), BigInt(amount))
      if (before.length >= REFUNDS_MAX || total > BigInt(paid)) return refuse('refund-too-high')
      return [{ type: 'IntentRefundRequested', data: { clientId, sub, ref, amount } }]
    },
  },
  evolve: {
    IntentCreated: (_, data) => ({ ...data, status: 'pending', refunds: {} }),
    IntentConfirmed: (state, { codeHash, codeExpiresAt }) =>
      changed(state, { status: 'confirmed', codeHash, codeExpiresAt }),
    IntentDeclined: (state) => changed(state, { status: 'declined' }),
    IntentCompleted: (state, { ledgerRef, completedAt }) =>
      changed(state, { status: 'completed', ledgerRef, completedAt }),
    IntentRefundRequested: whenExists((state, { ref, amount }) => ({
      ...state,
      refunds: { ...state.refunds, [ref]: amount },
    })),
  },
})

/** The status of an intent at a time; a completed one is never expired (`pending` lasts 30 minutes, its code 10). */
export const intentStatusAt = (
  { status, expiresAt, codeExpiresAt = '' }: Pick<LiveIntent, 'status' | 'expiresAt' | 'codeExpiresAt'>,
  now: string,
): LiveIntent['status'] | 'expired' => {
  const until = status === 'pending' ? expiresAt : codeExpiresAt
  return (status === 'pending' || status === 'confirmed') && now >= until ? 'expired' : status
}

const known = (state: State): LiveIntent => (state.status === 'none' ? refuse('intent-not-found') : state)

const changed = (state: State, fields: Partial<LiveIntent>): State =>
  state.status === 'none' ? state : { ...state, ...fields }
