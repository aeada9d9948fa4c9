import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'
import type { CardMode } from './ports.ts'

/**
 * The card processor of a seller: its own account there, by which buyers pay it with a card (J-CARD-01 to J-CARD-07).
 */

export type CardProcessorEvents = {
  /** Keys and product were found good at the processor. */
  CardProcessorConnected: {
    /** The secret key and the webhook's secret, as JSON. */
    secrets: SealedText
    /** Keyed hash of all of it, to know when the same is saved again. */
    fingerprint: string
    /** The secrets as they are shown: how they begin, and their last four characters. */
    secretKeyHint: string
    webhookSecretHint: string
    productId: string
    publishableKey: string | null
    mode: CardMode
    /** Names the seller in the address that the processor reports to. */
    hookId: string
    verifiedAt: string
  }
  CardProcessorDisconnected: { hookId: string }
}

export type CardProcessorCommands = {
  connect: Omit<CardProcessorEvents['CardProcessorConnected'], 'verifiedAt'>
  disconnect: Record<never, never>
}

export type ConnectedProcessor = CardProcessorEvents['CardProcessorConnected'] & { status: 'connected' }
type State = { status: 'none' } | ConnectedProcessor

export const cardProcessor = decider<CardProcessorEvents, CardProcessorCommands, State>({
  category: 'cardProcessor',
  stateVersion: 1,
  initial: { status: 'none' },
  decide: {
    connect: (state, data, now) =>
      state.status === 'connected' && state.fingerprint === data.fingerprint
        ? []
        : [{ type: 'CardProcessorConnected', data: { ...data, verifiedAt: now } }],
    disconnect: (state) =>
      state.status === 'none' ? [] : [{ type: 'CardProcessorDisconnected', data: { hookId: state.hookId } }],
  },
  evolve: {
    CardProcessorConnected: (_, data) => ({ ...data, status: 'connected' }),
    CardProcessorDisconnected: () => ({ status: 'none' }),
  },
})
