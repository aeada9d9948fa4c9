import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'
import type { SentTransfer } from './transfer-terms.ts'

/**
 * Credit that the operator gives to a user or an app: money that comes from nowhere, and says so. The stream is named
 * by the grant's id.
 */

export type CreditGrantEvents = { CreditGrantSent: SentTransfer }

export type CreditGrantCommands = {
  /** Refuses `idempotency-conflict`, `amount-not-positive`. */
  send: SentTransfer
}

type State = { request?: string }

export const creditGrant = decider<CreditGrantEvents, CreditGrantCommands, State>({
  category: 'creditGrant',
  stateVersion: 1,
  initial: {},
  begins: ['send'],
  decide: {
    send: ({ request }, data) => {
      if (request !== undefined) return request === data.request ? [] : refuse('idempotency-conflict')
      return BigInt(data.total) > 0n ? [{ type: 'CreditGrantSent', data }] : refuse('amount-not-positive')
    },
  },
  evolve: { CreditGrantSent: (_, { request }) => ({ request }) },
})
