import { decider } from '../decider.ts'
import type { Units } from '../money.ts'
import type { Sealed } from '../ports.ts'
import { refuse } from '../refusal.ts'
import type { Interval } from './intervals.ts'

/**
 * A mandate from its making to the user's answer (A-MAN-01 to A-MAN-04). What it allows once it is approved is decided in the user's own stream
 * (`standing-order.ts`); what is written here then only follows it.
 */

export type MandateProposal = {
  sub: string
  clientId: string
  mode: 'adhoc' | 'scheduled'
  perDebitCap: Units
  lifetimeCap: Units
  cooldown: Interval | 'none'
  schedAmount: Units | null
  schedInterval: Interval | null
  description: Sealed
  redirectUri: string
  appState: string
  /** Until when it can be approved. */
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
  /** Follows the activation in the user's stream. */
  approve: { approvedAt: string; validUntil: string }
  /** Refuses `state-forbids` once it was approved. */
  decline: Record<never, never>
  /** Follows the end in the user's stream. */
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
      if (status === 'declined') return []
      if (status !== 'pending') return refuse('state-forbids', 'this standing order was approved')
      return [{ type: 'MandateDeclined', data: { clientId, sub } }]
    },
    revoke: (state, data) => {
      const { clientId, sub, status } = known(state)
      return status === 'approved' ? [{ type: 'MandateRevoked', data: { clientId, sub, ...data } }] : []
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

const known = (state: State): Mandate => (state.status === 'none' ? refuse('mandate-not-found') : state)

const changed = (state: State, fields: Partial<Mandate>): State =>
  state.status === 'none' ? state : { ...state, ...fields }
