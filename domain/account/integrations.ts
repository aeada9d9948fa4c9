import { decider } from '../kernel/decider.ts'
import type { SealedText } from '../kernel/ports.ts'

/**
 * Credentials of services that a seller connects: a free map of names to values, sealed whole (J-INT-01, J-INT-02,
 * N-35).
 */

export type IntegrationsEvents = {
  /** `values` is the map as JSON; `fingerprint` is its keyed hash, by which saving the same again is seen. */
  IntegrationsSet: { values: SealedText; fingerprint: string }
}

export type IntegrationsCommands = { set: IntegrationsEvents['IntegrationsSet'] }

type State = { values: SealedText | undefined; fingerprint: string }

export const integrations = decider<IntegrationsEvents, IntegrationsCommands, State>({
  category: 'integrations',
  stateVersion: 1,
  initial: { values: undefined, fingerprint: '' },
  decide: {
    set: (state, data) => (state.fingerprint === data.fingerprint ? [] : [{ type: 'IntegrationsSet', data }]),
  },
  evolve: { IntegrationsSet: (_, data) => data },
})
