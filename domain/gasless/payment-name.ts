import { decider } from '../kernel/decider.ts'
import { refuse } from '../kernel/refusal.ts'

/**
 * The name that a payer, or a caller, gave to a payment of one resource, so that its repeat is known: whoever sends
 * another payment under that name has paid already, and is told so instead of paying twice. The stream is a keyed
 * digest of the resource, of whose name it is, and of the name.
 */

export type PaymentNameEvents = {
  /**
   * The name means this signed payment from now on. `validUntil`: when that payment cannot be carried out any more, in
   * case it was never taken (ISO 8601).
   */
  PaymentNamed: { accountId: string; resId: string; authorizationId: string; validUntil: string }
}

export type PaymentNameCommands = {
  /** `replaces`: the payment that came to nothing, which had the name before. */
  take: PaymentNameEvents['PaymentNamed'] & { replaces?: string | undefined }
}

export type PaymentNameState = { status: 'none' } | (PaymentNameEvents['PaymentNamed'] & { status: 'named' })

export const paymentName = decider<PaymentNameEvents, PaymentNameCommands, PaymentNameState>({
  category: 'paymentName',
  stateVersion: 1,
  initial: { status: 'none' },
  pays: true,
  decide: {
    take: (state, { replaces, ...data }) => {
      if (state.status === 'none') return [{ type: 'PaymentNamed', data }]
      if (state.authorizationId === data.authorizationId) return []
      if (state.authorizationId === replaces) return [{ type: 'PaymentNamed', data }]
      return refuse('busy', 'Another payment of the same name is being taken. Ask again in a moment.')
    },
  },
  evolve: { PaymentNamed: (_, data) => ({ ...data, status: 'named' }) },
})
