import { decider } from '../decider.ts'
import { refuse } from '../refusal.ts'
import type { TransferData } from './challenge-terms.ts'

/**
 * One movement of coins on a chain. It pays for one challenge, once, over all rails, for ever (X-REPLAY-01); one that pays for none is set
 * aside, so that the seller sees money that came. The stream is `chain:tx:index`.
 */

export type TransferEvents = {
  /** This transfer is the payment of this challenge, and of no other. */
  TransferClaimed: { accountId: string; challengeId: string; asset: string; transfer: TransferData }
  /** Money that came to the seller and settles nothing (N-24). */
  TransferSetAside: {
    accountId: string
    /** absent: 1, the default store */
    storeId?: number
    /** The challenge that it was meant for, where that is known. */
    challengeId: string | null
    asset: string
    /** Digits after the point of the coin, where they are known. */
    decimals?: number
    reason: SetAside
    transfer: TransferData
  }
}

/** `late`: mined after the challenge had expired. `doubled`: the challenge was paid already. `unmatched`: nobody asked for this amount. */
export type SetAside = 'late' | 'doubled' | 'unmatched'

export type TransferCommands = {
  claim: TransferEvents['TransferClaimed']
  setAside: TransferEvents['TransferSetAside']
}

type State = { challengeId: string | undefined; aside: SetAside | undefined }

export const transfer = decider<TransferEvents, TransferCommands, State>({
  category: 'transfer',
  stateVersion: 2,
  initial: { challengeId: undefined, aside: undefined },
  decide: {
    claim: ({ challengeId }, data) => {
      if (challengeId === data.challengeId) return []
      return challengeId === undefined ? [{ type: 'TransferClaimed', data }] : refuse('transfer-taken')
    },
    // What is claimed is somebody's payment; it is only set aside when that very challenge was paid by another transfer first.
    setAside: ({ challengeId, aside }, data) =>
      aside !== undefined || (challengeId !== undefined && challengeId !== data.challengeId)
        ? []
        : [{ type: 'TransferSetAside', data }],
  },
  evolve: {
    TransferClaimed: (state, { challengeId }) => ({ ...state, challengeId }),
    TransferSetAside: (state, { reason }) => ({ ...state, aside: reason }),
  },
})
