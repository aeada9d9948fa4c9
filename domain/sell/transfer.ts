import { decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import type { TransferData } from './challenge.ts'

/** One movement of coins on a chain. It pays for one challenge, once, over all rails, for ever (X-REPLAY-01). The stream is `chain:tx:index`. */

export type TransferEvents = {
  /** This transfer is the payment of this challenge, and of no other. */
  TransferClaimed: { accountId: string; challengeId: string; asset: string; transfer: TransferData }
}

export type TransferCommands = { claim: TransferEvents['TransferClaimed'] }

type State = { challengeId: string | undefined }

export const transfer = decider<TransferEvents, TransferCommands, State>({
  category: 'transfer',
  stateVersion: 1,
  initial: { challengeId: undefined },
  decide: {
    claim: ({ challengeId }, data) => {
      if (challengeId === data.challengeId) return []
      return challengeId === undefined ? [{ type: 'TransferClaimed', data }] : refuse('transfer-taken')
    },
  },
  evolve: { TransferClaimed: (_, { challengeId }) => ({ challengeId }) },
})
