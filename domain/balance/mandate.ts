import type { Interval } from '../kernel/calendar.ts'
import { decider } from '../kernel/decider.ts'
import type { Units } from '../kernel/money.ts'
import type { SealedText } from '../kernel/ports.ts'
import { refuse } from '../kernel/refusal.ts'
import { type OrderState, orderStateAt, type StandingOrder } from './standing-order.ts'

/**
 * A mandate from its making to the user's answer (A-MAN-01 to A-MAN-04). What it allows once it is approved is decided
 * in the user's own stream (`standing-order.ts`); what is written here then only follows it.
 */

type MandateProposal = {
  sub: string
  clientId: string
  mode: 'adhoc' | 'scheduled'
  perDebitCap: Units
  lifetimeCap: Units
  cooldown: Interval | 'none'
  schedAmount: Units | null
  schedInterval: Interval | null
  /** Who debits a schedule, as in `MandateTerms`. Absent: Daybook does. */
  auto?: boolean
  description: SealedText
  redirectUri: string
  appState: string
  /** Time until which it can be approved. */
  expiresAt: string
  request?: string
}

export type MandateEvents = {
  MandateCreated: MandateProposal
  MandateApproved: { clientId: string; sub: string; approvedAt: string; validUntil: string }
  MandateDeclined: { clientId: string; sub: string }
  MandateRevoked: { clientId: string; sub: string; by: 'user' | 'app'; revokedAt: string }
}

export type MandateCommands = {
  create: MandateProposal
  /** Each of these follows what was decided in the user's stream. */
  approve: { approvedAt: string; validUntil: string }
  decline: Record<never, never>
  revoke: { by: 'user' | 'app'; revokedAt: string }
}

export type Mandate = MandateProposal & {
  status: 'pending' | 'approved' | 'declined' | 'revoked'
  approvedAt?: string
  validUntil?: string
  revokedAt?: string
}
type State = { status: 'none' } | Mandate

export const mandate = decider<MandateEvents, MandateCommands, State>({
  category: 'mandate',
  stateVersion: 1,
  initial: { status: 'none' },
  begins: ['create'],
  decide: {
    create: (state, data) => (state.status === 'none' ? [{ type: 'MandateCreated', data }] : refuse('id-taken')),
    approve: (state, data) => {
      const { clientId, sub, status } = known(state)
      return status === 'pending' ? [{ type: 'MandateApproved', data: { clientId, sub, ...data } }] : []
    },
    decline: (state) => {
      const { clientId, sub, status } = known(state)
      return status === 'pending' ? [{ type: 'MandateDeclined', data: { clientId, sub } }] : []
    },
    revoke: (state, data) => {
      const { clientId, sub, status } = known(state)
      const lives = status === 'pending' || status === 'approved'
      return lives ? [{ type: 'MandateRevoked', data: { clientId, sub, ...data } }] : []
    },
  },
  evolve: {
    MandateCreated: (_, data) => ({ ...data, status: 'pending' }),
    MandateApproved: (state, { approvedAt, validUntil }) =>
      changed(state, { status: 'approved', approvedAt, validUntil }),
    MandateDeclined: (state) => changed(state, { status: 'declined' }),
    MandateRevoked: (state, { revokedAt }) => changed(state, { status: 'revoked', revokedAt }),
  },
})

/** The state of a mandate at a time (T-MAN-02, T-MAN-03, N-54); what it has spent comes from the user's stream. */
export const mandateStateAt = (mandate: MandateStanding, now: string): MandateState => {
  const { status, expiresAt, validUntil } = mandate
  if (status === 'approved') return orderStateAt({ ...mandate, validUntil: validUntil ?? expiresAt }, now)
  return status === 'pending' && now >= expiresAt ? 'expired' : status
}

export type MandateState = Mandate['status'] | OrderState

type MandateStanding = Pick<Mandate, 'status' | 'expiresAt'> &
  Pick<StandingOrder, 'lifetimeCap' | 'spent' | 'schedAmount' | 'auto'> & { readonly validUntil?: string | null }

const known = (state: State): Mandate => (state.status === 'none' ? refuse('mandate-not-found') : state)

const changed = (state: State, fields: Partial<Mandate>): State =>
  state.status === 'none' ? state : { ...state, ...fields }
